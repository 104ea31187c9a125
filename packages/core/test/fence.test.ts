import { createFence, createLock } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { codeOf, createStoreWorld, withWrite } from "./support/store-world.ts";

const YEAR_MS = 365 * 86_400_000;

describe("what it costs", () => {
  test("two calls for a newer token, one for the newest or a stale one", async () => {
    const world = createStoreWorld();
    const fence = createFence(world.base);
    const admit = async (token: number): Promise<unknown> => {
      const { result, calls } = await world.counter.during(() => fence.admit("r", token));
      return [result.outcome, calls.read, calls.write, calls.total];
    };
    expect(await admit(5)).toEqual(["admitted", 1, 1, 2]);
    expect(await admit(5)).toEqual(["admitted", 1, 0, 1]);
    expect(await admit(4)).toEqual(["stale", 1, 0, 1]);
    expect(await admit(6)).toEqual(["admitted", 1, 1, 2]);
  });
});

describe("tokens admitted for a resource never decrease", () => {
  test("a stale token is told the newest, and changes nothing", async () => {
    const world = createStoreWorld();
    const fence = createFence(world.base);
    await fence.admit("r", 7);
    expect(await fence.admit("r", 6)).toEqual({ outcome: "stale", newest: 7 });
    expect(await fence.admit("r", 7)).toEqual({ outcome: "admitted" });
    expect(await fence.admit("r", 1)).toEqual({ outcome: "stale", newest: 7 });
  });

  test("not even after years, since a fence does not expire", async () => {
    const world = createStoreWorld();
    const fence = createFence(world.base);
    await fence.admit("r", 7);
    await world.runtime.advance(10 * YEAR_MS);
    expect(await fence.admit("r", 6)).toMatchObject({ outcome: "stale" });
  });

  test("of many at once, in any order, those that are admitted end at the largest", async () => {
    const world = createStoreWorld();
    const fence = createFence(world.base);
    const tokens = Array.from({ length: 40 }, (_, index) => ((index * 17) % 40) + 1);
    const answers = await world.run(Promise.all(tokens.map((token) => fence.admit("r", token))));
    expect(answers[tokens.indexOf(40)]).toEqual({ outcome: "admitted" });
    expect(answers.every(({ outcome }) => outcome === "admitted" || outcome === "stale")).toBe(
      true,
    );
    expect(await fence.admit("r", 39)).toEqual({ outcome: "stale", newest: 40 });
  });

  test("one who reads before and writes after a newer token is stale", async () => {
    const world = createStoreWorld();
    const fence = createFence(world.base);
    await fence.admit("r", 1);
    let overtaken = false;
    const slow = createFence(
      withWrite(world.base, async (write, send) => {
        if (!overtaken) {
          overtaken = true;
          await fence.admit("r", 9);
        }
        return send(write);
      }),
    );
    expect(await slow.admit("r", 5)).toEqual({ outcome: "stale", newest: 9 });
  });

  test("resources and names have fences of their own", async () => {
    const world = createStoreWorld();
    await createFence(world.base).admit("r", 9);
    expect(await createFence(world.base).admit("R", 1)).toEqual({ outcome: "admitted" });
    const other = createFence({ ...world.base, name: "other" });
    expect(await other.admit("r", 1)).toEqual({ outcome: "admitted" });
  });

  test("a paused holder of a lock is turned away once its successor was admitted", async () => {
    const world = createStoreWorld();
    const locks = createLock(world.base);
    const fence = createFence(world.base);
    const old = await locks.acquire("r", { autoRenew: false });
    expect(await fence.admit("r", old.token)).toEqual({ outcome: "admitted" });
    await world.runtime.advance(30_000);
    const next = await locks.acquire("r");
    expect(await fence.admit("r", next.token)).toEqual({ outcome: "admitted" });
    expect(await fence.admit("r", old.token)).toEqual({ outcome: "stale", newest: next.token });
  });
});

describe("when an answer is lost", () => {
  test("the same write is sent again, and the admission holds", async () => {
    const world = createStoreWorld([{ call: 2, fault: "dropReply" }]);
    const fence = createFence(world.base);
    expect(await world.run(fence.admit("r", 5))).toEqual({ outcome: "admitted" });
    expect(await fence.admit("r", 4)).toMatchObject({ outcome: "stale" });
  });

  test("no answer by the deadline is indeterminate: do not act", async () => {
    const world = createStoreWorld(
      Array.from({ length: 30 }, (_, index) => ({ call: index + 2, fault: "dropReply" as const })),
    );
    const answer = await world.run(createFence(world.base).admit("r", 5));
    expect(answer).toMatchObject({ outcome: "indeterminate" });
    expect(world.told()).not.toContain("admitted");
  });

  test("a read that fails is unavailable, and nothing was written", async () => {
    const world = createStoreWorld([{ call: 1, fault: "dropReply" }]);
    expect(await codeOf(world.run(createFence(world.base).admit("r", 5)))).toBe("unavailable");
    expect(world.counter.counts().write).toBe(0);
  });

  test("who loses every round until the deadline is told so", async () => {
    const world = createStoreWorld();
    const rival = createFence(world.base);
    let token = 0;
    const unlucky = createFence({
      ...withWrite(world.base, async (write, send) => {
        token += 1;
        await rival.admit("r", token);
        await world.runtime.sleep(100);
        return send(write);
      }),
      settleMs: 1_000,
    });
    expect(await codeOf(world.run(unlucky.admit("r", 1_000_000)))).toBe("contended");
    expect(token).toBeGreaterThan(5);
    expect(world.events.at(-1)).toMatchObject({ type: "contended", rounds: token });
  });

  test("who lost the last round to a newer token is stale, whatever the deadline", async () => {
    const world = createStoreWorld();
    const rival = createFence(world.base);
    const late = createFence({
      ...withWrite(world.base, async (write, send) => {
        await rival.admit("r", 9);
        return send(write);
      }),
      settleMs: 0,
    });
    expect(await late.admit("r", 5)).toEqual({ outcome: "stale", newest: 9 });
  });
});

test("events tell what was admitted and refused, and no resource in the clear", async () => {
  const world = createStoreWorld();
  const fence = createFence(world.base);
  await fence.admit("secret-resource", 2);
  await fence.admit("secret-resource", 1);
  expect(world.events).toMatchObject([
    { type: "admitted", token: 2, algorithm: "fence" },
    { type: "refused", reason: "stale" },
  ]);
  expect(JSON.stringify(world.events)).not.toContain("secret-resource");
});
