import { createStateMachine, type StateMachine, type StateMachineOptions } from "@onceproof/core";
import { describe, expect, expectTypeOf, test } from "vitest";
import { BAD_KEYS, BAD_VALUES, codeOf, createEntityWorld, MODES } from "./support/entity-world.ts";

const definition = {
  initial: "created",
  events: {
    pay: { from: ["created"], to: "paid" },
    ship: { from: ["paid"], to: "shipped" },
    cancel: { from: ["created", "paid"], to: "cancelled" },
  },
} as const;

type State = "created" | "paid" | "shipped" | "cancelled";
type Event = "pay" | "ship" | "cancel";
interface Order {
  readonly total: number;
  readonly paidBy?: string;
}
type Options = Partial<StateMachineOptions<State, Event, Order>>;

function createOrders(multi: boolean, options: Options = {}) {
  const world = createEntityWorld(multi);
  const over = (more: Options = {}): StateMachine<State, Event, Order> => {
    const data: Order = { total: 100 };
    return createStateMachine({ ...world.common, definition, data, ...options, ...more });
  };
  return { ...world, over, orders: over() };
}

describe.each(MODES)("$mode", ({ multi }) => {
  test("an order is created, paid and shipped", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("order-1", { requestId: "c1" }));
    const paid = await run(orders.fire("order-1", "pay", { requestId: "p1" }));
    expect(paid).toMatchObject({ outcome: "moved", event: "pay", from: "created", to: "paid" });
    await run(orders.fire("order-1", "ship", { requestId: "s1" }));
    expect(await run(orders.get("order-1"))).toMatchObject({ id: "order-1", state: "shipped" });
  });

  test("a repeated request gets the same answer, although the entity has moved on", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o"));
    const { replayed: _, ...first } = Object(
      await run(orders.fire("o", "pay", { requestId: "r" })),
    );
    await run(orders.fire("o", "ship", { requestId: "s" }));
    const again = await run(orders.fire("o", "pay", { requestId: "r" }));
    expect(again).toEqual({ ...first, replayed: true });
    expect((await run(orders.get("o")))?.state).toBe("shipped");
  });

  test("a refusal is repeated too, although the event has become legal", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o"));
    const early = { outcome: "refused", event: "ship", state: "created" };
    const request = { requestId: "s" };
    expect(await run(orders.fire("o", "ship", request))).toEqual({ ...early, replayed: false });
    await run(orders.fire("o", "pay", { requestId: "p" }));
    expect(await run(orders.fire("o", "ship", request))).toEqual({ ...early, replayed: true });
    expect(await run(orders.fire("o", "ship", { requestId: "s2" }))).toMatchObject({
      outcome: "moved",
    });
  });

  test("another request for the same move is refused: paid twice is not paid once", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o"));
    await run(orders.fire("o", "pay", { requestId: "card-1" }));
    const second = await run(orders.fire("o", "pay", { requestId: "card-2" }));
    expect(second).toMatchObject({ outcome: "refused", state: "paid" });
  });

  test("without a request id, already at target is success and says so", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o"));
    expect(await run(orders.fire("o", "pay"))).toMatchObject({ outcome: "moved" });
    const again = await run(orders.fire("o", "pay"));
    expect(again).toEqual({ outcome: "alreadyThere", event: "pay", state: "paid" });
    await run(orders.fire("o", "ship"));
    expect(await run(orders.fire("o", "pay"))).toEqual({
      outcome: "refused",
      event: "pay",
      state: "shipped",
      replayed: false,
    });
  });

  test("an illegal move changes neither state nor data, and does not call data()", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o"));
    const data = (): Order => {
      throw new Error("not to be called");
    };
    await run(orders.fire("o", "ship", { requestId: "r", data }));
    expect(await run(orders.get("o"))).toMatchObject({ state: "created", data: { total: 100 } });
  });

  test("data moves with the state", async () => {
    const { orders, run } = createOrders(multi);
    await run(orders.create("o", { data: { total: 7 } }));
    await run(orders.fire("o", "pay", { data: (order) => ({ ...order, paidBy: "ada" }) }));
    expect((await run(orders.get("o")))?.data).toEqual({ total: 7, paidBy: "ada" });
  });

  test("create 1, get 1, fire 2, from a snapshot 1, history 1", async () => {
    const { orders, run, cost } = createOrders(multi);
    expect(await cost(() => orders.create("o", { requestId: "c" }))).toBe(1);
    expect(await cost(() => orders.create("o", { requestId: "c" }))).toBe(1);
    expect(await cost(() => orders.get("o"))).toBe(1);
    expect(await cost(() => orders.fire("o", "ship", { requestId: "r0" }))).toBe(2);
    expect(await cost(() => orders.fire("o", "ship"))).toBe(1);
    expect(await cost(() => orders.fire("o", "pay", { requestId: "r1" }))).toBe(2);
    expect(await cost(() => orders.fire("o", "pay", { requestId: "r1" }))).toBe(1);
    expect(await cost(() => orders.fire("o", "pay"))).toBe(1);
    const snapshot = (await run(orders.get("o"))) ?? "none";
    expect(await cost(() => orders.fire(snapshot, "ship", { requestId: "r2" }))).toBe(1);
    expect(await cost(() => orders.fire(snapshot, "ship", { requestId: "r2" }))).toBe(1);
    expect(await cost(() => orders.history("o"))).toBe(1);
    const other = createOrders(multi);
    await other.run(other.orders.create("o"));
    expect(await other.cost(() => other.orders.fire("o", "pay"))).toBe(2);
    const paid = (await other.run(other.orders.get("o"))) ?? "none";
    expect(await other.cost(() => other.orders.fire(paid, "ship"))).toBe(1);
  });

  test("a stale snapshot costs one more call and changes no answer", async () => {
    const { orders, run, cost } = createOrders(multi);
    await run(orders.create("o"));
    const stale = (await run(orders.get("o"))) ?? "none";
    await run(orders.fire("o", "pay"));
    expect(await cost(() => orders.fire(stale, "cancel", { requestId: "r" }))).toBe(2);
    expect((await run(orders.get("o")))?.state).toBe("cancelled");
    expect(await run(orders.fire(stale, "pay"))).toMatchObject({ outcome: "refused" });
  });

  test("a snapshot survives JSON, also when its data does not", async () => {
    const world = createEntityWorld(multi);
    const at = new Date(0);
    const machine = createStateMachine({ ...world.common, definition, data: { at, many: 1n } });
    await world.run(machine.create("o"));
    const snapshot = await world.run(machine.get("o"));
    const { seen } = snapshot ?? {};
    const carried = JSON.parse(JSON.stringify({ id: "o", state: "created", data: {}, seen }));
    const keep = (data: { at: Date; many: bigint }) => ({ ...data, many: data.many + 1n });
    await world.run(machine.fire(carried, "pay", { data: keep }));
    expect((await world.run(machine.get("o")))?.data).toEqual({ at, many: 2n });
  });

  test("there is no entity: notFound, which is not remembered", async () => {
    const { orders, run, cost } = createOrders(multi);
    expect(await run(orders.get("o"))).toBeUndefined();
    expect(await run(orders.fire("o", "pay"))).toEqual({ outcome: "notFound" });
    expect(await run(orders.fire("o", "pay", { requestId: "r" }))).toEqual({ outcome: "notFound" });
    expect(await cost(() => orders.fire("o", "pay"))).toBe(1);
    expect(await run(orders.history("o"))).toEqual([]);
    await run(orders.create("o"));
    expect(await run(orders.fire("o", "pay", { requestId: "r" }))).toMatchObject({
      outcome: "moved",
    });
  });

  test("one create succeeds, and its creator is recognised when it asks again", async () => {
    const { orders, run } = createOrders(multi);
    const first = await run(orders.create("o", { requestId: "c", data: { total: 1 } }));
    expect(first).toMatchObject({ outcome: "created", snapshot: { state: "created" } });
    await run(orders.fire("o", "pay"));
    const replayed = await run(orders.create("o", { requestId: "c" }));
    expect(replayed).toMatchObject({ outcome: "replayed", snapshot: { state: "paid" } });
    const other = await run(orders.create("o", { requestId: "d" }));
    expect(other).toMatchObject({ outcome: "exists", snapshot: { data: { total: 1 } } });
    expect((await run(orders.create("o"))).outcome).toBe("exists");
  });

  test("the history tells the moves and who asked, and no refusals", async () => {
    const { orders, run, runtime } = createOrders(multi);
    await run(orders.create("o"));
    await run(orders.fire("o", "pay", { requestId: "p" }));
    await run(orders.fire("o", "pay", { requestId: "p2" }));
    await run(orders.fire("o", "ship"));
    const atMs = Math.floor(runtime.wallNow());
    expect(await run(orders.history("o"))).toEqual([
      { event: "pay", from: "created", to: "paid", atMs, requestId: "p" },
      { event: "ship", from: "paid", to: "shipped", atMs },
    ]);
  });

  test("events tell what happened, and no key in the clear", async () => {
    const { orders, run, events, inject } = createOrders(multi);
    await run(orders.create("secret"));
    await run(orders.create("secret"));
    inject({ fault: "dropReply" });
    await run(orders.create("secret"));
    await run(orders.fire("secret", "pay", { requestId: "r" }));
    await run(orders.fire("secret", "pay", { requestId: "r" }));
    await run(orders.fire("secret", "pay", { requestId: "r2" }));
    const types = events.map((event) => (event.type === "refused" ? event.reason : event.type));
    expect(types).toEqual([
      ...["created", "exists", "unknown", "unknown", "exists"],
      ...["moved", "replayed", "illegal"],
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });
});

describe("types", () => {
  test("states and events are inferred from the definition", () => {
    const { common } = createEntityWorld(true);
    const machine = createStateMachine({ ...common, definition, data: { total: 1 } });
    expectTypeOf(machine).toEqualTypeOf<StateMachine<State, Event, { total: number }>>();
    const untyped = createStateMachine({ ...common, definition });
    expectTypeOf(untyped).toEqualTypeOf<StateMachine<State, Event, unknown>>();
  });

  test("an unknown event, a misspelt state and other data do not compile", () => {
    const { common } = createEntityWorld(true);
    const machine = createStateMachine({ ...common, definition, data: { total: 1 } });
    const misuse = (): unknown => [
      // @ts-expect-error: there is no such event
      machine.fire("o", "refund"),
      // @ts-expect-error: the data lacks its total
      machine.create("o", { data: {} }),
      // @ts-expect-error: the data after the move lacks its total
      machine.fire("o", "pay", { data: () => ({}) }),
      createStateMachine({
        ...common,
        // @ts-expect-error: no event leads to "payed"
        definition: { initial: "a", events: { pay: { from: ["payed"], to: "paid" } } },
      }),
    ];
    expect(misuse).toBeTypeOf("function");
  });
});

describe("bad input is refused before anything is sent", () => {
  const { orders, common, counter } = createOrders(true);
  const snapshot = { id: "o", state: "paid", data: { total: 1 } } as const;
  const entry = { value: "1{}", stamp: { revision: 1 } };

  test.each<readonly [what: string, call: () => Promise<unknown>, code: string]>([
    ...BAD_KEYS.flatMap(([what, key, code]): [string, () => Promise<unknown>, string][] => [
      [`create: an id that is ${what}`, () => orders.create(key as string), code],
      [`get: an id that is ${what}`, () => orders.get(key as string), code],
      [`fire: an id that is ${what}`, () => orders.fire(key as string, "pay"), code],
      [`history: an id that is ${what}`, () => orders.history(key as string), code],
      [
        `create: a requestId that is ${what}`,
        () => orders.create("o", { requestId: key as string }),
        code,
      ],
      [
        `fire: a requestId that is ${what}`,
        () => orders.fire("o", "pay", { requestId: key as string }),
        code,
      ],
    ]),
    ...BAD_VALUES.map(([what, value, code]): [string, () => Promise<unknown>, string] => [
      `create: data that is ${what}`,
      () => orders.create("o", { data: value as Order }),
      code,
    ]),
    ["an unknown event", () => orders.fire("o", "toString" as Event), "optionInvalid"],
    [
      "data that is no function",
      () => orders.fire("o", "pay", { data: {} as never }),
      "optionInvalid",
    ],
    [
      "a snapshot without what it saw",
      () => orders.fire(snapshot as never, "pay"),
      "optionInvalid",
    ],
    [
      "a snapshot without a stamp",
      () => orders.fire({ ...snapshot, seen: { entry, revision: 1, now: 1 } } as never, "pay"),
      "optionInvalid",
    ],
    [
      "an aborted signal",
      () => orders.fire("o", "pay", { signal: AbortSignal.abort() }),
      "aborted",
    ],
    [
      "create under an aborted signal",
      () => orders.create("o", { signal: AbortSignal.abort() }),
      "aborted",
    ],
  ])("%s", async (_, call, code) => {
    expect(await codeOf(call)).toBe(code);
    expect(counter.counts().total).toBe(0);
  });

  test.each<readonly [what: string, options: object, code: string]>([
    ["no store", { store: undefined }, "optionInvalid"],
    ["an empty name", { name: "" }, "keyEmpty"],
    ["a window of none", { requestWindow: 0 }, "optionInvalid"],
    ["a broken window", { requestWindow: 1.5 }, "optionInvalid"],
    ["no retention", { retentionMs: 0 }, "durationInvalid"],
    ["a retention of NaN", { retentionMs: Number.NaN }, "durationInvalid"],
    ["a negative time to live", { ttlMs: -1 }, "durationInvalid"],
    ["no rounds", { maxRounds: 0 }, "optionInvalid"],
    ["data that cannot be stored", { data: () => 1 }, "inputUnencodable"],
  ])("a factory with %s", async (_, options, code) => {
    const create = async () => createStateMachine({ ...common, definition, ...options } as never);
    expect(await codeOf(create)).toBe(code);
  });

  test.each<readonly [what: string, definition: unknown, message: RegExp]>([
    ["nothing", undefined, /initial, events/],
    ["no initial state", { events: { go: { from: ["a"], to: "b" } } }, /initial/],
    ["an event without from", { initial: "a", events: { go: { to: "b" } } }, /"go" needs "from"/],
    [
      "an event that starts nowhere",
      { initial: "a", events: { go: { from: [], to: "b" } } },
      /"go"/,
    ],
    ["an event without to", { initial: "a", events: { go: { from: ["a"] } } }, /"to" of "go"/],
    [
      "an unknown state",
      { initial: "a", events: { go: { from: ["a"], to: "b" }, on: { from: ["bb"], to: "c" } } },
      /"on" starts from "bb", but only a, b can be reached/,
    ],
    [
      "a state out of reach",
      { initial: "a", events: { go: { from: ["a"], to: "b" }, on: { from: ["c"], to: "c" } } },
      /"on" starts from "c", but only a, b can be reached/,
    ],
  ])("a definition with %s", (_, bad, message) => {
    expect(() => createStateMachine({ ...common, definition: bad as never })).toThrow(message);
  });

  test("what data() returns is refused before it is written", async () => {
    const world = createOrders(true);
    await world.run(world.orders.create("o"));
    for (const [what, value, code] of BAD_VALUES) {
      const fire = () =>
        world.orders.fire("o", "pay", { requestId: what, data: () => value as Order });
      const expected = what === "a promise" ? "optionInvalid" : code;
      expect(await codeOf(() => world.run(fire()))).toBe(expected);
    }
    const { state } = (await world.run(world.orders.get("o"))) ?? {};
    expect(state).toBe("created");
    expect(world.counter.counts()).toMatchObject({ write: 1, writeAll: 0 });
  });

  test("a closed store", async () => {
    const world = createOrders(true);
    await world.store.close();
    expect(await codeOf(() => world.orders.create("o"))).toBe("closed");
    expect(await codeOf(() => world.orders.fire("o", "pay"))).toBe("closed");
  });
});
