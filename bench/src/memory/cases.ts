// What is measured: each algorithm over the memory store, beside a bare Map with a promise, the
// checker, and the simulated world. A case is a batch, since one operation is shorter than the
// clock's own cost.

import {
  createDedup,
  createFence,
  createLock,
  createMemoryStore,
  createRegister,
  createStateMachine,
  createTokens,
  createUniqueInsert,
} from "@onceproof/core";
import { checkerCases } from "./checker.js";
import { simulatorCases } from "./simulator.js";

/** Operations in one batch, where a case does not say. */
export const BATCH = 1_000;

/** A measured operation; `prepare` makes a fresh world, so that no batch inherits another's. */
export interface Case {
  readonly name: string;
  /** The goal on one core in microseconds per operation, if there is one. */
  readonly goalUs?: number;
  /** Operations in one batch, if they are long. */
  readonly batch?: number;
  readonly prepare: () => Promise<(index: number) => Promise<unknown>>;
}

const payload = { orderId: "order-17", amount: 100, currency: "EUR", items: ["a", "b"] };
const rich = { id: "r-1", at: new Date(0), total: 100n, items: new Map([["a", 1]]) };
const plain = { id: "r-1", amount: 100, items: ["a", "b"] };

function dedup() {
  return createDedup({ store: createMemoryStore(), name: "bench", onCrash: "park" });
}

function dedupCase(
  name: string,
  goalUs: number,
  value: unknown,
  options: { fingerprint?: unknown },
  replay: boolean,
): Case {
  return {
    name,
    goalUs,
    async prepare() {
      const subject = dedup();
      const handler = () => value;
      if (!replay) {
        return (index) => subject.run(`order-${index}`, handler, options);
      }
      await subject.run("order", handler, options);
      return () => subject.run("order", handler, options);
    },
  };
}

const order = {
  initial: "created",
  events: {
    pay: { from: ["created"], to: "paid" },
    reset: { from: ["paid"], to: "created" },
  },
} as const;

export const cases: readonly Case[] = [
  {
    name: "bare Map with a promise: first run",
    async prepare() {
      const seen = new Map<string, Promise<unknown>>();
      return (index) => {
        const key = `order-${index}`;
        const known = seen.get(key) ?? Promise.resolve(plain);
        seen.set(key, known);
        return known;
      };
    },
  },
  dedupCase("dedup: first run, fingerprint, rich value", 25, rich, { fingerprint: payload }, false),
  dedupCase("dedup: replay, fingerprint, rich value", 12, rich, { fingerprint: payload }, true),
  dedupCase("dedup: first run, plain value", 10, plain, {}, false),
  dedupCase("dedup: replay, plain value", 5, plain, {}, true),
  {
    name: "lock: acquire and release",
    async prepare() {
      const locks = createLock({ store: createMemoryStore(), name: "bench" });
      return async () => (await locks.acquire("resource")).release();
    },
  },
  {
    name: "fence: admit a newer token",
    async prepare() {
      const fence = createFence({ store: createMemoryStore(), name: "bench" });
      return (index) => fence.admit("resource", index + 1);
    },
  },
  {
    name: "tokens, stored: issue and consume",
    async prepare() {
      const tokens = createTokens({ store: createMemoryStore(), name: "bench" });
      return async () => tokens.consume(await tokens.issue("session"), "session");
    },
  },
  {
    name: "tokens, signed: issue and consume",
    async prepare() {
      const signing = [{ kid: "k1", secret: "s".repeat(32) }];
      const tokens = createTokens({ store: createMemoryStore(), name: "bench", signing });
      return async () => tokens.consume(await tokens.issue("session"), "session");
    },
  },
  {
    name: "state machine: fire with a request id",
    async prepare() {
      const store = createMemoryStore();
      const orders = createStateMachine({ store, name: "bench", definition: order });
      await orders.create("order");
      return (index) =>
        orders.fire("order", index % 2 === 0 ? "pay" : "reset", { requestId: `r-${index}` });
    },
  },
  {
    name: "register: update",
    async prepare() {
      const stock = createRegister<number>({ store: createMemoryStore(), name: "bench" });
      return (index) => stock.update("item", `r-${index}`, (count = 0) => count + 1);
    },
  },
  {
    name: "unique insert: two keys",
    async prepare() {
      const accounts = createUniqueInsert({ store: createMemoryStore(), name: "bench" });
      return (index) =>
        accounts.insert({ keys: { email: `e-${index}`, phone: `p-${index}` }, value: plain });
    },
  },
  ...checkerCases,
  ...simulatorCases,
];
