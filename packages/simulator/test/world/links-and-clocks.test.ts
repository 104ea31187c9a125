// Cut links, and clocks that jump, drift and differ.
import { describe, expect, test } from "vitest";
import { profileOf } from "../../src/world/profile.ts";
import { createWorld, type Node } from "../../src/world/world.ts";
import { at, create, endOf, held, nowMs, quietWorld, seed, storyOf, workOn } from "./stage.ts";

describe("cut", () => {
  /** Reads every 10 ms from 0 to 90; how each ended. */
  const reads = async (legs: "requests" | "replies" | "both") => {
    const world = quietWorld([at(3, { fault: "cut", legs, forMs: 40 })], {
      operationTimeoutMs: 5,
    });
    let line = "";
    await workOn(world, async (node) => {
      for (let round = 0; round < 10; round += 1) {
        const { code } = await endOf(
          world,
          node.store.write(create(`k${round}`)).then(({ outcome }) => {
            if (outcome === "unknown") {
              throw Object.assign(new Error("unknown"), { code: "unknown" });
            }
          }),
        );
        line += code === undefined ? "." : "x";
        await node.sleep((round + 1) * 10 - nowMs(world));
      }
    });
    const applied = [...Array(10).keys()].map((k) => (held(world, `k${k}`) ? "a" : "-")).join("");
    return { line, applied, mended: storyOf(world, "mended") };
  };

  test("of requests: none arrives until it is mended", async () => {
    expect(await reads("requests")).toEqual({
      line: "..xxxx....",
      applied: "aa----aaaa",
      mended: ["60 mended"],
    });
  });

  test("of replies: all arrive, and no answer comes until it is mended", async () => {
    expect(await reads("replies")).toEqual({
      line: "..xxxx....",
      applied: "aaaaaaaaaa",
      mended: ["60 mended"],
    });
  });

  test("of both", async () => {
    expect(await reads("both")).toEqual({
      line: "..xxxx....",
      applied: "aa----aaaa",
      mended: ["60 mended"],
    });
  });

  test("cuts the named link alone", async () => {
    const world = quietWorld([at(1, { fault: "cut", legs: "both", forMs: 500 })]);
    let other: Node | undefined;
    world.addNode("other", (node) => {
      other = node;
    });
    await workOn(world, async (node) => {
      void node.store.read("k").catch(() => {});
      expect(await node.call("bank", "charge", () => "charged")).toBe("charged");
      expect(await other!.store.read("k")).toMatchObject({ now: expect.any(Number) });
    });
    expect(nowMs(world)).toBe(4);
  });

  test("a second, shorter cut does not mend the first", async () => {
    const world = quietWorld(
      [
        at(1, { fault: "cut", legs: "both", forMs: 100 }),
        at(2, { fault: "cut", legs: "both", forMs: 10 }),
      ],
      { operationTimeoutMs: 5 },
    );
    const ends = await workOn(world, async (node) => {
      const results = [];
      for (const untilMs of [20, 60, 110]) {
        results.push((await endOf(world, node.store.read("k"))).code);
        await node.sleep(untilMs - nowMs(world));
      }
      results.push((await endOf(world, node.store.read("k"))).code);
      return results;
    });
    expect(ends).toEqual(["unavailable", "unavailable", "unavailable", undefined]);
    expect(storyOf(world, "mended")).toEqual(["100 mended"]);
  });

  test("healing mends it, and later its own end is not told", async () => {
    const world = quietWorld([at(1, { fault: "cut", legs: "both", forMs: 500 })]);
    await workOn(world, async (node) => {
      void node.store.read("k").catch(() => {});
      world.heal();
      expect(await node.store.read("k")).toMatchObject({ now: expect.any(Number) });
      await node.sleep(1_000);
    });
    expect(storyOf(world, "mended")).toEqual([]);
  });
});

describe("refuse", () => {
  /** Writes every 10 ms from 0 to 60; how each ended, and which took place. */
  const writes = async (forMs?: number, healAtMs = Number.POSITIVE_INFINITY) => {
    const world = quietWorld([at(3, { fault: "refuse", ...(forMs !== undefined && { forMs }) })]);
    let line = "";
    await workOn(world, async (node) => {
      for (let round = 0; round < 7; round += 1) {
        if (nowMs(world) >= healAtMs) {
          world.heal();
        }
        const { code } = await endOf(world, node.store.write(create(`k${round}`)));
        line += code === undefined ? "." : code === "unavailable" ? "x" : "?";
        await node.sleep((round + 1) * 10 - nowMs(world));
      }
    });
    const applied = [...Array(7).keys()].map((k) => (held(world, `k${k}`) ? "a" : "-")).join("");
    return { line, applied };
  };

  test("without a time: the one call alone", async () => {
    expect(await writes()).toEqual({ line: "..x....", applied: "aa-aaaa" });
  });

  test("for a while: every call of the link, none takes place, each is told so", async () => {
    expect(await writes(25)).toEqual({ line: "..xxx..", applied: "aa---aa" });
  });

  test("until the world heals", async () => {
    expect(await writes(1_000, 50)).toEqual({ line: "..xxx..", applied: "aa---aa" });
  });

  test("the named link alone, and the world is restless until the end", async () => {
    const world = quietWorld([at(1, { fault: "refuse", forMs: 500 })]);
    let other: Node | undefined;
    world.addNode("other", (node) => {
      other = node;
    });
    await workOn(world, async (node) => {
      expect((await endOf(world, node.store.read("k"))).code).toBe("unavailable");
      expect(await node.call("bank", "charge", () => "charged")).toBe("charged");
      expect(await other!.store.read("k")).toMatchObject({ now: expect.any(Number) });
    });
    expect(world.restlessMs).toBe(500 - nowMs(world));
  });
});

describe("jumpClock", () => {
  test.each([-60_000, 60_000])(
    "by %s ms: the wall clock jumps, nothing else does",
    async (byMs) => {
      const world = quietWorld([at(2, { fault: "jumpClock", byMs })]);
      const measured = await workOn(world, async ({ runtime, store, sleep }) => {
        const before = [runtime.wallNow(), runtime.monotonicNow(), (await store.read("k")).now];
        const waited = sleep(30);
        const second = store.read("k");
        const jumped = runtime.wallNow();
        await second;
        await waited;
        const after = [runtime.wallNow(), runtime.monotonicNow(), (await store.read("k")).now];
        return { moved: after.map((time, index) => time - before[index]!), jumped, before };
      });
      expect(measured.jumped).toBe(measured.before[0]! + 2 + byMs);
      // The store's clock counts microseconds.
      expect(measured.moved).toEqual([32 + byMs, 32, 32_000]);
    },
  );
});

describe("the clocks of nodes", () => {
  const clocks = (maxSkewMs: number, maxDrift: number, seed = 5) => {
    const world = createWorld({ profile: profileOf("durable"), seed, maxSkewMs, maxDrift });
    const nodes: Node[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      world.addNode(name, (node) => nodes.push(node));
    }
    return { world, nodes };
  };

  test("differ by at most the skew, run apart by at most the drift, and never go back", async () => {
    const { world, nodes } = clocks(1_000, 0.01);
    const read = (): number[][] =>
      nodes.map(({ runtime }) => [runtime.wallNow(), runtime.monotonicNow()]);
    const before = read();
    const walls = before.map(([wall]) => wall!);
    const spread = Math.max(...walls) - Math.min(...walls);
    expect(spread).toBeGreaterThan(0);
    expect(spread).toBeLessThanOrEqual(2_000);
    await world.pass(100_000);
    const rates = read().map(([wall, mono], index) => {
      const [wallBefore, monoBefore] = before[index]!;
      expect(Math.abs(wall! - wallBefore! - (mono! - monoBefore!))).toBeLessThan(1);
      return (mono! - monoBefore!) / 100_000;
    });
    expect(new Set(rates).size).toBe(4);
    for (const rate of rates) {
      expect(Math.abs(rate - 1)).toBeLessThanOrEqual(0.01);
    }
  });

  test("another seed gives other clocks, the same seed the same", () => {
    const walls = (seed: number): number[] =>
      clocks(1_000, 0.01, seed).nodes.map(({ runtime }) => runtime.wallNow());
    expect(walls(7)).toEqual(walls(7));
    expect(walls(7)).not.toEqual(walls(8));
  });

  test("a timer waits for its delay by the node's own monotonic clock, never less", async () => {
    const { world, nodes } = clocks(0, 0.01);
    await world.run(
      Promise.all(
        nodes.map(async ({ runtime, sleep }) => {
          for (const delayMs of [0.5, 3, 1_000, 60_000.25]) {
            const from = runtime.monotonicNow();
            await sleep(delayMs);
            const waited = runtime.monotonicNow() - from;
            expect(waited).toBeGreaterThanOrEqual(delayMs - 0.001);
            expect(waited).toBeLessThan(delayMs + 0.01);
          }
        }),
      ),
    );
  });
});

test("times of a trace are whole microseconds, whatever a plan's milliseconds are", async () => {
  const world = quietWorld([
    at(1, { fault: "holdRequest", forMs: 1.1 }),
    at(2, { fault: "holdReply", forMs: 0.0004 }),
    at(3, { fault: "jumpStoreClock", byMs: 0.12345 }),
  ]);
  await workOn(world, async (node) => {
    for (const key of ["a", "b", "c", "d"]) {
      const { now } = await seed(node, key);
      expect(Number.isSafeInteger(now)).toBe(true);
    }
  });
  expect(world.trace.filter(({ atUs }) => !Number.isSafeInteger(atUs))).toEqual([]);
});
