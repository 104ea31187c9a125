// Functions that decide within one step of the store have to be synchronous. An async one is
// refused, and its promise is left to nobody.

import {
  ArgumentError,
  createMemoryStore,
  createRegister,
  createStateMachine,
} from "@onceproof/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEntityWorld, MODES } from "./support/entity-world.ts";
import { errorOf } from "./support/store-world.ts";

const unhandled: unknown[] = [];
const collect = (reason: unknown): void => {
  unhandled.push(reason);
};
const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", collect);
});
afterEach(() => {
  process.off("unhandledRejection", collect);
});

const ASYNC: readonly (readonly [what: string, fn: () => Promise<unknown>])[] = [
  ["rejects", () => Promise.reject(new Error("boom"))],
  ["throws", async () => Promise.reject(new Error("boom"))],
  ["rejects later", () => macrotask().then(() => Promise.reject(new Error("boom")))],
  ["fulfils", async () => 1],
];

/** The call is refused for its async function, and nothing is left to reject unnoticed. */
async function expectRefused(call: Promise<unknown>): Promise<void> {
  const error = await errorOf(call);
  await macrotask();
  await macrotask();
  expect(error).toBeInstanceOf(ArgumentError);
  expect(error).toMatchObject({ code: "optionInvalid" });
  expect((error as Error).message).toMatch(/synchronous/);
  expect(unhandled).toEqual([]);
}

const definition = {
  initial: "created",
  events: { pay: { from: ["created"], to: "paid" } },
} as const;

describe.each(ASYNC)("an async function that %s is refused", (_, fn) => {
  test.each(MODES)("by a register's update, $mode", async ({ multi }) => {
    const w = createEntityWorld(multi);
    const register = createRegister<unknown>(w.common);
    await expectRefused(w.run(register.update("a", "r", fn)));
    expect(w.counter.counts()).toMatchObject({ write: 0, writeAll: 0 });
    expect(await w.run(register.get("a"))).toMatchObject({ exists: false });
    const after = await w.run(register.update("a", "r", () => 1));
    expect(after).toMatchObject({ outcome: "updated", value: 1, replayed: false });
  });

  test.each(MODES)("as the data of an event, $mode", async ({ multi }) => {
    const w = createEntityWorld(multi);
    const orders = createStateMachine({ ...w.common, definition, data: 0 as unknown });
    await w.run(orders.create("o"));
    w.counter.reset();
    await expectRefused(w.run(orders.fire("o", "pay", { requestId: "r", data: fn })));
    expect(w.counter.counts()).toMatchObject({ write: 0, writeAll: 0 });
    expect(await w.run(orders.get("o"))).toMatchObject({ state: "created", data: 0 });
  });

  test("by onCommit of a transaction", async () => {
    const store = createMemoryStore();
    const transaction = store.transaction(async (tx) => {
      const next = { value: "v", ttlMs: "never" } as const;
      const opId = "AAAAAAAAAAAAAAAAAAAAAA";
      await store.bind(tx).write({ key: "k", opId, expect: "absent", next });
      tx.onCommit(fn as () => void);
    });
    await expectRefused(transaction);
    expect(store.size).toBe(0);
    expect((await store.read("k")).entry).toBeUndefined();
  });
});
