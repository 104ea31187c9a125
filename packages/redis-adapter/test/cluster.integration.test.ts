// A real cluster of three masters with a replica each: which keys share a slot, what is refused before
// anything is sent, and that every answer is true while slots move, scripts vanish and a master dies.
import { setTimeout as sleep } from "node:timers/promises";
import { createRegister, createStateMachine, createUniqueInsert } from "@onceproof/core";
import {
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from "@onceproof/redis-adapter";
import {
  type AppendLog,
  appendFromAll,
  judgeAppends,
  missing,
  newOpId,
  type RedisCluster,
  redisCommand,
  startRedisCluster,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hashSlot } from "../src/hash-slot.js";
import { appendPairs, judgePairs } from "./support/append-pairs.js";
import { CLUSTERS, type GroupClientKind, type OpenClient } from "./support/clients.js";

const TIMEOUT_MS = 5000;

describe.skipIf(missing("redis"))("on a real cluster", () => {
  let cluster: RedisCluster;
  let opened: OpenClient[] = [];
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasEach: 1, nodeTimeoutMs: 2000 });
  });
  afterEach(() => {
    for (const { close } of opened) close();
    opened = [];
  });
  afterAll(() => cluster.stop());

  async function open(
    kind: GroupClientKind,
    options: Partial<RedisStoreOptions> = {},
  ): Promise<RedisStore> {
    const client = await kind.open(cluster.ports);
    opened.push(client);
    return createRedisStore({ operationTimeoutMs: TIMEOUT_MS, ...options, client: client.client });
  }
  const openMany = (
    kind: GroupClientKind,
    count: number,
    options: Partial<RedisStoreOptions>,
  ): Promise<RedisStore[]> => Promise.all(Array.from({ length: count }, () => open(kind, options)));

  const create = (key: string) =>
    ({ key, expect: "absent", next: { value: "v", ttlMs: 60_000 } }) as const;
  const commands = async (): Promise<number> => {
    const infos = await Promise.all(
      cluster.ports.map((port) => redisCommand(port, "INFO", "commandstats")),
    );
    return infos.reduce<number>(
      (sum, info) => sum + Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(info))?.[1] ?? 0),
      0,
    );
  };

  describe.each(CLUSTERS)("with $name", (kind) => {
    test("keys of every slot are served, and what core writes together lies together", async () => {
      const store = await open(kind, { keyPrefix: `spread ${kind.name}` });
      const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`);
      for (const key of keys) {
        const write = { ...create(key), opId: newOpId() };
        expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: false });
        expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
        expect((await store.read(key)).entry?.value).toBe("v");
      }
      const balances = createRegister<number>({ store, name: "balances" });
      for (const id of ["a", "b{c}", "}{", "é", "x".repeat(900)]) {
        for (const requestId of ["r1", "{r2}", "r1"]) {
          expect(await balances.update(id, requestId, (value = 0) => value + 1)).toMatchObject({
            outcome: "updated",
          });
        }
        expect(await balances.get(id)).toMatchObject({ value: 2 });
      }
    });

    test("keys of several slots are refused before anything is sent", async () => {
      const store = await open(kind, { keyPrefix: `apart ${kind.name}` });
      const before = await commands();
      const apart = store.writeAll({ opId: newOpId(), writes: [create("a"), create("b")] });
      await expect(apart).rejects.toMatchObject({
        code: "crossSlot",
        name: "ArgumentError",
        message: expect.stringContaining("hash tag"),
      });
      const accounts = createUniqueInsert({ store, name: "accounts" });
      const keys = { email: "a@example.org", phone: "1" };
      await expect(accounts.insert({ keys, value: 1 })).rejects.toMatchObject({
        code: "crossSlot",
      });
      expect(await commands()).toBe(before);
      const tagged = createUniqueInsert({ store, name: "{accounts}" });
      expect(await tagged.insert({ keys, value: 1 })).toMatchObject({ outcome: "created" });
      expect(await tagged.insert({ keys: { ...keys, email: "b" }, value: 2 })).toMatchObject({
        outcome: "conflict",
        key: "phone",
      });
    });

    test("nothing is lost or doubled while a slot moves, and its scripts are flushed", async () => {
      const keyPrefix = `{moving ${kind.name}}`;
      const slot = hashSlot(`${keyPrefix}|`);
      const stores = await openMany(kind, 3, { keyPrefix });
      const [first] = stores;
      if (first === undefined) throw new Error("three were opened");
      const home = await cluster.ownerOf(slot);
      const away = cluster.masters.find((node) => node !== home) ?? home;
      // Two keys of one slot on two nodes: a script on both gets TRYAGAIN meanwhile.
      const fillers = Array.from({ length: 12 }, (_, index) => ({
        ...create(`filler ${index}`),
        opId: newOpId(),
      }));
      for (const filler of fillers) await first.write(filler);
      let moving = true;
      const moves = (async () => {
        for (const to of [away, home, away, home]) {
          await cluster.moveSlot(slot, to, 15);
          await redisCommand(to.port, "SCRIPT", "FLUSH");
        }
        moving = false;
      })();
      const logs: { key: string; log: AppendLog }[] = [];
      const pairs: Awaited<ReturnType<typeof appendPairs>>[] = [];
      do {
        const key = `list ${logs.length}`;
        const [log, pair] = await Promise.all([
          appendFromAll(stores, { key, each: 5 }).then((each) => ({ key, log: each })),
          appendPairs(stores, 4),
        ]);
        logs.push(log);
        pairs.push(pair);
      } while (moving);
      await moves;
      for (const { key, log } of logs) expect(await judgeAppends(first, key, log)).toEqual([]);
      const all = {
        applied: pairs.flatMap(({ applied }) => applied),
        refused: pairs.flatMap(({ refused }) => refused),
      };
      expect(all.applied.length).toBeGreaterThan(0);
      expect(await judgePairs(first, all)).toEqual([]);
    });
  });

  test.each(CLUSTERS.slice(0, 2))(
    "with $name a master's death loses nothing that a replica had acknowledged",
    async (kind) => {
      const keyPrefix = `{failing ${kind.name}}`;
      const slot = hashSlot(`${keyPrefix}|`);
      const stores = await openMany(kind, 4, {
        keyPrefix,
        ...{ waitReplicas: 1, waitReplicasMs: 200, operationTimeoutMs: 1000 },
      });
      const running = appendFromAll(stores, { key: "list", each: 25 });
      await sleep(100);
      const killed = await cluster.failOver(slot);
      // Until it is back, as a replica, nobody can acknowledge and every write is unknown.
      await killed.restart();
      const log = await running;
      expect(log.applied.size).toBeGreaterThan(0);
      const after = await open(kind, { keyPrefix });
      expect(await judgeAppends(after, "list", log)).toEqual([]);
    },
  );

  test("an order is paid once, whichever clients ask and whichever nodes they ask", async () => {
    const stores = await Promise.all(CLUSTERS.map((kind) => open(kind)));
    const definition = {
      initial: "open",
      events: { pay: { from: ["open"], to: "paid" } },
    } as const;
    const machines = stores.map((store) =>
      createStateMachine({ store, name: "orders", definition }),
    );
    await machines[0]?.create("order {1}", { requestId: "create" });
    const answers = await Promise.all(
      machines.flatMap((machine) =>
        ["a", "b", "a"].map((requestId) => machine.fire("order {1}", "pay", { requestId })),
      ),
    );
    const moved = answers.filter((answer) => answer.outcome === "moved");
    expect(moved.filter((answer) => !answer.replayed)).toHaveLength(1);
    // All sends of the request that paid, and none of the other.
    expect([4, 8]).toContain(moved.length);
  });
});
