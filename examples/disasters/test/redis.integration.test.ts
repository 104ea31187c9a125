// The same disasters on a real Redis: what holds in memory holds on a server that others share.

import { randomUUID } from "node:crypto";
import { createRedisStore } from "@onceproof/redis-adapter";
import { missing, startRedis, type TestServer } from "@onceproof/test-servers";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCli, UsageError } from "../src/cli-options.js";
import { allDisasters } from "../src/disasters/index.js";
import { readPayloads } from "../src/disasters/webhook-payloads.js";
import { runDisaster } from "../src/run.js";
import { redisAt } from "../src/world/redis.js";
import { type OpenStore, passingStage } from "../src/world/stage.js";

const disasters = allDisasters(await readPayloads());

function nodeRedisAt(url: string): OpenStore {
  return async () => {
    const client = createClient({ url });
    client.on("error", () => {});
    await client.connect();
    const store = createRedisStore({ client, keyPrefix: `disasters-${randomUUID()}` });
    return {
      ...store,
      async close() {
        await store.close();
        client.destroy();
      },
    };
  };
}

describe.skipIf(missing("redis")).each([
  ["ioredis", redisAt],
  ["node-redis", nodeRedisAt],
])("on a real Redis with %s", (_, openAt) => {
  let server: TestServer;
  beforeAll(async () => {
    // Nothing here crashes, and a disk would only make it slower.
    server = await startRedis({ args: ["--appendonly", "no"] });
  });
  afterAll(() => server.stop());

  it.each(disasters)("$name happens without protection and not with it", async (disaster) => {
    const { signal } = new AbortController();
    const stage = passingStage(openAt(server.url));
    const row = await runDisaster(disaster, { seed: 1, signal, stage, onStep: () => {} });
    expect(row.problems).toEqual([]);
    expect(row.with).toBe(disaster.expected);
    expect(row.calls?.first).toBeGreaterThan(0);
  });
});

it("takes a Redis by name or by address, and nothing else", () => {
  const storeOf = (address: string) => parseCli(["--store", address]).store;
  expect(storeOf("redis")).toEqual({ kind: "redis", url: "redis://localhost:6379" });
  expect(storeOf("valkey://h:1")).toEqual({ kind: "redis", url: "redis://h:1" });
  expect(() => parseCli(["--store", "elsewhere"])).toThrow(UsageError);
});
