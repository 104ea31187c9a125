import { createRegister, type Register, type RegisterOptions } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { describe, expect, expectTypeOf, test } from "vitest";
import { hideWriteAll } from "./support/chaos.ts";
import {
  BAD_KEYS,
  BAD_VALUES,
  codeOf,
  createEntityWorld,
  interfere,
  MODES,
} from "./support/entity-world.ts";
import { createStoreWorld } from "./support/store-world.ts";

function createStock(multi: boolean, options: Partial<RegisterOptions> = {}) {
  const world = createEntityWorld(multi);
  const { direct } = world.faulty;
  const pure = multi ? direct : (hideWriteAll(direct) as MultiKeyStore);
  const over = (more: Partial<RegisterOptions> = {}): Register<number> =>
    createRegister<number>({ ...world.common, ...options, ...more });
  /** Another process, whose network works. */
  const other = over({ store: pure });
  const value = async (): Promise<number | undefined> => (await other.get("sku")).value;
  return { ...world, over, stock: over(), other, pure, value };
}

const buy = (left = 2, { refuse }: { refuse(reason: string): never | object }) =>
  (left > 0 ? left - 1 : refuse("sold out")) as number;
const add = (value = 0): number => value + 1;

describe.each(MODES)("$mode", ({ multi }) => {
  test("units are sold once per request, until none is left", async () => {
    const { stock, run, value } = createStock(multi);
    const first = await run(stock.update("sku", "r1", buy));
    expect(first).toEqual({ outcome: "updated", value: 1, replayed: false });
    const again = await run(stock.update("sku", "r1", buy));
    expect(again).toEqual({ outcome: "updated", value: 1, replayed: true });
    await run(stock.update("sku", "r2", buy));
    const third = await run(stock.update("sku", "r3", buy));
    expect(third).toEqual({ outcome: "refused", reason: "sold out", replayed: false });
    expect(await value()).toBe(0);
  });

  test("a refusal is replayed, although there is stock again", async () => {
    const { stock, run, value } = createStock(multi);
    await run(stock.update("sku", "set", () => 0));
    await run(stock.update("sku", "r", buy));
    await run(stock.update("sku", "restock", () => 5));
    const again = await run(stock.update("sku", "r", buy));
    expect(again).toEqual({ outcome: "refused", reason: "sold out", replayed: true });
    expect(await value()).toBe(5);
  });

  test("an absent key is undefined to fn; a refusal about it is recorded and leaves it absent", async () => {
    const { stock, run } = createStock(multi);
    const seen: unknown[] = [];
    const pick = (value: number | undefined, { refuse }: { refuse(reason: string): unknown }) => {
      seen.push(value);
      return refuse("no account") as number;
    };
    expect(await run(stock.get("sku"))).toMatchObject({ exists: false, value: undefined });
    await run(stock.update("sku", "r", pick));
    expect(seen).toEqual([undefined]);
    expect(await run(stock.get("sku"))).toMatchObject({ exists: false, value: undefined });
    await run(stock.update("sku", "r2", () => 3));
    expect(await run(stock.update("sku", "r", pick))).toMatchObject({ replayed: true });
  });

  test("2 per round, from a snapshot 1, a repeated request at most 2, get 1", async () => {
    const { stock, run, cost } = createStock(multi);
    expect(await cost(() => stock.update("sku", "r1", add))).toBe(2);
    expect(await cost(() => stock.update("sku", "r2", add))).toBe(2);
    expect(await cost(() => stock.update("sku", "r2", add))).toBe(multi ? 2 : 1);
    expect(await cost(() => stock.get("sku"))).toBe(1);
    const snapshot = await run(stock.get("sku"));
    expect(await cost(() => stock.update(snapshot, "r3", add))).toBe(1);
    expect(await cost(() => stock.update(snapshot, "r3", add))).toBe(1);
    expect(await cost(() => stock.update(snapshot, "r4", add))).toBe(2);
    const refusal = () => stock.update("sku", "r5", (_, { refuse }) => refuse("no"));
    expect(await cost(refusal)).toBe(2);
  });

  test("two writers in step: the loser's second round costs one call", async () => {
    const { over, other, pure, run } = createStock(multi);
    let once = true;
    let calls = 0;
    const busy = interfere(pure, async () => {
      calls += 1;
      if (once) {
        once = false;
        await other.update("sku", "theirs", add);
      }
    });
    const updated = await run(over({ store: busy }).update("sku", "mine", add));
    expect(updated).toMatchObject({ outcome: "updated", value: 2 });
    expect(calls).toBe(2);
  });

  test("starvation is bounded and reported", async () => {
    const { over, other, pure, run, events, value } = createStock(multi);
    let round = 0;
    const busy = interfere(pure, () => other.update("sku", `theirs-${round++}`, add));
    const starved = await run(over({ store: busy, maxRounds: 5 }).update("sku", "mine", add));
    expect(starved).toEqual({ outcome: "contended", rounds: 5 });
    expect(events.at(-1)).toMatchObject({ algorithm: "register", type: "contended", rounds: 5 });
    expect(await value()).toBe(5);
  });

  test("1,000 buyers at once of 100 units: 100 are sold", async () => {
    const { over, pure, run, runtime, value } = createStock(multi);
    const stock = over({ store: pure });
    await stock.update("sku", "restock", () => 100);
    const buyers = Array.from({ length: 1_000 }, async (_, buyer) => {
      await runtime.sleep(buyer % 10);
      return stock.update("sku", `buyer-${buyer}`, buy);
    });
    const outcomes = (await run(Promise.all(buyers))).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "updated").length).toBe(100);
    expect(outcomes.filter((outcome) => outcome === "refused").length).toBe(900);
    expect(await value()).toBe(0);
  });

  test("a lost reply takes effect once, also if others have written since", async () => {
    const { stock, other, run, inject, runtime, value } = createStock(multi);
    const snapshot = await run(stock.update("sku", "r0", add).then(() => stock.get("sku")));
    inject({ fault: "dropReply" });
    const updating = stock.update(snapshot, "r", add);
    const meanwhile = runtime.sleep(1_000).then(() => other.update("sku", "theirs", add));
    const [updated] = await run(Promise.all([updating, meanwhile]));
    expect(updated).toMatchObject({ outcome: "updated", value: 2 });
    expect(await value()).toBe(3);
  });

  test("without any answer it is indeterminate, and the same request finds out", async () => {
    const { stock, over, run, inject, value } = createStock(multi);
    const snapshot = await run(stock.update("sku", "r0", add).then(() => stock.get("sku")));
    inject({ fault: "dropReply" });
    const hasty = await run(over({ settleMs: 1 }).update(snapshot, "r", add));
    expect(hasty).toMatchObject({ outcome: "indeterminate", cause: expect.any(Error) });
    const again = await run(stock.update(snapshot, "r", add));
    expect(again).toEqual({ outcome: "updated", value: 2, replayed: true });
    expect(await value()).toBe(2);
  });

  test("the kept snapshot of a forgotten request is expired, also one of an absent key", async () => {
    const options = { requestWindow: 1, retentionMs: 60_000 };
    const { stock, run, runtime, value } = createStock(multi, options);
    const absent = await run(stock.get("sku"));
    await run(stock.update(absent, "r", add));
    await run(stock.update("sku", "s", add));
    await runtime.advance(multi ? 3_600_000 : 0);
    expect(await run(stock.update(absent, "r", add))).toEqual({ outcome: "expired" });
    expect(await value()).toBe(2);
  });

  test("an entity with a time to live is forgotten with its requests, and its snapshots expire", async () => {
    const options = { ttlMs: 3_600_000, retentionMs: 3_600_000 };
    const { stock, run, runtime } = createStock(multi, options);
    const absent = await run(stock.get("sku"));
    const snapshot = await run(stock.update(absent, "r", add).then(() => stock.get("sku")));
    await runtime.advance(7_200_000);
    expect((await run(stock.get("sku"))).exists).toBe(false);
    expect(await run(stock.update(absent, "r", add))).toEqual({ outcome: "expired" });
    expect(await run(stock.update(snapshot, "r2", add))).toEqual({ outcome: "expired" });
    expect(await run(stock.update("sku", "r3", add))).toMatchObject({ value: 1 });
  });

  test("what fn throws is thrown, and nothing changes", async () => {
    const { stock, run, value } = createStock(multi);
    const broken = new Error("broken");
    const update = stock.update("sku", "r", () => {
      throw broken;
    });
    await expect(run(update)).rejects.toBe(broken);
    expect(await value()).toBeUndefined();
    expect(await run(stock.update("sku", "r", add))).toMatchObject({ value: 1, replayed: false });
  });

  test("a repeated request gets its answer, although fn throws on the value as it stands", async () => {
    const { stock, run } = createStock(multi);
    const open = (value: number | undefined): number => {
      if (value !== undefined) {
        throw new Error("opened already");
      }
      return 1;
    };
    const absent = await run(stock.get("sku"));
    expect(await run(stock.update("sku", "r", open))).toMatchObject({ value: 1, replayed: false });
    expect(await run(stock.update("sku", "r", open))).toMatchObject({ value: 1, replayed: true });
    expect(await run(stock.update(absent, "r", open))).toMatchObject({ value: 1, replayed: true });
    await expect(run(stock.update(absent, "r2", open))).rejects.toThrow("opened already");
  });

  test("values come back deep-equal, to duplicates too, and snapshots survive JSON", async () => {
    const world = createEntityWorld(multi);
    const register = createRegister<unknown>(world.common);
    const rich = {
      at: new Date(0),
      big: 10n,
      map: new Map([["k", new Set([-0])]]),
      none: undefined,
    };
    for (const [index, made] of [rich, undefined, null, 0, "", false, [rich]].entries()) {
      const request = `r${index}`;
      const first = await world.run(register.update("k", request, () => made));
      const again = await world.run(register.update("k", request, () => "never"));
      expect(first).toStrictEqual({ outcome: "updated", value: made, replayed: false });
      expect(again).toStrictEqual({ outcome: "updated", value: made, replayed: true });
      const snapshot = await world.run(register.get("k"));
      expect(snapshot.exists).toBe(true);
      const carried = JSON.parse(JSON.stringify({ key: "k", seen: snapshot.seen }));
      let given: unknown;
      await world.run(register.update(carried, `${request}-next`, (value) => (given = value)));
      expect(given).toStrictEqual(made);
    }
  });

  test("fn may be called again, each time with a value of its own", async () => {
    const { common, run } = createEntityWorld(multi);
    const register = createRegister<string[]>(common);
    const push = (list: string[] = []): string[] => {
      list.push("x");
      return list;
    };
    const updated = await run(
      Promise.all(["r1", "r2", "r3"].map((request) => register.update("k", request, push))),
    );
    expect(updated.map(({ outcome }) => outcome)).toEqual(["updated", "updated", "updated"]);
    expect((await run(register.get("k"))).value).toEqual(["x", "x", "x"]);
  });
});

describe("bad input is refused before anything is sent", () => {
  const { stock, counter, common } = createStock(true);
  const aborted = { signal: AbortSignal.abort() };

  test.each<readonly [what: string, call: () => Promise<unknown>, code: string]>([
    ...BAD_KEYS.flatMap(([what, key, code]): [string, () => Promise<unknown>, string][] => [
      [`get: a key that is ${what}`, () => stock.get(key as string), code],
      [`update: a key that is ${what}`, () => stock.update(key as string, "r", add), code],
      [`update: a requestId that is ${what}`, () => stock.update("sku", key as string, add), code],
    ]),
    ["no requestId", () => stock.update("sku", undefined as never, add), "keyNotString"],
    ["no function", () => stock.update("sku", "r", 1 as never), "optionInvalid"],
    ["a foreign snapshot", () => stock.update({ key: "sku" } as never, "r", add), "optionInvalid"],
    ["an aborted signal", () => stock.update("sku", "r", add, aborted), "aborted"],
  ])("%s", async (_, call, code) => {
    expect(await codeOf(call)).toBe(code);
    expect(counter.counts().total).toBe(0);
  });

  test.each([
    ["no store", { store: undefined }, "optionInvalid"],
    ["a window of none", { requestWindow: 0 }, "optionInvalid"],
    ["an endless retention", { retentionMs: Number.POSITIVE_INFINITY }, "durationInvalid"],
    ["rounds that are no number", { maxRounds: "many" }, "optionInvalid"],
  ])("a factory with %s", async (_, options, code) => {
    const create = async () => createRegister({ ...common, ...options } as never);
    expect(await codeOf(create)).toBe(code);
  });

  test("what fn returns is refused before it is written, and so is a reason that is no text", async () => {
    const world = createStock(true);
    for (const [what, value, code] of BAD_VALUES) {
      const update = () => world.stock.update("sku", what, () => value as number);
      const expected = what === "a promise" ? "optionInvalid" : code;
      expect(await codeOf(() => world.run(update()))).toBe(expected);
    }
    const update = () => world.stock.update("sku", "r", (_, { refuse }) => refuse(7 as never));
    expect(await codeOf(() => world.run(update()))).toBe("keyNotString");
    expect(world.counter.counts()).toMatchObject({ write: 0, writeAll: 0 });
  });

  test("a closed store", async () => {
    const world = createStock(true);
    await world.store.close();
    expect(await codeOf(() => world.stock.update("sku", "r", add))).toBe("closed");
  });

  test("values are typed, and a refusal is no value", () => {
    expectTypeOf(stock).toEqualTypeOf<Register<number>>();
    const misuse = (): unknown =>
      // @ts-expect-error: fn returns another type of value
      stock.update("sku", "r", () => "many");
    expect(misuse).toBeTypeOf("function");
  });
});

// Found by the simulator: between its look and its write the process stood still until the request's
// own entry, tombstone included, was forgotten, and the write applied a second time.
test("a process that stands still beyond all memory after its look applies nothing twice", async () => {
  const world = createStoreWorld();
  const { store } = world.base;
  let stillMs = 0;
  const late = {
    capabilities: store.capabilities,
    read: async (key: string) => {
      const seen = await store.read(key);
      const forMs = stillMs;
      stillMs = 0;
      await world.runtime.sleep(forMs);
      return seen;
    },
    write: (write: Parameters<typeof store.write>[0]) => store.write(write),
    writeAll: (all: Parameters<MultiKeyStore["writeAll"]>[0]) =>
      (store as unknown as MultiKeyStore).writeAll(all),
    close: () => store.close(),
  };
  const add = (value = 0): number => value + 1;
  const options = { ...world.base, store: late, retentionMs: 10_000 };
  const register = createRegister<number>(options);
  expect(await world.run(register.update("k", "r1", add))).toMatchObject({ outcome: "updated" });
  await world.runtime.advance(9_000);
  stillMs = 700_000;
  expect(await world.run(register.update("k", "r1", add))).toMatchObject({ outcome: "expired" });
  expect((await world.run(register.get("k"))).value).toBe(1);
});
