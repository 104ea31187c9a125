// Transactions of a world's store, message by message: who waits for whom, and what ends them.
import { createMemoryStore } from "@onceproof/core";
import type { TransactionalStore } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import type { FaultPlan } from "../../src/world/fault-plan.ts";
import { profileOf } from "../../src/world/profile.ts";
import { serveStore, type WorldTransaction } from "../../src/world/served-store.ts";
import type { Node, World, WorldOptions } from "../../src/world/world.ts";
import { at, create, endOf, quietWorld, storyOf, TIMEOUT_MS, workOn } from "./stage.ts";

type Store = TransactionalStore<WorldTransaction>;

const worldOf = (plan: FaultPlan = [], options: Partial<WorldOptions> = {}): World =>
  quietWorld(plan, { profile: profileOf("transactional"), ...options });

const storeOf = (node: Node): Store => node.store as Store;

/** Creates a key in a transaction, then does the rest. */
const claim = (
  node: Node,
  key: string,
  rest: (tx: WorldTransaction) => Promise<unknown> = async () => {},
): Promise<string> =>
  storeOf(node).transaction(async (tx) => {
    const { outcome } = await storeOf(node).bind(tx).write(create(key, node.name));
    if (outcome === "applied") {
      await rest(tx);
    }
    return outcome;
  });

const charge = (tx: WorldTransaction, key = "k", locks?: string): Promise<void> =>
  tx.insert({ table: "charges", key, value: 1, ...(locks !== undefined && { locks }) });

/** What was committed to the user's own table, and when. */
const rows = (world: World): string[] =>
  world.recorder.history.effects.map(({ key, by, atUs }) => `${key} by ${by} at ${atUs / 1000}`);

/** Runs work on two nodes at once. */
async function onBoth(
  world: World,
  work: (node: Node) => Promise<unknown>,
): Promise<Awaited<ReturnType<typeof endOf>>[]> {
  const ends: Promise<Awaited<ReturnType<typeof endOf>>>[] = [];
  for (const name of ["n", "m"]) {
    let started = false;
    world.addNode(name, (node) => {
      if (!started) {
        started = true;
        ends.push(endOf(world, work(node)));
      }
    });
  }
  return world.run(Promise.all(ends));
}

describe("a transaction", () => {
  test("takes a message for each statement, and its rows count from the commit on", async () => {
    const world = worldOf();
    const outcome = await workOn(world, (node) => claim(node, "k", (tx) => charge(tx)));
    expect(outcome).toBe("applied");
    const asked = world.trace.flatMap((event) =>
      event.type === "sent" && event.ask.ask === "session" ? [event.ask.does.step] : [],
    );
    expect(asked).toEqual(["begin", "write", "insert", "commit"]);
    expect(rows(world)).toEqual(["k by n at 7"]);
  });

  test("that throws takes everything back", async () => {
    const world = worldOf();
    const end = await workOn(world, (node) =>
      endOf(
        world,
        claim(node, "k", async (tx) => {
          await charge(tx);
          throw new Error("broken");
        }),
      ),
    );
    expect(end).toEqual({ atMs: 8, code: undefined });
    expect(rows(world)).toEqual([]);
    expect(world.server.read("k").entry).toBeUndefined();
  });

  test("makes another wait, which then sees what was committed", async () => {
    const world = worldOf();
    const ends = await onBoth(world, (node) => claim(node, "k", () => node.sleep(50)));
    expect(ends).toEqual([
      { atMs: 56, returned: "applied" },
      // Granted when the first one commits at 55; its rollback is not asked for.
      { atMs: 58, returned: "refused" },
    ]);
  });

  test("makes plain writes wait too", async () => {
    const world = worldOf();
    const ends = await onBoth(world, (node) =>
      node.name === "n" ? claim(node, "k", () => node.sleep(50)) : waitAndWrite(node),
    );
    expect(ends[1]).toMatchObject({ atMs: 56, returned: { outcome: "refused" } });
  });

  test("ends a wait that takes too long: contended, and certainly nothing happened", async () => {
    const world = worldOf();
    const ends = await onBoth(world, (node) => claim(node, "k", () => node.sleep(500)));
    expect(ends[1]).toEqual({ atMs: 2 + 2 + 0.8 * TIMEOUT_MS + 2, code: "contended" });
    expect(ends[0]).toMatchObject({ returned: "applied" });
  });

  test("ends who closes a circle, and the other goes on", async () => {
    const world = worldOf();
    const ends = await onBoth(world, (node) =>
      storeOf(node).transaction(async (tx) => {
        const [first, second] = node.name === "n" ? ["a", "b"] : ["b", "a"];
        await charge(tx, node.name, first);
        await node.sleep(10);
        await charge(tx, node.name, second);
      }),
    );
    expect(ends.map(({ code }) => code)).toEqual([undefined, "contended"]);
    expect(rows(world)).toHaveLength(2);
  });

  test("that failed commits nothing, though its function goes on", async () => {
    const world = worldOf();
    const ends = await onBoth(world, async (node) => {
      if (node.name === "n") {
        return claim(node, "k", () => node.sleep(500));
      }
      return storeOf(node).transaction(async (tx) => {
        await charge(tx, "other");
        await storeOf(node)
          .bind(tx)
          .write(create("k", "m"))
          .catch(() => {});
      });
    });
    expect(ends[1]?.code).toBe("contended");
    expect(rows(world)).toEqual([]);
  });
});

async function waitAndWrite(node: Node): Promise<unknown> {
  await node.sleep(10);
  return node.store.write(create("k", "m"));
}

describe("what is lost on the way", () => {
  const charged = (node: Node): Promise<string> => claim(node, "k", (tx) => charge(tx));
  // Calls of the node: 1 begin, 2 claim, 3 insert, 4 commit.

  test.each([
    ["a statement", 3, "unavailable", 0],
    ["the request of a commit", 4, "indeterminate", 0],
  ] as const)("%s: nothing is committed", async (_, nth, code, committed) => {
    const world = worldOf([at(nth, { fault: "dropRequest" })]);
    const end = await workOn(world, (node) => endOf(world, charged(node)));
    expect(end.code).toBe(code);
    await world.pass(5_000);
    expect(rows(world)).toHaveLength(committed);
  });

  test("the answer to a commit: indeterminate, and committed", async () => {
    const world = worldOf([at(4, { fault: "dropReply" })]);
    const end = await workOn(world, (node) => endOf(world, charged(node)));
    expect([end.code, rows(world)]).toEqual(["indeterminate", ["k by n at 7"]]);
  });

  test("a commit that is held arrives after its client has hung up, and is carried out", async () => {
    const world = worldOf([at(4, { fault: "holdRequest", forMs: 300 })]);
    const end = await workOn(world, (node) => endOf(world, charged(node)));
    expect(end).toEqual({ atMs: 6 + TIMEOUT_MS, code: "indeterminate" });
    await world.pass(500);
    expect(rows(world)).toEqual(["k by n at 307"]);
  });

  test("a second copy of a message is dropped", async () => {
    for (const nth of [1, 2, 3, 4]) {
      const world = worldOf([at(nth, { fault: "duplicate", afterMs: 300 })]);
      expect(await workOn(world, charged)).toBe("applied");
      await world.pass(500);
      expect(rows(world)).toHaveLength(1);
    }
  });

  test.each([
    ["arrive", 2, "unavailable", 0],
    ["apply", 2, "unavailable", 0],
    ["arrive", 4, "indeterminate", 0],
    ["apply", 4, "indeterminate", 1],
  ] as const)("a connection, as call %s %i", async (phase, nth, code, committed) => {
    const world = worldOf([at(nth, { fault: "disconnect", phase })]);
    const end = await workOn(world, (node) => endOf(world, charged(node)));
    // Told at once, not after a timeout.
    expect(end).toMatchObject({ code, atMs: 2 * nth });
    expect(rows(world)).toHaveLength(committed);
    // What it had locked is free.
    const { server } = world;
    expect(server.read("k").entry === undefined).toBe(committed === 0);
    expect(await workAgain(world)).toBe(committed === 0 ? "applied" : "refused");
  });

  test.each([
    ["a restart of the store", { fault: "restartStore", phase: "arrive", loses: 0 }],
    ["a crash of the client", { fault: "crash", phase: "send", forMs: 300 }],
  ] as const)("%s rolls back what is open", async (_, fault) => {
    const world = worldOf([at(4, fault)]);
    world.addNode("n", (node) => void charged(node).catch(() => {}));
    await world.pass(100);
    expect(rows(world)).toEqual([]);
    expect(await workAgain(world)).toBe("applied");
  });

  test("a client that stands still loses its transaction, and is told", async () => {
    const world = worldOf([at(3, { fault: "pause", phase: "send", forMs: 3_000 })]);
    const end = await workOn(world, (node) => endOf(world, charged(node)));
    expect(end.code).toBe("unavailable");
    expect(storyOf(world, "store")).toEqual(["2503 store"]);
    expect(rows(world)).toEqual([]);
  });

  test("a shorter pause does it no harm", async () => {
    const world = worldOf([at(3, { fault: "pause", phase: "send", forMs: 100 })]);
    expect(await workOn(world, charged)).toBe("applied");
  });
});

/** Another node claims the same key. */
async function workAgain(world: World): Promise<string> {
  let done: Promise<string> | undefined;
  world.addNode("again", (node) => {
    done = claim(node, "k");
  });
  return world.run(done as Promise<string>);
}

describe("a store that is plugged in", () => {
  test("is served message by message, on the world's clock, and fails where it would run again", async () => {
    const clocks: number[] = [];
    const world = worldOf([], {
      database: ({ runtime }) => {
        clocks.push(runtime.wallNow());
        const store = createMemoryStore({ runtime });
        return serveStore(store, () => {});
      },
    });
    const ends = await onBoth(world, (node) => claim(node, "k", () => node.sleep(50)));
    expect(clocks).toEqual([1_800_000_000_000]);
    // Both claim; whose commit comes second has seen what no longer stands.
    expect(ends.map(({ returned, code }) => returned ?? code).sort()).toEqual([
      "applied",
      "contended",
    ]);
  });
});
