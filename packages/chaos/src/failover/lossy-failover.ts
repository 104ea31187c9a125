// A failover that loses acknowledged writes, on real servers: what docs/guarantees.md declares lost
// is lost, and what it says survives survives. Each line is what was seen, not what was expected.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createDedup,
  createLock,
  createRegister,
  createStateMachine,
  createTokens,
  createUniqueInsert,
} from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import { Redis } from "ioredis";
import { type Replicated, startReplicated } from "./replicated.js";

/** One sentence about the failover, and whether it came true. */
export interface Observation {
  readonly what: string;
  /** What docs/guarantees.md says of it. */
  readonly declared: "lost" | "holds";
  readonly seen: "lost" | "held";
  readonly detail: string;
}

export interface FailoverOptions {
  /** How far the promoted clock is behind the lost primary's; beyond 0 it needs a clock shim. */
  readonly behindMs: number;
}

const RECONNECT_MS = 20;
const ATTEMPTS = 20;
const LEASE_MS = 60_000;

/** Whether each sentence is as it was declared. */
export function asDeclared(observations: readonly Observation[]): boolean {
  return observations.every(({ declared, seen }) => (declared === "lost") === (seen === "lost"));
}

/** Loses acknowledged writes, and tells what that did to each guarantee. */
export async function lossyFailover({ behindMs }: FailoverOptions): Promise<Observation[]> {
  const servers = await startReplicated(behindMs);
  const client = new Redis(servers.port, "127.0.0.1", {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    retryStrategy: () => RECONNECT_MS,
  });
  client.on("error", () => {});
  try {
    return await observe(servers, client, behindMs);
  } finally {
    client.disconnect();
    await servers.stop();
  }
}

/** Sinks that outlive any failover: one counts, one dedups by key, one checks fencing tokens. */
function createSinks() {
  let effects = 0;
  let fence = 0;
  const done = new Set<string>();
  return {
    effect: (childKey: string) => {
      effects += 1;
      done.add(childKey);
    },
    /** True if the sink accepts a holder's use. */
    use(token: number): boolean {
      const accepted = token >= fence;
      fence = Math.max(fence, token);
      return accepted;
    },
    counts: () => ({ naive: effects, durable: done.size }),
  };
}

/** Resolves when the clients have found the new primary. */
async function whenBack(store: AtomicStore): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.read("is it back");
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await sleep(RECONNECT_MS);
    }
  }
}

function algorithms(store: AtomicStore) {
  const common = { store, name: "failover" };
  return {
    tokens: createTokens(common),
    dedup: createDedup({ ...common, onCrash: "park" }),
    lock: createLock({ ...common, leaseMs: LEASE_MS, waitMs: 0 }),
    register: createRegister<number>(common),
    orders: createStateMachine({
      ...common,
      definition: { initial: "new", events: { pay: { from: ["new"], to: "paid" } } },
    }),
    inserts: createUniqueInsert(common),
  };
}

async function observe(
  servers: Replicated,
  client: Redis,
  behindMs: number,
): Promise<Observation[]> {
  const store = createRedisStore({ client });
  const { tokens, dedup, lock, register, orders, inserts } = algorithms(store);
  const sinks = createSinks();
  const pay = (by: string) =>
    dedup.run("payment", (ctx) => {
      sinks.effect(ctx.childKey("charge"));
      return `receipt of ${by}`;
    });
  const withdraw = () => register.update("account", "withdrawal", (balance = 100) => balance - 30);
  const consume = (token: string, requestId: string) =>
    tokens.consume(token, "subject", { requestId });

  // What the replica has.
  const token = await tokens.issue("subject");
  const used = await tokens.issue("subject");
  await consume(used, "early");
  await dedup.run("early payment", () => "early receipt");
  await orders.create("order", { requestId: "create" });
  await servers.inStep();

  // What only the primary has: told as done, each of it.
  servers.stall();
  const first = {
    token: (await consume(token, "request a")).outcome,
    receipt: await pay("a"),
    lock: await lock.acquire("resource"),
    moved: (await orders.fire("order", "pay", { requestId: "pay" })).outcome,
    withdrawal: await withdraw(),
    inserted: (await inserts.insert({ keys: "number 1", value: "a", requestId: "a" })).outcome,
  };
  sinks.use(first.lock.token);
  const waiting = createRedisStore({ client, keyPrefix: "waits", waitReplicas: 1 });
  const next = { value: "v", ttlMs: "never" } as const;
  const opId = "waits-for-a-replicaAAA".slice(0, 22);
  const waited = await waiting.write({ key: "k", opId, expect: "absent", next });

  await servers.failOver();
  await whenBack(store);

  const order = await orders.get("order");
  const second = {
    token: (await consume(token, "request b")).outcome,
    receipt: await pay("b"),
    lock: await lock.acquire("resource"),
    withdrawal: await withdraw(),
    inserted: (await inserts.insert({ keys: "number 1", value: "b", requestId: "b" })).outcome,
  };
  const both = first.lock.held && second.lock.held;
  const newer = sinks.use(second.lock.token);
  const stale = sinks.use(first.lock.token);
  const released = await first.lock.release();
  const still = (await lock.tryAcquire("resource")).outcome;
  const { naive, durable } = sinks.counts();
  const early = [
    (await consume(used, "late")).outcome,
    await dedup.run("early payment", () => "another receipt"),
  ];
  const replayed = second.withdrawal.outcome === "updated" ? second.withdrawal.replayed : undefined;
  const ordered = second.lock.token > first.lock.token;

  const lost = (what: string, isLost: boolean, detail: string): Observation => {
    return { what, declared: "lost", seen: isLost ? "lost" : "held", detail };
  };
  const holds = (what: string, held: boolean, detail: string): Observation => {
    return { what, declared: "holds", seen: held ? "held" : "lost", detail };
  };
  const tokenOrder = `${first.lock.token} before, ${second.lock.token} after`;
  return [
    lost(
      "the single use of a token",
      first.token === "consumed" && second.token === "consumed",
      `request a was told ${first.token}, request b ${second.token}`,
    ),
    lost(
      "the uniqueness of a recorded outcome",
      first.receipt !== second.receipt && naive === 2,
      `${first.receipt}, then ${second.receipt}; ${naive} effects at a naive sink`,
    ),
    lost("mutual exclusion", both, `two holders at once: ${both}`),
    lost(
      "a move that was once told",
      first.moved === "moved" && order?.state === "new",
      `told ${first.moved}, then the order is ${order?.state}`,
    ),
    lost(
      "an update that was once told, which the same request makes again",
      replayed === false,
      `asked again it is told as ${replayed ? "replayed" : "new"}`,
    ),
    lost(
      "one value for a unique key",
      first.inserted === "created" && second.inserted === "created",
      `told ${first.inserted} twice`,
    ),
    behindMs > 0
      ? lost("token order, where the promoted clock is behind", !ordered, tokenOrder)
      : holds("token order, where the promoted clock is ahead", ordered, tokenOrder),
    holds(
      "an effect that a durable sink dedups by childKey happens once",
      durable === 1,
      `${durable} effect`,
    ),
    holds(
      "a sink that checks the token never accepts an older one after a newer one",
      behindMs > 0 ? !newer && stale : newer && !stale,
      `the new holder was ${newer ? "accepted" : "refused"}, the old one ${stale ? "accepted" : "refused"}`,
    ),
    holds(
      "a holder from before the failover does not release the lock of one from after it",
      released === "lost" && still === "held",
      `its release was ${released}, and the lock is ${still}`,
    ),
    holds(
      "what the replica had",
      early[0] === "used" && early[1] === "early receipt",
      early.join(", "),
    ),
    holds(
      "with waitReplicas, no write that a replica lacks is told as applied",
      waited.outcome === "unknown",
      `it was told ${waited.outcome}`,
    ),
  ];
}
