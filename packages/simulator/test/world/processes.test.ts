// What may befall a process: crashes, pauses and suspensions, at both phases.
import { describe, expect, test } from "vitest";
import type { Node } from "../../src/world/world.ts";
import { at, create, endOf, held, nowMs, quietWorld, seed, storyOf, workOn } from "./stage.ts";

describe("crash", () => {
  test("at send: the request is lost, the life is over, and a new one starts in time", async () => {
    const world = quietWorld([at(2, { fault: "crash", phase: "send", forMs: 50 })]);
    const seen: string[] = [];
    world.addNode("n", (node) => {
      seen.push(`life ${node.life} at ${nowMs(world)}`);
      if (node.life === 1) {
        void (async () => {
          await seed(node, "before");
          seen.push("before");
          await node.store.write(create("lost")).finally(() => seen.push("settled"));
          seen.push("after");
        })();
        node.runtime.setTimer(() => seen.push("timer"), 30);
        node.runtime.setTimer(() => seen.push("late timer"), 90);
      }
    });
    await world.pass(1_000);
    expect(seen).toEqual(["life 1 at 0", "before", "life 2 at 52"]);
    expect([held(world, "before"), held(world, "lost")]).toEqual(["value", undefined]);
    expect(storyOf(world, "node")).toEqual([
      "0 node n started",
      "2 node n crashed",
      "52 node n started",
    ]);
  });

  test("at reply: the request was carried out, and its answer is heard by nobody", async () => {
    const world = quietWorld([at(1, { fault: "crash", phase: "reply", forMs: 50 })]);
    const seen: string[] = [];
    world.addNode("n", (node) => {
      seen.push(`life ${node.life} at ${nowMs(world)}`);
      if (node.life === 1) {
        void node.store.write(create("k")).finally(() => seen.push("settled"));
      }
    });
    await world.pass(1_000);
    expect(seen).toEqual(["life 1 at 0", "life 2 at 52"]);
    expect(held(world, "k")).toBe("value");
  });

  test("code of a life that crashed in the middle of an event sends nothing and is never resumed", async () => {
    const world = quietWorld([at(1, { fault: "crash", phase: "send", forMs: 50 })]);
    const seen: string[] = [];
    world.addNode("n", (node) => {
      if (node.life > 1) {
        return;
      }
      const settled = (what: string) => () => void seen.push(what);
      void node.store.write(create("a")).finally(settled("a"));
      // The same event, after the crash.
      void node.store.write(create("b")).finally(settled("b"));
      void node.call("bank", "charge", () => seen.push("charged")).finally(settled("bank"));
      void node.store.watch!("b", new AbortController().signal).then(settled("watch"));
      node.runtime.setTimer(settled("timer"), 100);
      void node.sleep(100).then(settled("sleep"));
    });
    await world.pass(100);
    world.server.write(create("b", "by another"));
    await world.pass(1_000);
    expect(seen).toEqual([]);
    expect([...world.counts]).toEqual([["n store", 1]]);
  });

  test("what a paused life still held when it crashed is not done by the next, even if that pauses", async () => {
    const world = quietWorld([
      at(1, { fault: "crash", phase: "reply", forMs: 50 }),
      at(2, { fault: "pause", phase: "send", forMs: 500 }),
      at(3, { fault: "pause", phase: "send", forMs: 20 }),
    ]);
    const seen: string[] = [];
    const client = world.addClient("alice");
    world.addNode("n", (node) => {
      void node.store.read("k").catch(() => {});
      if (node.life === 1) {
        void node.store.read("l").catch(() => {});
        node.runtime.setTimer(() => seen.push("timer"), 1);
      }
    });
    const serve = async (): Promise<void> => void seen.push("served");
    // One reaches the paused process at 1 ms, one the crashed one at 11 ms.
    void world.request(client, "n", "one", 300, serve);
    await world.pass(10);
    void world.request(client, "n", "two", 300, serve);
    await world.pass(1_000);
    expect(storyOf(world, "node")).toEqual([
      "0 node alice started",
      "0 node n started",
      "0 node n paused",
      "2 node n crashed",
      "52 node n started",
      "52 node n paused",
      "72 node n resumed",
    ]);
    expect(seen).toEqual([]);
  });

  test.each(["crash", "pause", "suspend"] as const)(
    "%s at reply does not strike an answer that nobody waits for any more",
    async (fault) => {
      const world = quietWorld([
        at(1, { fault: "holdReply", forMs: 300 }),
        at(1, { fault, phase: "reply", forMs: 50 }),
      ]);
      await workOn(world, async (node) => {
        await node.store.write(create("k"));
        await node.sleep(500);
      });
      expect(storyOf(world, "node")).toEqual(["0 node n started"]);
      expect(world.struck.map((each) => each.fault)).toEqual(["holdReply"]);
    },
  );

  test("a fault may strike the new life as well: calls are counted on", async () => {
    const world = quietWorld([
      at(1, { fault: "crash", phase: "send", forMs: 10 }),
      at(2, { fault: "crash", phase: "send", forMs: 10 }),
    ]);
    const lives: number[] = [];
    world.addNode("n", (node) => {
      lives.push(node.life);
      void node.store.read("k").catch(() => {});
    });
    await world.pass(1_000);
    expect(lives).toEqual([1, 2, 3]);
  });

  test("healing starts a crashed node at once, and only once", async () => {
    const world = quietWorld([at(1, { fault: "crash", phase: "send", forMs: 500 })]);
    const lives: string[] = [];
    world.addNode("n", (node) => {
      lives.push(`${node.life} at ${nowMs(world)}`);
      if (node.life === 1) {
        void node.store.read("k");
      }
    });
    await world.pass(10);
    world.heal();
    await world.pass(1_000);
    expect(lives).toEqual(["1 at 0", "2 at 10"]);
  });

  test("a new life draws other random bytes, and the wall clock goes on", async () => {
    const world = quietWorld([at(1, { fault: "crash", phase: "send", forMs: 10 })]);
    const drawn: string[] = [];
    const wall: number[] = [];
    world.addNode("n", ({ runtime, store }) => {
      drawn.push(runtime.randomBytes(8).join());
      wall.push(runtime.wallNow());
      void store.read("k").catch(() => {});
    });
    await world.pass(100);
    expect(new Set(drawn).size).toBe(2);
    expect(wall[1]! - wall[0]!).toBe(10);
  });
});

/** What a node sees of its clocks while it ticks every 10 ms; its call number 1 is struck. */
function ticking(node: Node, ticks: string[], at: () => number): void {
  const start = { mono: node.runtime.monotonicNow(), wall: node.runtime.wallNow() };
  const tick = (): void => {
    const mono = node.runtime.monotonicNow() - start.mono;
    const wall = node.runtime.wallNow() - start.wall;
    ticks.push(`at ${at()} mono ${mono} wall ${wall}`);
    node.runtime.setTimer(tick, 10);
  };
  node.runtime.setTimer(tick, 10);
}

describe("pause", () => {
  test("at send: the request leaves, and timers fire, when the process goes on; clocks went on", async () => {
    const world = quietWorld([at(1, { fault: "pause", phase: "send", forMs: 25 })]);
    const ticks: string[] = [];
    const end = await workOn(world, async (node) => {
      ticking(node, ticks, () => nowMs(world));
      return endOf(world, node.store.write(create("k")));
    });
    expect(end).toMatchObject({ atMs: 27, returned: { outcome: "applied" } });
    expect(ticks).toEqual(["at 25 mono 25 wall 25"]);
    expect(storyOf(world, "node", "sent", "arrived", "answered")).toEqual([
      "0 node n started",
      "0 sent",
      "0 node n paused",
      "25 node n resumed",
      "26 arrived",
      "27 answered",
    ]);
  });

  test("at reply: the answer waits, though the request was carried out in time", async () => {
    const world = quietWorld([at(1, { fault: "pause", phase: "reply", forMs: 25 })]);
    const ticks: string[] = [];
    const end = await workOn(world, async (node) => {
      ticking(node, ticks, () => nowMs(world));
      return endOf(world, node.store.write(create("k")));
    });
    expect(end).toMatchObject({ atMs: 27, returned: { outcome: "applied" } });
    expect(storyOf(world, "arrived", "answered")).toEqual(["1 arrived", "27 answered"]);
    expect(ticks).toEqual([]);
  });

  test("longer than the timeout: what has come first is heard first", async () => {
    const world = quietWorld([at(1, { fault: "pause", phase: "reply", forMs: 1_000 })]);
    const end = await workOn(world, (node) => endOf(world, node.store.write(create("k"))));
    expect(end).toMatchObject({ atMs: 1_002, returned: { outcome: "applied" } });
  });

  test("answers that were held come one after the other, each as an event of its own", async () => {
    const world = quietWorld([at(3, { fault: "pause", phase: "send", forMs: 25 })]);
    const seen: string[] = [];
    await workOn(world, async (node) => {
      const follow = async (key: string): Promise<void> => {
        await node.store.read(key);
        seen.push(`${key} read`);
        // Everything that this answer lets run comes before the next answer.
        for (let turn = 0; turn < 5; turn += 1) {
          await undefined;
        }
        seen.push(`${key} handled`);
      };
      await Promise.all([follow("a"), follow("b"), node.store.read("c")]);
    });
    expect(seen).toEqual(["a read", "a handled", "b read", "b handled"]);
    expect(nowMs(world)).toBe(27);
  });

  test("a timer that is cancelled while it is held does not fire", async () => {
    const world = quietWorld([at(1, { fault: "pause", phase: "send", forMs: 25 })]);
    const seen: string[] = [];
    await workOn(world, async (node) => {
      let cancel = (): void => {};
      node.runtime.setTimer(() => {
        seen.push("first");
        cancel();
      }, 5);
      cancel = node.runtime.setTimer(() => seen.push("second"), 6);
      await node.store.read("k");
    });
    expect(seen).toEqual(["first"]);
  });

  test("healing ends it, and its own end then ends no later one", async () => {
    const world = quietWorld([at(1, { fault: "pause", phase: "send", forMs: 100 })]);
    let readAtMs = 0;
    world.addNode("n", (node) => {
      void node.store.read("k").then(() => {
        readAtMs = nowMs(world);
      });
    });
    await world.pass(10);
    world.heal();
    await world.pass(200);
    expect(readAtMs).toBe(12);
    expect(storyOf(world, "node").filter((line) => line.includes("resumed"))).toHaveLength(1);
  });
});

describe("suspend", () => {
  test("at send: the monotonic clock stands still, and timers count by it", async () => {
    const world = quietWorld([at(1, { fault: "suspend", phase: "send", forMs: 25 })]);
    const ticks: string[] = [];
    const end = await workOn(world, async (node) => {
      ticking(node, ticks, () => nowMs(world));
      const ended = await endOf(world, node.store.write(create("k")));
      await node.sleep(20);
      return ended;
    });
    expect(end).toMatchObject({ atMs: 27, returned: { outcome: "applied" } });
    expect(ticks).toEqual(["at 35 mono 10 wall 35", "at 45 mono 20 wall 45"]);
  });

  test("at reply: the answer waits", async () => {
    const world = quietWorld([at(1, { fault: "suspend", phase: "reply", forMs: 25 })]);
    const monotonic = await workOn(world, async (node) => {
      await node.store.read("k");
      return node.runtime.monotonicNow();
    });
    expect([nowMs(world), monotonic]).toEqual([27, 2]);
    expect(storyOf(world, "node").at(1)).toBe("2 node n suspended");
  });
});
