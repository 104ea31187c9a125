import { createUniqueInsert, type KeySet, type UniqueInsert } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { describe, expect, expectTypeOf, test } from "vitest";
import { hideWriteAll } from "./support/chaos.ts";
import { BAD_KEYS, BAD_VALUES, codeOf, createEntityWorld } from "./support/entity-world.ts";

interface User {
  readonly name: string;
}
const ada: User = { name: "Ada" };
const bob: User = { name: "Bob" };

function createUsers() {
  const world = createEntityWorld(true);
  const users = createUniqueInsert<User>(world.common);
  return { ...world, users };
}

describe("one key", () => {
  test("the first value under a key stays, and others are told", async () => {
    const { users, run } = createUsers();
    expect(await run(users.insert({ keys: "a@x", value: ada }))).toEqual({
      outcome: "created",
      value: ada,
    });
    const same = await run(users.insert({ keys: "a@x", value: { name: "Ada" } }));
    expect(same).toMatchObject({ outcome: "exists", value: ada });
    const other = await run(users.insert({ keys: "a@x", value: bob }));
    expect(other).toEqual({ outcome: "conflict", key: "key" });
    expect(await run(users.get("a@x"))).toEqual({ value: ada, keys: { key: "a@x" } });
    expect(await run(users.get("b@x"))).toBeUndefined();
  });

  test("a request that asks again is told replayed, with what it inserted then", async () => {
    const { users, run } = createUsers();
    await run(users.insert({ keys: "a@x", value: ada, requestId: "r" }));
    const again = await run(users.insert({ keys: "a@x", value: bob, requestId: "r" }));
    expect(again).toEqual({ outcome: "replayed", value: ada });
    const another = await run(users.insert({ keys: "a@x", value: ada, requestId: "s" }));
    expect(another).toMatchObject({ outcome: "exists", value: ada });
  });

  test.each([{}, { requestId: "r" }])("a lost reply is found out: created, %o", async (request) => {
    const { users, run, inject, cost } = createUsers();
    inject({ fault: "dropReply" });
    const insert = { keys: "a@x", value: ada, ...request };
    expect(await run(users.insert(insert))).toEqual({ outcome: "created", value: ada });
    inject({ fault: "duplicate", afterMs: 5_000 });
    expect(await cost(() => users.insert({ ...insert, keys: "b@x" }))).toBe(1);
  });

  test("without any answer it is indeterminate, and the same request finds out", async () => {
    const { common, run, inject } = createUsers();
    const hasty = createUniqueInsert<User>({ ...common, settleMs: 1 });
    const insert = { keys: "a@x", value: ada, requestId: "r" };
    inject({ fault: "deliverLate", afterMs: 3_000 });
    const first = await run(hasty.insert(insert));
    expect(first).toMatchObject({ outcome: "indeterminate", cause: expect.any(Error) });
    expect((await run(hasty.insert(insert))).outcome).toBe("created");
    expect((await run(hasty.insert(insert))).outcome).toBe("replayed");
  });

  test("a store that cannot be reached: the call throws, and nothing was inserted", async () => {
    const { users, run, inject } = createUsers();
    inject({ fault: "unavailable" });
    expect(await codeOf(() => run(users.insert({ keys: "a", value: ada })))).toBe("unavailable");
    expect(await run(users.get("a"))).toBeUndefined();
  });

  test("of many at once one creates", async () => {
    const { users, run } = createUsers();
    const inserts = Array.from({ length: 50 }, (_, index) =>
      users.insert({ keys: "a@x", value: { name: `user ${index}` } }),
    );
    const outcomes = (await run(Promise.all(inserts))).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "created").length).toBe(1);
    expect(outcomes.filter((outcome) => outcome === "conflict").length).toBe(49);
  });

  test.each<readonly [what: string, one: unknown, other: unknown, outcome: string]>([
    ["key order does not matter", { a: 1, b: 2 }, { b: 2, a: 1 }, "exists"],
    ["a date is not its text", new Date(0), new Date(0).toJSON(), "conflict"],
    ["equal dates are the same", new Date(0), new Date(0), "exists"],
    ["a bigint is not a number", 1n, 1, "conflict"],
    [
      "a map's order does not matter",
      new Map([
        [1, 2],
        [3, 4],
      ]),
      new Map([
        [3, 4],
        [1, 2],
      ]),
      "exists",
    ],
    ["undefined is a value", undefined, null, "conflict"],
    ["undefined is itself", undefined, undefined, "exists"],
    ["zero is not minus zero", 0, -0, "conflict"],
    ["bytes are compared", new Uint8Array([1, 2]), new Uint8Array([1, 3]), "conflict"],
  ])("%s", async (_, one, other, outcome) => {
    const { common, run } = createEntityWorld(true);
    const inserts = createUniqueInsert(common);
    await run(inserts.insert({ keys: "k", value: one }));
    expect(await run(inserts.get("k"))).toStrictEqual({ value: one, keys: { key: "k" } });
    expect((await run(inserts.insert({ keys: "k", value: other }))).outcome).toBe(outcome);
  });
});

describe("several keys", () => {
  const keys = { email: "a@x", phone: "+1" };

  test("all keys or none, and the conflict names the key", async () => {
    const { users, run } = createUsers();
    await run(users.insert({ keys, value: ada }));
    const taken = await run(users.insert({ keys: { email: "b@x", phone: "+1" }, value: bob }));
    expect(taken).toEqual({ outcome: "conflict", key: "phone" });
    expect(await run(users.get({ email: "b@x" }))).toBeUndefined();
    expect(await run(users.get({ phone: "+1" }))).toEqual({ value: ada, keys });
    expect(await run(users.get({ email: "+1" }))).toBeUndefined();
  });

  test("the order of the keys does not matter, their set does", async () => {
    const { users, run } = createUsers();
    await run(users.insert({ keys, value: ada, requestId: "r" }));
    const turned = { phone: "+1", email: "a@x" };
    expect((await run(users.insert({ keys: turned, value: ada }))).outcome).toBe("exists");
    const fewer = { email: "a@x" };
    expect((await run(users.insert({ keys: fewer, value: ada }))).outcome).toBe("conflict");
    const same = await run(users.insert({ keys: fewer, value: ada, requestId: "r" }));
    expect(same).toEqual({ outcome: "conflict", key: "email" });
  });

  test("insert 1, whatever comes of it, and get 1", async () => {
    const { users, counter, cost } = createUsers();
    expect(await cost(() => users.insert({ keys, value: ada, requestId: "r" }))).toBe(1);
    expect(counter.counts()).toMatchObject({ read: 0, write: 0, writeAll: 1 });
    expect(await cost(() => users.insert({ keys, value: ada, requestId: "r" }))).toBe(1);
    expect(await cost(() => users.insert({ keys, value: ada }))).toBe(1);
    expect(await cost(() => users.insert({ keys, value: bob }))).toBe(1);
    expect(await cost(() => users.insert({ keys: "sole", value: bob }))).toBe(1);
    expect(await cost(() => users.get({ phone: "+1" }))).toBe(1);
    expect(counter.counts()).toMatchObject({ read: 1, write: 1, writeAll: 4 });
  });

  test("a lost reply is found out, and a late duplicate changes nothing", async () => {
    const { users, run, inject, runtime } = createUsers();
    inject({ fault: "dropReply" }, { fault: "duplicate", afterMs: 60_000 });
    expect(await run(users.insert({ keys, value: ada }))).toEqual({
      outcome: "created",
      value: ada,
    });
    await runtime.advance(120_000);
    expect(await run(users.get({ email: "a@x" }))).toEqual({ value: ada, keys });
  });

  test("they need a store with writeAll", async () => {
    const { common, store, counter } = createEntityWorld(true);
    const plain: AtomicStore = hideWriteAll(store);
    const single = createUniqueInsert<User>({ ...common, store: plain });
    const several = createUniqueInsert<User>(common);
    expectTypeOf(single).toEqualTypeOf<UniqueInsert<User, string>>();
    expectTypeOf(several).toEqualTypeOf<UniqueInsert<User, string | KeySet>>();
    // @ts-expect-error: a plain store takes one key
    const misuse = () => single.insert({ keys, value: ada });
    expect(await codeOf(misuse)).toBe("optionInvalid");
    expect(counter.counts().total).toBe(0);
  });
});

test("events tell what happened, and no key in the clear", async () => {
  const { users, run, events } = createUsers();
  await run(users.insert({ keys: "secret", value: ada, requestId: "r" }));
  await run(users.insert({ keys: "secret", value: ada, requestId: "r" }));
  await run(users.insert({ keys: "secret", value: ada }));
  await run(users.insert({ keys: "secret", value: bob }));
  const types = events.map((event) => (event.type === "refused" ? event.reason : event.type));
  expect(types).toEqual(["created", "replayed", "exists", "conflict"]);
  expect(JSON.stringify(events)).not.toContain("secret");
});

describe("bad input is refused before anything is sent", () => {
  const { users, counter, common } = createUsers();
  const insert = (more: object) => () => users.insert({ keys: "k", value: ada, ...more });
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, "v"]));

  test.each<readonly [what: string, call: () => Promise<unknown>, code: string]>([
    ...BAD_KEYS.flatMap(([what, key, code]): [string, () => Promise<unknown>, string][] => [
      [`a key that is ${what}`, insert({ keys: key }), code],
      [`one of two keys that is ${what}`, insert({ keys: { email: key, phone: "1" } }), code],
      [`a requestId that is ${what}`, insert({ requestId: key }), code],
      [`get: a key that is ${what}`, () => users.get(key as string), code],
    ]),
    ...BAD_VALUES.map(([what, value, code]): [string, () => Promise<unknown>, string] => [
      `a value that is ${what}`,
      insert({ value }),
      code,
    ]),
    ["no keys", insert({ keys: {} }), "optionInvalid"],
    ["a key without a name", insert({ keys: { "": "k" } }), "keyEmpty"],
    ["too many keys", insert({ keys: many }), "optionInvalid"],
    ["an aborted signal", insert({ signal: AbortSignal.abort() }), "aborted"],
    ["get: two keys", () => users.get({ email: "a", phone: "b" }), "optionInvalid"],
  ])("%s", async (_, call, code) => {
    expect(await codeOf(call)).toBe(code);
    expect(counter.counts().total).toBe(0);
  });

  test("a factory without store or name", async () => {
    const create = (more: object) => async () =>
      createUniqueInsert({ ...common, ...more } as never);
    expect(await codeOf(create({ store: {} }))).toBe("optionInvalid");
    expect(await codeOf(create({ name: "" }))).toBe("keyEmpty");
  });

  test("a closed store", async () => {
    const world = createUsers();
    await world.store.close();
    expect(await codeOf(() => world.users.insert({ keys: "k", value: ada }))).toBe("closed");
  });

  test("the largest value that fits is inserted", async () => {
    const world = createUsers();
    const value = { name: "x".repeat(2 ** 20 - 200) };
    expect(await world.run(world.users.insert({ keys: "k", value }))).toEqual({
      outcome: "created",
      value,
    });
  });
});
