// A real failover by Sentinel, under a workload of every client: calls settle, what is told is true but
// for what the failover lost, and with `waitReplicas` for all replicas nothing is lost.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from "@onceproof/redis-adapter";
import {
  appendFromAll,
  judgeAppends,
  missing,
  newOpId,
  type RedisSentinel,
  startRedisSentinel,
  until,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type GroupClientKind, type OpenClient, SENTINELS } from "./support/clients.js";

const next = { value: "v", ttlMs: 60_000 };

describe.skipIf(missing("redis"))("a failover by Sentinel", () => {
  let group: RedisSentinel;
  let opened: OpenClient[] = [];
  beforeAll(async () => {
    group = await startRedisSentinel({ downAfterMs: 1000 });
  });
  afterEach(() => {
    for (const { close } of opened) close();
    opened = [];
  });
  afterAll(() => group.stop());

  function openMany(
    kind: GroupClientKind,
    options: Partial<RedisStoreOptions>,
  ): Promise<RedisStore[]> {
    return Promise.all(
      [1, 2].map(async () => {
        const client = await kind.open(group.sentinelPorts);
        opened.push(client);
        return createRedisStore({ operationTimeoutMs: 600, ...options, client: client.client });
      }),
    );
  }

  /** Creates one key after the other until it is over, and notes what was told of as applied. */
  async function createUntil(
    store: RedisStore,
    client: string,
    over: () => boolean,
    told: Map<string, string>,
  ): Promise<void> {
    for (let count = 0; !over(); count += 1) {
      const write = { key: `${client} ${count}`, opId: newOpId(), expect: "absent", next } as const;
      const outcome = await store.write(write).then(
        (result) => result.outcome,
        (error: { code?: unknown }) => error.code,
      );
      if (outcome === "applied") told.set(write.key, write.opId);
      else expect(["unknown", "unavailable"]).toContain(outcome);
      // Not in its stead: a failed call may fail at once.
      await sleep(5);
    }
  }

  test("calls settle, unknown is honest, and the store works on the promoted server", async () => {
    const options = { waitReplicas: 2, waitReplicasMs: 300 };
    const runs = await Promise.all(
      SENTINELS.map(async (kind) => ({
        kind,
        plain: await openMany(kind, { keyPrefix: `plain ${kind.name}` }),
        waiting: await openMany(kind, { keyPrefix: `waiting ${kind.name}`, ...options }),
        told: [new Map<string, string>(), new Map<string, string>()],
      })),
    );
    const key = "list";
    let over = false;
    const working = runs.map(async ({ kind, plain, waiting, told }) => {
      const creating = told.map((keys, index) => {
        const store = waiting[index];
        return store && createUntil(store, String(index), () => over, keys);
      });
      const log = await appendFromAll(plain, { key, each: 40 });
      await Promise.all(creating);
      return { kind, log, told };
    });
    // Without its old master the group has too few replicas: what is to be told is told before.
    await until("every store that waits for replicas was told of a write", async () =>
      runs.every(({ told }) => told.every(({ size }) => size > 0)),
    );
    await group.failOver();
    over = true;
    for (const { kind, log, told } of await Promise.all(working)) {
      const [plain, waiting] = [
        (await openMany(kind, { keyPrefix: `plain ${kind.name}` }))[0],
        (await openMany(kind, { keyPrefix: `waiting ${kind.name}` }))[0],
      ];
      if (plain === undefined || waiting === undefined) throw new Error("two were opened");
      // It is true with any number of replicas waited for.
      expect(waiting.capabilities.failoverMayLoseWrites).toBe(true);
      for (const keys of told) {
        expect(keys.size).toBeGreaterThan(0);
        const missed = await Promise.all(
          [...keys].map(async ([each, opId]) =>
            (await waiting.read(each)).entry?.stamp.opId === opId ? [] : [each],
          ),
        );
        expect(missed.flat(), kind.name).toEqual([]);
      }
      const wrong = (await judgeAppends(plain, key, log)).filter(
        (each) => !each.endsWith("is lost"),
      );
      expect(wrong, kind.name).toEqual([]);
      // The promoted server never saw the scripts: EVALSHA falls back to their text.
      const write = { key: "after", opId: newOpId(), expect: "absent", next } as const;
      expect(await plain.write(write)).toMatchObject({ outcome: "applied", replayed: false });
      expect(await plain.write(write)).toMatchObject({ outcome: "applied", replayed: true });
    }
  }, 90_000);
});
