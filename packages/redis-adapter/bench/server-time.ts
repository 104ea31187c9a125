// What each primitive costs a Redis server, by its own account (commandstats): the median over many
// batches, since a batch in which the machine did something else says nothing.
//
//   npx tsx --tsconfig tsconfig.base.json packages/redis-adapter/bench/server-time.ts
import type { AtomicStore, Stamp, StampedWrite, WriteResult } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import { newOpId, startRedis } from "@onceproof/test-servers";
import { Redis } from "ioredis";

const BATCH = 200;
const BATCHES = 60;
const VALUE = "x".repeat(40);

await using server = await startRedis({ args: ["--appendonly", "no"] });
const client = new Redis(server.port, "127.0.0.1");
const store = createRedisStore({ client, operationTimeoutMs: 20_000 });
// Writes that tell no waiter.
const silent = createRedisStore({ client, operationTimeoutMs: 20_000, watch: false });
const stamps: Stamp[] = [];

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

async function measure(label: string, call: (id: number) => Promise<unknown>): Promise<void> {
  const costs: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await client.config("RESETSTAT");
    const ids = Array.from({ length: BATCH }, (_, id) => batch * BATCH + id);
    await Promise.all(ids.map((id) => call(id)));
    const stats = await client.info("commandstats");
    const of = (command: string) => new RegExp(`cmdstat_${command}:calls=\\d+,usec=(\\d+)`);
    const us = (of("evalsha").exec(stats) ?? of("set").exec(stats))?.[1];
    costs.push(Number(us) / BATCH);
  }
  console.log(`${label.padEnd(22)} ${median(costs).toFixed(1).padStart(5)} µs`);
}

async function kept(id: number, opId: string, sent: Promise<WriteResult>): Promise<void> {
  const result = await sent;
  if (result.outcome === "applied") stamps[id] = { revision: result.revision, opId };
}

const next = { value: VALUE, ttlMs: 30_000 } as const;
const create = (id: number, opId = newOpId()) =>
  kept(id, opId, store.write({ key: `k${id}`, opId, expect: "absent", next }));
const stamped =
  (then: StampedWrite["next"], by: AtomicStore = store) =>
  (id: number) => {
    const opId = newOpId();
    const expected = stamps[id] ?? { revision: 0, opId };
    return kept(id, opId, by.write({ key: `k${id}`, opId, expect: expected, next: then }));
  };
const other = { revision: 1, opId: newOpId() };

await measure("SET NX PX", (id) => client.set(`raw${id}`, VALUE, "PX", 30_000, "NX"));
await measure("create, applied", create);
await measure("create, refused", (id) => create(id));
await measure("create, replayed", (id) => create(id, stamps[id]?.opId));
await measure("read", (id) => store.read(`k${id}`));
await measure("replace, applied", stamped(next));
await measure("replace, untold", stamped(next, silent));
await measure("replace, refused", (id) =>
  store.write({ key: `k${id}`, opId: newOpId(), expect: other, next }),
);
await measure("replace, kept ttl", stamped({ value: VALUE, ttlMs: "keep" }));
await measure("touch, applied", stamped({ touch: true, ttlMs: 30_000 }));
console.log(`memory of an entry     ${await client.memory("USAGE", "onceproof|k1")} bytes`);
await measure("remove, applied", stamped("removed"));
console.log(`memory of a tombstone  ${await client.memory("USAGE", "onceproof|k1")} bytes`);
client.disconnect();
