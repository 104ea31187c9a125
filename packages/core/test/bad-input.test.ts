// Bad arguments of the lock, the fence and tokens: each is a TypeError with a stable code, thrown
// before anything is sent. What is wrong with the store itself is told by its own code.

import {
  createFence,
  createLock,
  createTokens,
  type FenceOptions,
  type LockOptions,
  type RunnableTokensOptions,
} from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { codeOf, createStoreWorld, errorOf, type StoreWorld } from "./support/store-world.ts";

const SIGNING = [{ kid: "k1", secret: "a secret of at least 32 characters" }];

/** Values that cannot be a key, a name, a subject, a resource or a request id. */
const BAD_KEYS: [string, unknown, string][] = [
  ["empty", "", "keyEmpty"],
  ["over-long", "k".repeat(1_025), "keyTooLong"],
  ["a lone high surrogate", "a\ud800", "keyNotWellFormed"],
  ["a lone low surrogate", "\udc00a", "keyNotWellFormed"],
  ["undefined", undefined, "keyNotString"],
  ["null", null, "keyNotString"],
  ["a number", 7, "keyNotString"],
  ["a symbol", Symbol("k"), "keyNotString"],
  ["a String object", Object("k"), "keyNotString"],
  ["a list", ["k"], "keyNotString"],
  ["an object without a prototype", Object.create(null), "keyNotString"],
];

const BAD_DURATIONS: [string, unknown][] = [
  ["NaN", Number.NaN],
  ["negative", -1],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["unsafe", Number.MAX_SAFE_INTEGER],
  ["text", "1000"],
  ["null", null],
  ["a bigint", 1_000n],
  ["an object without a prototype", Object.create(null)],
];

type Call = (world: StoreWorld, bad: never) => Promise<unknown>;

/** Expects a TypeError with this code, and no call. */
async function refused(call: (world: StoreWorld) => Promise<unknown>, code: string): Promise<void> {
  const world = createStoreWorld();
  const error = await errorOf(call(world));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ name: "ArgumentError", code });
  expect(world.counter.counts().total).toBe(0);
  expect(world.events).toEqual([]);
}

const lock = (world: StoreWorld, options: Partial<LockOptions> = {}) =>
  createLock({ ...world.base, ...options });
const fence = (world: StoreWorld, options: Partial<FenceOptions> = {}) =>
  createFence({ ...world.base, ...options });
const tokens = (world: StoreWorld, options: Partial<RunnableTokensOptions> = {}) =>
  createTokens({ ...world.base, onCrash: "park", ...options });

describe.each<[string, Call]>([
  ["the resource of acquire", (world, bad) => lock(world).acquire(bad)],
  ["the resource of tryAcquire", (world, bad) => lock(world).tryAcquire(bad)],
  ["the resource of a lock's run", (world, bad) => lock(world).run(bad, () => 1)],
  ["the resource of admit", (world, bad) => fence(world).admit(bad, 1)],
  ["the subject of issue", (world, bad) => tokens(world).issue(bad)],
  ["the subject of issue, signed", (world, bad) => tokens(world, { signing: SIGNING }).issue(bad)],
  ["the subject of consume", (world, bad) => tokens(world).consume("t", bad)],
  ["the subject of a token's run", (world, bad) => tokens(world).run("t", bad, () => 1)],
  ["the name of a lock", async (world, bad) => lock(world, { name: bad })],
  ["the name of a fence", async (world, bad) => fence(world, { name: bad })],
  ["the name of tokens", async (world, bad) => tokens(world, { name: bad })],
])("%s", (_, call) => {
  test.each(BAD_KEYS)("refuses what is %s", async (_, bad, code) => {
    await refused((world) => call(world, bad as never), code);
  });
});

describe("the requestId of consume", () => {
  // Left out it is a request of its own.
  test.each(BAD_KEYS.filter(([, bad]) => bad !== undefined))(
    "refuses what is %s",
    async (_, bad, code) => {
      await refused(
        (world) => tokens(world).consume("t", "alice", { requestId: bad as string }),
        code,
      );
    },
  );
});

describe.each<[string, Call]>([
  ["waitMs of acquire", (world, waitMs) => lock(world).acquire("r", { waitMs })],
  ["waitMs of a lock's run", (world, waitMs) => lock(world).run("r", () => 1, { waitMs })],
  ["waitMs of a token's run", (world, waitMs) => tokens(world).run("t", "a", () => 1, { waitMs })],
  ["leaseMs of a lock", async (world, leaseMs) => lock(world, { leaseMs })],
  ["marginMs of a lock", async (world, marginMs) => lock(world, { marginMs })],
  ["waitMs of a lock", async (world, waitMs) => lock(world, { waitMs })],
  ["settleMs of a lock", async (world, settleMs) => lock(world, { settleMs })],
  ["settleMs of a fence", async (world, settleMs) => fence(world, { settleMs })],
  ["tokenMs of tokens", async (world, tokenMs) => tokens(world, { tokenMs })],
  ["retentionMs of tokens", async (world, retentionMs) => tokens(world, { retentionMs })],
  ["settleMs of tokens", async (world, settleMs) => tokens(world, { settleMs })],
  ["leaseMs of tokens", async (world, leaseMs) => tokens(world, { leaseMs })],
  ["waitMs of tokens", async (world, waitMs) => tokens(world, { waitMs })],
])("%s", (what, call) => {
  test.each(BAD_DURATIONS)("refuses what is %s", async (_, bad) => {
    // A margin that is a number of milliseconds may still be too long for the lease.
    const code =
      what === "marginMs of a lock" && bad === 2 ** 53 ? "optionInvalid" : "durationInvalid";
    await refused((world) => call(world, bad as never), code);
  });
});

describe.each<[string, string, (world: StoreWorld) => Promise<unknown>]>([
  ["a lease of 0", "durationInvalid", async (world) => lock(world, { leaseMs: 0 })],
  [
    "a margin as long as the lease",
    "optionInvalid",
    async (world) => lock(world, { leaseMs: 100, marginMs: 100 }),
  ],
  [
    "a default lease within the margin",
    "optionInvalid",
    async (world) => lock(world, { marginMs: 30_000 }),
  ],
  [
    "tokens that outlive what is remembered of them",
    "leaseExceedsRetention",
    async (world) => tokens(world, { tokenMs: 1_001, retentionMs: 1_000, leaseMs: 10 }),
  ],
  [
    "a run whose lease outlives the retention",
    "leaseExceedsRetention",
    async (world) => tokens(world, { tokenMs: 1_000, retentionMs: 1_000, leaseMs: 1_001 }),
  ],
  ["no callback", "optionInvalid", (world) => lock(world).run("r", undefined as never)],
  ["a callback that is none", "optionInvalid", (world) => lock(world).run("r", {} as never)],
  ["a handler that is none", "optionInvalid", (world) => tokens(world).run("t", "a", "f" as never)],
  ["a token that is no text", "keyNotString", (world) => tokens(world).consume(7 as never, "a")],
  ["no token", "keyNotString", (world) => tokens(world).consume(undefined as never, "a")],
  [
    "an onCrash that is none",
    "optionInvalid",
    async (world) => tokens(world, { onCrash: "retry" as never }),
  ],
  [
    "a classify that is no function",
    "optionInvalid",
    async (world) => tokens(world, { classify: "final" as never }),
  ],
  ["an onEvent of a lock", "optionInvalid", async (world) => lock(world, { onEvent: 1 as never })],
  [
    "an onEvent of a fence",
    "optionInvalid",
    async (world) => fence(world, { onEvent: {} as never }),
  ],
  ["no options of a lock", "optionInvalid", async () => createLock(undefined as never)],
  ["no options of a fence", "optionInvalid", async () => createFence(null as never)],
  ["no options of tokens", "optionInvalid", async () => createTokens(undefined as never)],
  ["no store", "optionInvalid", async () => createLock({ name: "n" } as never)],
  [
    "a Map as the store",
    "optionInvalid",
    async (world) => lock(world, { store: new Map() as never }),
  ],
  [
    "a signal that is none",
    "optionInvalid",
    (world) => lock(world).acquire("r", { signal: {} as never }),
  ],
  [
    "a signal of admit that is none",
    "optionInvalid",
    (world) => fence(world).admit("r", 1, { signal: "abort" as never }),
  ],
])("%s", (_, code, call) => {
  test(`is ${code}`, async () => {
    await refused(call, code);
  });
});

describe("a fencing token", () => {
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "5", 5n, null, undefined])(
    "of %s is refused",
    async (token) => {
      await refused((world) => fence(world).admit("r", token as never), "optionInvalid");
    },
  );

  test("of an object without a prototype is refused", async () => {
    await refused((world) => fence(world).admit("r", Object.create(null)), "optionInvalid");
  });
});

describe("an aborted signal", () => {
  const signal = AbortSignal.abort("why");
  test.each<[string, (world: StoreWorld) => Promise<unknown>]>([
    ["acquire", (world) => lock(world).acquire("r", { signal })],
    ["tryAcquire", (world) => lock(world).tryAcquire("r", { signal })],
    ["a lock's run", (world) => lock(world).run("r", () => 1, { signal })],
    ["admit", (world) => fence(world).admit("r", 1, { signal })],
    ["a token's run", (world) => tokens(world).run("t", "a", () => 1, { signal })],
  ])("of %s is told, and nothing is sent", async (_, call) => {
    const world = createStoreWorld();
    expect(await errorOf(call(world))).toMatchObject({ code: "aborted", cause: "why" });
    expect(world.counter.counts().total).toBe(0);
  });
});

describe("a closed store", () => {
  test.each<[string, (world: StoreWorld) => Promise<unknown>]>([
    ["acquire", (world) => lock(world).acquire("r")],
    ["tryAcquire", (world) => lock(world).tryAcquire("r")],
    ["a lock's run", (world) => lock(world).run("r", () => 1)],
    ["admit", (world) => fence(world).admit("r", 1)],
    ["issue", (world) => tokens(world).issue("a")],
    ["consume", (world) => tokens(world).consume(`${"A".repeat(22)}.1`, "a")],
    ["a token's run", (world) => tokens(world).run(`${"A".repeat(22)}.1`, "a", () => 1)],
  ])("is told by %s", async (_, call) => {
    const world = createStoreWorld();
    await world.base.store.close();
    expect(await codeOf(call(world))).toBe("closed");
  });
});

test("the longest key, with characters of every kind, is taken", async () => {
  const world = createStoreWorld();
  const longest = `${"k".repeat(1_000)} \u0000\n'"{}:%é😀`.padEnd(1_024, "ß");
  expect(longest).toHaveLength(1_024);
  expect(await lock(world).tryAcquire(longest)).toMatchObject({ outcome: "acquired" });
  expect(await fence(world).admit(longest, 1)).toEqual({ outcome: "admitted" });
  const token = await tokens(world).issue(longest);
  expect(await tokens(world).consume(token, longest, { requestId: longest })).toMatchObject({
    outcome: "consumed",
  });
});
