// What a dedup's callers are told when Redis is lost while their handler runs: as the README says it.
import { createDedup, type Dedup } from "@onceproof/core";
import { createRedisStore } from "@onceproof/redis-adapter";
import { missing, startRedis, type TestServer } from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

describe.skipIf(missing("redis"))("a Redis that is lost while the handler runs", () => {
  let server: TestServer;
  let clients: Redis[];

  beforeEach(async () => {
    clients = [];
    server = await startRedis();
  });
  afterEach(async () => {
    for (const client of clients) client.disconnect();
    await server.stop();
  });

  async function dedup(
    onCrash: "park" | "rerun",
    settleMs: number,
    leaseMs = 30_000,
  ): Promise<Dedup> {
    const client = new Redis(server.port, "127.0.0.1", { retryStrategy: () => 20 });
    client.on("error", () => {});
    clients.push(client);
    const store = createRedisStore({ client, operationTimeoutMs: 500 });
    await client.ping();
    return createDedup({ store, name: "pay", onCrash, settleMs, leaseMs, waitMs: 300 });
  }

  test("for good: the caller has its own value, which may not be recorded, and later ones fail", async () => {
    const payments = await dedup("park", 1000);
    const told = await payments.attempt("order", async () => {
      await server.stop();
      return "paid";
    });
    expect(told).toMatchObject({ outcome: "executed", value: "paid", recorded: "unknown" });
    await expect(payments.run("order", () => "again")).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringContaining("ECONNREFUSED") },
    });
  });

  test("and is back in time with its data: the outcome is recorded", async () => {
    const payments = await dedup("park", 20_000);
    const told = await payments.attempt("order", async () => {
      server.kill("SIGKILL");
      await server.restart();
      return "paid";
    });
    expect(told).toMatchObject({ outcome: "executed", value: "paid", recorded: true });
    expect(await payments.run("order", () => "again")).toBe("paid");
  });

  test("with the process: the lease lasts, others wait, and then the next one takes over", async () => {
    let ran = (): void => {};
    const running = new Promise<void>((resolve) => {
      ran = resolve;
    });
    const abandoned = (await dedup("rerun", 1000, 5000)).run("order", () => {
      ran();
      return new Promise<string>(() => {});
    });
    await running;
    clients[0]?.disconnect();
    const payments = await dedup("rerun", 20_000, 5000);
    await expect(payments.run("order", () => "second")).rejects.toMatchObject({
      code: "inProgress",
    });
    expect(await payments.run("order", () => "third", { waitMs: 60_000 })).toBe("third");
    expect(await Promise.race([abandoned, "still pending"])).toBe("still pending");
  });
});
