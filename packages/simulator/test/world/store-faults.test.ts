// What may befall the store, and its wake-ups.
import type { Stamp } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import { profileOf } from "../../src/world/profile.ts";
import { StoreServer } from "../../src/world/store-server.ts";
import type { Node } from "../../src/world/world.ts";
import { at, create, endOf, held, nowMs, quietWorld, seed, workOn } from "./stage.ts";

const KEYS = ["a", "b", "c", "d"];
const present = (world: Parameters<typeof held>[0]): string =>
  KEYS.filter((key) => held(world, key) !== undefined).join("");

/** Creates a to d one after the other; how each ended. */
async function creates(node: Node): Promise<string[]> {
  const outcomes: string[] = [];
  for (const key of KEYS) {
    outcomes.push((await node.store.write(create(key))).outcome);
  }
  return outcomes;
}

describe.each([
  ["restartStore", {}],
  ["failover", { lagMs: 0 }],
] as const)("%s", (fault, more) => {
  const strike = (phase: "arrive" | "apply", loses: number) =>
    quietWorld([at(3, { fault, phase, loses, ...more } as never)]);

  test("on arrival: the request is lost, and so are the last writes before it", async () => {
    const world = strike("arrive", 1);
    expect(await workOn(world, creates)).toEqual(["applied", "applied", "unknown", "applied"]);
    expect(present(world)).toBe("ad");
  });

  test("after applying: the answer comes, and what it told of is lost", async () => {
    const world = strike("apply", 2);
    expect(await workOn(world, creates)).toEqual(["applied", "applied", "applied", "applied"]);
    expect(present(world)).toBe("ad");
  });

  test.each(["arrive", "apply"] as const)(
    "at %s, with nothing to lose, loses nothing",
    async (phase) => {
      const world = strike(phase, 0);
      await workOn(world, creates);
      expect(present(world)).toBe(phase === "arrive" ? "abd" : "abcd");
    },
  );

  test("loses no more than there is, and the trace tells how many", async () => {
    const world = strike("arrive", 9);
    await workOn(world, creates);
    expect(present(world)).toBe("d");
    expect(world.trace.find(({ type }) => type === "store")).toMatchObject({
      atUs: 5_000,
      change: expect.stringContaining("2 writes lost"),
    });
  });

  test("a write of several keys is lost whole", async () => {
    const world = strike("apply", 2);
    await workOn(world, async (node) => {
      await seed(node, "a");
      const { opId } = create("all");
      const writes = ["b", "c"].map(
        (key) => ({ key, expect: "absent", next: create(key).next }) as const,
      );
      await node.store.writeAll!({ opId, writes });
      await seed(node, "d");
    });
    expect(present(world)).toBe("a");
  });

  test("a change that is lost leaves what was there before", async () => {
    const world = quietWorld([at(3, { fault, phase: "apply", loses: 2, ...more } as never)]);
    await workOn(world, async (node) => {
      const first = await seed(node, "a", "first");
      let stamp: Stamp = { revision: first.revision, opId: create("a", "first").opId };
      for (const value of ["second", "third"]) {
        const { opId, next } = create("a", value);
        const result = await node.store.write({ key: "a", opId, expect: stamp, next });
        expect(result.outcome).toBe("applied");
        stamp = { revision: result.outcome === "applied" ? result.revision : 0, opId };
      }
    });
    expect(held(world, "a")).toBe("first");
  });
});

test("failover with a lag: the new clock is behind by so much", async () => {
  const world = quietWorld([at(2, { fault: "failover", phase: "apply", loses: 1, lagMs: 500 })]);
  const nows = await workOn(world, async (node) => {
    const first = await seed(node, "a");
    const second = await seed(node, "b");
    const third = await seed(node, "b", "again");
    return [second.now - first.now, third.now - second.now, third.revision - second.revision];
  });
  // The lost revision is ahead of the new one: what a lagging replica is there to show.
  expect(nows).toEqual([2_000, 2_000 - 500_000, 2_000 - 500_000]);
});

describe("jumpStoreClock", () => {
  test.each([-4_000, 4_000])("by %s ms: before the request is carried out", async (byMs) => {
    const world = quietWorld([at(2, { fault: "jumpStoreClock", byMs })]);
    const [first, second] = await workOn(world, async (node) => [
      await seed(node, "a"),
      await seed(node, "b"),
    ]);
    expect(second!.writtenAt - first!.writtenAt).toBe(2_000 + byMs * 1000);
  });

  test("back: a key's revisions increase nevertheless, within the tombstone time", async () => {
    const world = quietWorld([at(2, { fault: "jumpStoreClock", byMs: -4_000 })]);
    await workOn(world, async (node) => {
      const first = await seed(node, "a");
      const { opId, next } = create("a", "second");
      const expected = { revision: first.revision, opId: create("a").opId };
      const second = await node.store.write({ key: "a", opId, expect: expected, next });
      expect(second).toMatchObject({ outcome: "applied", revision: first.revision + 1 });
    });
  });

  test("back beyond it: what was forgotten before the jump stays forgotten", () => {
    let elapsedUs = 0;
    const server = new StoreServer({
      elapsedUs: () => elapsedUs,
      startUs: 1e15,
      tombstoneUs: 1_000_000,
      onChange: () => {},
    });
    const write = create("a");
    server.write({ ...write, next: { value: "short", ttlMs: 10 } });
    elapsedUs = 1_000_000;
    expect(server.read("a")).toMatchObject({ revision: 1e15 });
    elapsedUs = 1_010_001;
    expect(server.read("a")).toEqual({ now: 1e15 + 1_010_001 });
    server.jumpClock(-1_005_000);
    expect(server.read("a")).toEqual({ now: 1e15 + 5_001 });
  });
});

test("evict: the key is gone when the request is carried out, its tombstone too, and no other", async () => {
  const world = quietWorld([at(3, { fault: "evict" })]);
  const read = await workOn(world, async (node) => {
    await seed(node, "a");
    await seed(node, "b");
    return node.store.read("a");
  });
  expect(read).toEqual({ now: expect.any(Number) });
  expect(present(world)).toBe("b");
});

test("evict strikes all keys of a writeAll", async () => {
  const world = quietWorld([at(4, { fault: "evict" })]);
  await workOn(world, async (node) => {
    for (const key of ["a", "b", "c"]) {
      await seed(node, key, "old");
    }
    const writes = ["a", "b"].map(
      (key) => ({ key, expect: "absent", next: create(key).next }) as const,
    );
    const result = await node.store.writeAll!({ opId: create("all").opId, writes });
    expect(result.outcome).toBe("applied");
  });
  expect(held(world, "c")).toBe("old");
});

test("staleReads: reads stand still for so long, writes do not, and the clock goes on", async () => {
  const world = quietWorld([at(2, { fault: "staleReads", forMs: 20 })]);
  await workOn(world, async (node) => {
    const { writtenAt } = await seed(node, "a");
    // Struck on its arrival at 3 ms.
    await seed(node, "b");
    const stale = await node.store.read("b");
    expect(stale.entry).toBeUndefined();
    expect(stale.now - writtenAt).toBe(4_000);
    expect((await node.store.read("a")).entry?.value).toBe("value");
    expect((await node.store.write(create("b", "again"))).outcome).toBe("refused");
    await node.sleep(20 + 3 - 1.001 - nowMs(world));
    expect((await node.store.read("b")).entry).toBeUndefined();
    expect((await node.store.read("b")).entry?.value).toBe("value");
  });
});

test("staleReads end when everything is healed", async () => {
  const world = quietWorld([at(1, { fault: "staleReads", forMs: 60_000 })]);
  await workOn(world, async (node) => {
    await seed(node, "a");
    expect((await node.store.read("a")).entry).toBeUndefined();
    world.heal();
    expect((await node.store.read("a")).entry?.value).toBe("value");
  });
});

describe("watch", () => {
  const watching = (node: Node, key = "k", signal = new AbortController().signal) =>
    node.store.watch!(key, signal);

  test("wakes a moment after a write of its key, by whomever, and of no other key", async () => {
    const world = quietWorld();
    let other: Node | undefined;
    world.addNode("other", (node) => {
      other = node;
    });
    const woken = await workOn(world, async (node) => {
      const woke = endOf(world, watching(node));
      let late = false;
      void watching(node, "never").then(() => {
        late = true;
      });
      await seed(other!, "l");
      await seed(other!, "k");
      const end = await woke;
      await node.sleep(100);
      expect(late).toBe(false);
      return end;
    });
    // The write arrives at 3 ms; the wake-up takes half a millisecond.
    expect(woken).toEqual({ atMs: 3.5, returned: undefined });
  });

  test("settles when its signal aborts, and at once if it had aborted before", async () => {
    const world = quietWorld();
    const ends = await workOn(world, async (node) => {
      const controller = new AbortController();
      const first = endOf(world, watching(node, "k", controller.signal));
      await node.sleep(7);
      controller.abort();
      return [await first, await endOf(world, watching(node, "k", controller.signal))];
    });
    expect(ends.map(({ atMs }) => atMs)).toEqual([7, 7]);
  });

  test("wakes a paused node when it goes on, and the next life of a crashed one not at all", async () => {
    for (const [fault, expected] of [
      ["pause", [50]],
      ["crash", []],
    ] as const) {
      const world = quietWorld([at(1, { fault, phase: "send", forMs: 50 })]);
      const woken: number[] = [];
      world.addNode("n", (node) => {
        if (node.life === 1) {
          void watching(node).then(() => woken.push(nowMs(world)));
          void node.store.read("x").catch(() => {});
        }
      });
      await world.pass(10);
      world.server.write(create("k"));
      await world.pass(500);
      expect(woken, fault).toEqual(expected);
    }
  });

  test("a profile without it offers none, nor writeAll", () => {
    const world = quietWorld([], { profile: profileOf("single-key") });
    world.addNode("n", ({ store }) => {
      expect([typeof store.watch, typeof store.writeAll]).toEqual(["undefined", "undefined"]);
    });
    expect.assertions(1);
  });
});

test("a closed client refuses calls, and what it had sent is still answered", async () => {
  const world = quietWorld();
  const ends = await workOn(world, async (node) => {
    const sent = endOf(world, node.store.write(create("k")));
    await node.store.close();
    return [await endOf(world, node.store.read("k")), await sent];
  });
  expect(ends).toMatchObject([
    { atMs: 0, code: "closed" },
    { atMs: 2, returned: { outcome: "applied" } },
  ]);
});
