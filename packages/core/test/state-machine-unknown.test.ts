// What a state machine does when answers are lost, requests are forgotten, others win every round,
// or the caller gives up.

import { createStateMachine, type StateMachine, type StateMachineOptions } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import { hideWriteAll } from "./support/chaos.ts";
import { codeOf, createEntityWorld, interfere, MODES } from "./support/entity-world.ts";

// Each move is legal from everywhere, and counts itself.
const definition = {
  initial: "a",
  events: { go: { from: ["a", "b"], to: "b" }, back: { from: ["a", "b"], to: "a" } },
} as const;

type Machine = StateMachine<"a" | "b", "go" | "back", number>;
type Options = Partial<StateMachineOptions<"a" | "b", "go" | "back", number>>;
const increment = (data: number): number => data + 1;

function createMoves(multi: boolean, options: Options = {}) {
  const world = createEntityWorld(multi);
  const { direct } = world.faulty;
  const pure = multi ? direct : (hideWriteAll(direct) as MultiKeyStore);
  const over = (more: Options = {}): Machine =>
    createStateMachine({ ...world.common, definition, data: 0, ...options, ...more });
  /** Another process, whose network works. */
  const other = over({ store: pure });
  const count = async (): Promise<number> => (await other.get("e"))?.data ?? -1;
  return { ...world, over, machine: over(), other, pure, count };
}

describe.each(MODES)("$mode", ({ multi }) => {
  test.each([{ request: { requestId: "r" } }, { request: {} }])(
    "a lost reply does not move twice: $request",
    async ({ request }) => {
      const { machine, other, run, inject, count } = createMoves(multi);
      await other.create("e");
      const snapshot = (await other.get("e")) ?? "none";
      inject({ fault: "dropReply" });
      const fired = await run(machine.fire(snapshot, "go", { ...request, data: increment }));
      expect(fired).toMatchObject({ outcome: "moved", replayed: false });
      expect(await count()).toBe(1);
    },
  );

  test.each([{ request: { requestId: "r" } }, { request: {} }])(
    "nor if others have moved the entity on meanwhile: $request",
    async ({ request }) => {
      const { machine, other, run, inject, runtime, count } = createMoves(multi);
      await other.create("e");
      const snapshot = (await other.get("e")) ?? "none";
      inject({ fault: "dropReply" });
      const fired = machine.fire(snapshot, "go", { ...request, data: increment });
      const meanwhile = runtime.sleep(1_000).then(() => other.fire("e", "back"));
      const [answer] = await run(Promise.all([fired, meanwhile]));
      expect(answer).toMatchObject({ outcome: "moved", event: "go", from: "a" });
      expect(await count()).toBe(1);
    },
  );

  test("a create whose reply was lost is recognised, also when the entity has moved on", async () => {
    const { machine, other, run, inject, runtime } = createMoves(multi);
    inject({ fault: "dropReply" });
    const creating = machine.create("e");
    const meanwhile = runtime.sleep(1_000).then(() => other.fire("e", "go"));
    const [created] = await run(Promise.all([creating, meanwhile]));
    expect(created).toMatchObject({ outcome: "created", snapshot: { state: "b" } });
  });

  test("without any answer it is indeterminate, and the same request finds out later", async () => {
    const { machine, other, over, run, inject, faulty, count } = createMoves(multi);
    await other.create("e");
    const snapshot = (await other.get("e")) ?? "none";
    const hasty = over({ settleMs: 1 });
    inject({ fault: "deliverLate", afterMs: 5_000 });
    const request = { requestId: "r", data: increment };
    expect(await run(hasty.fire(snapshot, "go", request))).toMatchObject({
      outcome: "indeterminate",
      cause: expect.any(Error),
    });
    const [again] = await run(
      Promise.all([machine.fire(snapshot, "go", request), machine.fire("e", "go", request)]),
    );
    expect(again).toMatchObject({ outcome: "moved" });
    expect(await count()).toBe(1);
    expect(faulty.inFlight).toBe(1);
  });

  test("a create without any answer is indeterminate", async () => {
    const { over, run, inject } = createMoves(multi);
    inject({ fault: "dropRequest" });
    expect(await run(over({ settleMs: 1 }).create("e"))).toMatchObject({
      outcome: "indeterminate",
    });
  });

  test("a store that cannot be reached: the call throws, and nothing moved", async () => {
    const { machine, other, run, inject, count } = createMoves(multi);
    await other.create("e");
    const snapshot = (await other.get("e")) ?? "none";
    inject({ fault: "unavailable" });
    expect(await codeOf(() => run(machine.fire("e", "go")))).toBe("unavailable");
    inject({ fault: "unavailable" });
    expect(await codeOf(() => run(machine.fire(snapshot, "go", { requestId: "r" })))).toBe(
      "unavailable",
    );
    expect(await count()).toBe(0);
  });

  test("others win every round: contended, and nothing moved", async () => {
    const { over, other, pure, events, run, count } = createMoves(multi);
    await other.create("e");
    const busy = interfere(pure, () => other.fire("e", "back"));
    const machine = over({ store: busy, maxRounds: 3 });
    const fired = await run(machine.fire("e", "go", { requestId: "r", data: increment }));
    expect(fired).toEqual({ outcome: "contended", rounds: 3 });
    expect(events.at(-1)).toMatchObject({ type: "contended", rounds: 3 });
    expect(await count()).toBe(0);
  });

  test("aborted between rounds: it throws, and nothing moved", async () => {
    const { over, other, pure, run, count } = createMoves(multi);
    await other.create("e");
    const controller = new AbortController();
    const busy = interfere(pure, async () => {
      await other.fire("e", "back");
      controller.abort();
    });
    const fire = () => over({ store: busy }).fire("e", "go", { signal: controller.signal });
    expect(await codeOf(() => run(fire()))).toBe("aborted");
    expect(await count()).toBe(0);
  });

  test("aborted while a write has no answer: indeterminate", async () => {
    const { machine, other, run, inject, runtime } = createMoves(multi);
    await other.create("e");
    const snapshot = (await other.get("e")) ?? "none";
    const controller = new AbortController();
    inject({ fault: "dropReply" });
    const fired = machine.fire(snapshot, "go", { signal: controller.signal });
    const abort = runtime.sleep(1_000).then(() => controller.abort());
    const [answer] = await run(Promise.all([fired, abort]));
    expect(answer).toMatchObject({ outcome: "indeterminate" });
    expect(runtime.monotonicNow()).toBeLessThan(3_000);
  });

  test("the kept snapshot of a forgotten request is expired; without it, it counts as new", async () => {
    const { machine, run, runtime, count } = createMoves(multi, {
      requestWindow: 2,
      retentionMs: 60_000,
    });
    await run(machine.create("e"));
    const snapshot = (await run(machine.get("e"))) ?? "none";
    const request = { requestId: "r", data: increment };
    await run(machine.fire(snapshot, "go", request));
    for (const requestId of ["r1", "r2"]) {
      await run(machine.fire("e", "back", { requestId }));
    }
    await runtime.advance(multi ? 3_600_000 : 0);
    expect(await run(machine.fire(snapshot, "go", request))).toEqual({ outcome: "expired" });
    expect(await count()).toBe(1);
    expect(await run(machine.fire("e", "go", request))).toMatchObject({ outcome: "moved" });
    expect(await count()).toBe(2);
  });

  test("a snapshot from before others wrote is no reason to expire", async () => {
    const { machine, run } = createMoves(multi, { requestWindow: 2 });
    await run(machine.create("e"));
    const snapshot = (await run(machine.get("e"))) ?? "none";
    await run(machine.fire("e", "back", { requestId: "r1" }));
    await run(machine.fire("e", "back", { requestId: "r2" }));
    const fired = await run(machine.fire(snapshot, "go", { requestId: "r" }));
    expect(fired).toMatchObject({ outcome: "moved", replayed: false });
  });
});

describe("the window", () => {
  test("keeps the history's length, and drops the oldest", async () => {
    const { machine, run } = createMoves(false, { requestWindow: 3 });
    await run(machine.create("e"));
    for (const requestId of ["r1", "r2", "r3", "r4", "r5"]) {
      await run(machine.fire("e", "go", { requestId }));
    }
    const kept = (await run(machine.history("e"))).map(({ requestId }) => requestId);
    expect(kept).toEqual(["r3", "r4", "r5"]);
  });

  test("takes at most a quarter of the largest value", async () => {
    const { machine, run } = createMoves(false, { requestWindow: 1_000 });
    await run(machine.create("e"));
    const long = (index: number): string => `${index}`.padEnd(1_024, "é");
    for (let index = 0; index < 200; index += 1) {
      await run(machine.fire("e", "go", { requestId: long(index) }));
    }
    const { seen } = (await run(machine.get("e"))) ?? {};
    const bytes = new TextEncoder().encode(seen?.entry?.value).length;
    expect(bytes).toBeGreaterThan(200_000);
    expect(bytes).toBeLessThan(2 ** 20 / 4 + 1_000);
    const again = await run(machine.fire("e", "go", { requestId: long(199) }));
    expect(again).toMatchObject({ outcome: "moved", replayed: true });
  });
});
