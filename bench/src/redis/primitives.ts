// What each primitive of the store costs a Redis server, beside a bare SET NX PX.

import type { Stamp, StampedWrite, WriteResult } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import { newOpId } from "@onceproof/test-servers";
import type { Redis } from "ioredis";
import type { Figure } from "../compare/comparison.js";
import { LEASE_MS } from "../compare/users.js";
import { executionUs } from "./server-account.js";

const VALUE = "x".repeat(40);
const COMMANDS = new Set(["EVALSHA", "SET"]);

/** Goals in microseconds of server time. */
const APPLIED_CREATE_US = 9;
const UNCHANGED_US = 7;

export async function measurePrimitives(admin: Redis): Promise<readonly Figure[]> {
  await admin.flushall();
  const store = createRedisStore({ client: admin, operationTimeoutMs: 20_000 });
  const stamps: Stamp[] = [];
  const figures: Figure[] = [];

  const kept = async (id: number, opId: string, sent: Promise<WriteResult>): Promise<void> => {
    const result = await sent;
    if (result.outcome === "applied") {
      stamps[id] = { revision: result.revision, opId };
    }
  };
  const next = { value: VALUE, ttlMs: LEASE_MS } as const;
  const create = (id: number, opId = newOpId()): Promise<void> =>
    kept(id, opId, store.write({ key: `k${id}`, opId, expect: "absent", next }));
  const stamped =
    (then: StampedWrite["next"], expect?: Stamp) =>
    (id: number): Promise<void> => {
      const opId = newOpId();
      const stamp = expect ?? stamps[id] ?? { revision: 0, opId };
      return kept(id, opId, store.write({ key: `k${id}`, opId, expect: stamp, next: then }));
    };
  const add = async (
    name: string,
    call: (id: number) => Promise<unknown>,
    goal?: number,
  ): Promise<void> => {
    const value = await executionUs(admin, COMMANDS, call);
    figures.push({ name, value, unit: "µs", ...(goal !== undefined && { goal }) });
  };

  // Loads the scripts.
  await store.read("warm");
  await add("bare SET NX PX", (id) => admin.set(`bare${id}`, VALUE, "PX", LEASE_MS, "NX"));
  await add("create, applied", (id) => create(id), APPLIED_CREATE_US);
  await add("create, refused", (id) => create(id), UNCHANGED_US);
  await add("create, replayed", (id) => create(id, stamps[id]?.opId), UNCHANGED_US);
  await add("read", (id) => store.read(`k${id}`), UNCHANGED_US);
  await add("replace, applied", stamped(next));
  await add("replace, refused", stamped(next, { revision: 1, opId: newOpId() }), UNCHANGED_US);
  await add("replace, ttl kept", stamped({ value: VALUE, ttlMs: "keep" }));
  await add("touch, applied", stamped({ touch: true, ttlMs: LEASE_MS }));
  await add("remove, applied", stamped("removed"));
  return figures;
}
