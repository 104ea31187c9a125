// What may befall one message, each fault alone.
import { describe, expect, test } from "vitest";
import {
  at,
  create,
  endOf,
  held,
  nowMs,
  quietWorld,
  storyOf,
  TIMEOUT_MS,
  workOn,
} from "./stage.ts";

const WRITE = create("k");

describe("a write", () => {
  test("without a fault takes a way there and a way back", async () => {
    const world = quietWorld();
    const end = await workOn(world, (node) => endOf(world, node.store.write(WRITE)));
    expect(end).toMatchObject({ atMs: 2, returned: { outcome: "applied", replayed: false } });
    expect(storyOf(world, "sent", "arrived", "answered")).toEqual([
      "0 sent",
      "1 arrived",
      "2 answered",
    ]);
    expect(world.struck).toEqual([]);
  });

  test("dropRequest: nothing is applied, and it is unknown at the timeout", async () => {
    const world = quietWorld([at(1, { fault: "dropRequest" })]);
    const end = await workOn(world, (node) => endOf(world, node.store.write(WRITE)));
    expect(end).toMatchObject({ atMs: TIMEOUT_MS, returned: { outcome: "unknown" } });
    expect(held(world, "k")).toBeUndefined();
    expect(storyOf(world, "sent", "fault", "lost", "arrived", "answered", "timedOut")).toEqual([
      "0 sent",
      "0 fault",
      "0 lost",
      "200 timedOut",
    ]);
  });

  test("dropReply: it is applied, and unknown at the timeout; sent again it is replayed", async () => {
    const world = quietWorld([at(1, { fault: "dropReply" })]);
    const ends = await workOn(world, async (node) => [
      await endOf(world, node.store.write(WRITE)),
      await endOf(world, node.store.write(WRITE)),
    ]);
    expect(ends).toMatchObject([
      { atMs: TIMEOUT_MS, returned: { outcome: "unknown" } },
      {
        atMs: TIMEOUT_MS + 2,
        returned: { outcome: "applied", replayed: true, writtenAt: expect.any(Number) },
      },
    ]);
  });

  test("holdRequest: it arrives late all the same, after its sender has given up", async () => {
    const world = quietWorld([at(1, { fault: "holdRequest", forMs: 300 })]);
    await workOn(world, async (node) => {
      expect(await node.store.write(WRITE)).toMatchObject({ outcome: "unknown" });
      await node.sleep(100.9);
      expect([nowMs(world), held(world, "k")]).toEqual([300.9, undefined]);
      await node.sleep(0.2);
      expect(held(world, "k")).toBe("value");
    });
    expect(storyOf(world, "timedOut", "arrived", "answered")).toEqual([
      "200 timedOut",
      "301 arrived",
    ]);
  });

  test("holdRequest: a short hold only delays", async () => {
    const world = quietWorld([at(1, { fault: "holdRequest", forMs: 50 })]);
    const end = await workOn(world, (node) => endOf(world, node.store.write(WRITE)));
    expect(end).toMatchObject({ atMs: 52, returned: { outcome: "applied" } });
  });

  test("holdReply: it is applied in time, and the late answer is not heard", async () => {
    const world = quietWorld([at(1, { fault: "holdReply", forMs: 300 })]);
    await workOn(world, async (node) => {
      expect(await node.store.write(WRITE)).toMatchObject({ outcome: "unknown" });
      await node.sleep(500);
    });
    expect(storyOf(world, "arrived", "timedOut", "answered")).toEqual([
      "1 arrived",
      "200 timedOut",
    ]);
  });

  test("holdReply: a short hold only delays", async () => {
    const world = quietWorld([at(1, { fault: "holdReply", forMs: 50 })]);
    const end = await workOn(world, (node) => endOf(world, node.store.write(WRITE)));
    expect(end).toMatchObject({ atMs: 52, returned: { outcome: "applied" } });
  });

  test("duplicate: it arrives a second time, and only the first is answered", async () => {
    const world = quietWorld([at(1, { fault: "duplicate", afterMs: 30 })]);
    const end = await workOn(world, async (node) => {
      const ended = await endOf(world, node.store.write(WRITE));
      await node.sleep(100);
      return ended;
    });
    expect(end).toMatchObject({ atMs: 2, returned: { outcome: "applied", replayed: false } });
    const copies = world.trace.filter((event) => event.type === "arrived");
    expect(copies).toMatchObject([
      { atUs: 1_000, copy: 0, outcome: expect.stringMatching(/^applied/) },
      { atUs: 31_000, copy: 1, outcome: expect.stringMatching(/^replayed/) },
    ]);
    expect(storyOf(world, "answered")).toEqual(["2 answered"]);
  });

  test("refuse: it fails at once, and certainly nothing happened", async () => {
    const world = quietWorld([at(1, { fault: "refuse" })]);
    const end = await workOn(world, (node) => endOf(world, node.store.write(WRITE)));
    expect(end).toEqual({ atMs: 1, code: "unavailable" });
    expect(held(world, "k")).toBeUndefined();
    expect(storyOf(world, "arrived", "timedOut")).toEqual([]);
  });
});

test.each(["dropRequest", "dropReply"] as const)(
  "a read under %s is unavailable",
  async (fault) => {
    const world = quietWorld([at(1, { fault })]);
    const end = await workOn(world, (node) => endOf(world, node.store.read("k")));
    expect(end).toEqual({ atMs: TIMEOUT_MS, code: "unavailable" });
  },
);

test("a writeAll under dropReply is unknown, and applied", async () => {
  const world = quietWorld([at(1, { fault: "dropReply" })]);
  const { opId, ...rest } = WRITE;
  const end = await workOn(world, (node) =>
    endOf(world, node.store.writeAll!({ opId, writes: [rest, { ...rest, key: "l" }] })),
  );
  expect(end).toMatchObject({ atMs: TIMEOUT_MS, returned: { outcome: "unknown" } });
  expect([held(world, "k"), held(world, "l")]).toEqual(["value", "value"]);
});

describe("the call of a sink", () => {
  const calls = async (fault?: Parameters<typeof at>[1]) => {
    const world = quietWorld(fault === undefined ? [] : [at(1, fault, "bank")]);
    let acts = 0;
    const end = await workOn(world, async (node) => {
      const ended = await endOf(
        world,
        node.call("bank", "charge", () => (acts += 1)),
      );
      await node.sleep(1_000);
      return ended;
    });
    return { end, acts };
  };

  test.each([
    [undefined, { atMs: 2, returned: 1 }, 1],
    [{ fault: "dropRequest" }, { atMs: TIMEOUT_MS, code: "noAnswer" }, 0],
    [{ fault: "dropReply" }, { atMs: TIMEOUT_MS, code: "noAnswer" }, 1],
    [{ fault: "duplicate", afterMs: 5 }, { atMs: 2, returned: 1 }, 2],
    [{ fault: "holdRequest", forMs: 500 }, { atMs: TIMEOUT_MS, code: "noAnswer" }, 1],
    [{ fault: "refuse" }, { atMs: 1, code: "refused" }, 0],
  ] as const)("under %o", async (fault, end, acts) => {
    expect(await calls(fault)).toEqual({ end, acts });
  });

  test("what the sink throws comes back", async () => {
    const world = quietWorld();
    const refuse = (): never => {
      throw new RangeError("no");
    };
    const call = workOn(world, (node) => node.call("bank", "charge", refuse));
    await expect(call).rejects.toThrow(RangeError);
  });
});

test("the fault strikes the call that it names and no other, once", async () => {
  const fault = at(2, { fault: "dropRequest" });
  const world = quietWorld([fault]);
  const outcomes = await workOn(world, async (node) => {
    const results = [];
    for (const key of ["a", "b", "c"]) {
      results.push((await node.store.write(create(key))).outcome);
      await node.call("bank", "charge", () => {});
    }
    return results;
  });
  expect(outcomes).toEqual(["applied", "unknown", "applied"]);
  expect(world.struck).toEqual([fault]);
  expect(Object.fromEntries(world.counts)).toEqual({ "n store": 3, "n bank": 3 });
});
