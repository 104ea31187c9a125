// The guard: what it stops, what it leaves alone, and that it leaves nothing behind.
import { setImmediate as nextMacrotask } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { NondeterminismError } from "../../src/guard/nondeterminism-error.ts";
import { TRAPPED } from "../../src/guard/traps.ts";
import { type Hop, macrotaskHop, tickHop } from "../../src/runtime.ts";
import { profileOf } from "../../src/world/profile.ts";
import { createWorld, type Node, type World } from "../../src/world/world.ts";
import { planted } from "./planted.ts";

const HOPS: readonly (readonly [string, Hop])[] = [
  ["tickHop", tickHop],
  ["macrotaskHop", macrotaskHop],
];

const guardedWorld = (hop: Hop, seed = 1): World =>
  createWorld({ profile: profileOf("durable"), guard: true, hop, seed });

/** Lets one node work; settles when it has. */
async function runOn(world: World, work: (node: Node) => unknown): Promise<unknown> {
  let done: Promise<unknown> = Promise.resolve();
  world.addNode("n", (node) => {
    done = (async () => {
      await node.sleep(1);
      return work(node);
    })();
    done.catch(() => {});
  });
  return world.run(done);
}

/** Where each trapped global's property is, and what it is. */
function descriptors(): unknown[] {
  return TRAPPED.map((name) => {
    const path = name.split(".");
    const key = path.pop() as string;
    let holder: object = path.reduce<object>((at, step) => Reflect.get(at, step), globalThis);
    const own = Object.hasOwn(holder, key);
    while (!Object.hasOwn(holder, key)) {
      holder = Object.getPrototypeOf(holder);
    }
    const { value, get, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(
      holder,
      key,
    ) as PropertyDescriptor;
    return { name, own, holder, value, get, writable, enumerable, configurable };
  });
}

function sameDescriptors(now: unknown[], before: unknown[]): void {
  for (const [index, each] of (now as Record<string, unknown>[]).entries()) {
    for (const [field, value] of Object.entries(each)) {
      const was = (before[index] as Record<string, unknown>)[field];
      expect(Object.is(value, was), `${each.name} ${field}`).toBe(true);
    }
  }
}

const before = descriptors();
afterEach(() => sameDescriptors(descriptors(), before));

describe.each(HOPS)("under %s", (_, hop) => {
  test.each(Object.entries(planted))("%s is stopped and its place named", async (name, touch) => {
    const error = await runOn(guardedWorld(hop), touch).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NondeterminismError);
    const { code, global, at, stack, message } = error as NondeterminismError;
    expect({ code, global }).toEqual({ code: "nondeterministic", global: name });
    expect(at).toMatch(/planted\.ts:\d+/);
    expect(message).toContain(at);
    expect(stack).toMatch(/planted\.ts[\s\S]*guard\.test\.ts/);
  });

  test.each(Object.entries(planted))(
    "%s is reported though it is swallowed",
    async (name, touch) => {
      const swallow = async (): Promise<void> => {
        try {
          touch();
        } catch {
          // As a handler with a fallback would.
        }
      };
      await expect(runOn(guardedWorld(hop), swallow)).rejects.toMatchObject({ global: name });
    },
  );

  test("what is swallowed by an event that settles nothing is reported too", async () => {
    const world = guardedWorld(hop);
    const work = (node: Node): Promise<void> => {
      node.runtime.setTimer(() => {
        try {
          Date.now();
        } catch {}
      }, 5);
      return node.sleep(50);
    };
    await expect(runOn(world, work)).rejects.toThrow(NondeterminismError);
    expect(world.elapsedUs).toBeLessThan(10_000);
  });

  test("a microtask 10,000 deep is covered", async () => {
    const deep = async (): Promise<void> => {
      for (let depth = 0; depth < 10_000; depth += 1) {
        await undefined;
      }
      Date.now();
    };
    await expect(runOn(guardedWorld(hop), deep)).rejects.toThrow(NondeterminismError);
  });

  test("a microtask that nobody awaits is covered", async () => {
    const work = (): void => {
      const nested = async (depth: number): Promise<void> => {
        await undefined;
        return depth === 0 ? void Math.random() : nested(depth - 1);
      };
      nested(100).catch(() => {});
    };
    await expect(runOn(guardedWorld(hop), work)).rejects.toThrow(NondeterminismError);
  });

  test("a program is covered when it starts, and so are its first microtasks", async () => {
    const programs = [
      () => void Date.now(),
      () =>
        void Promise.resolve()
          .then(() => Date.now())
          .catch(() => {}),
    ];
    for (const program of programs) {
      const world = guardedWorld(hop);
      try {
        world.addNode("n", program);
      } catch {}
      await expect(world.pass(1)).rejects.toThrow(NondeterminismError);
    }
  });

  test("a program is covered when it starts again after a crash", async () => {
    const world = createWorld({
      profile: profileOf("durable"),
      guard: true,
      hop,
      plan: [{ from: "n", to: "store", nth: 1, fault: "crash", phase: "send", forMs: 5 }],
    });
    world.addNode("n", ({ life, store }) => {
      if (life === 1) {
        void store.read("k");
      } else {
        Date.now();
      }
    });
    await expect(world.pass(50)).rejects.toThrow(NondeterminismError);
  });

  test("what repeats passes: a date of a number, promises, queueMicrotask, the node's timers", async () => {
    const work = async (node: Node): Promise<unknown> => {
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      await node.sleep(3);
      const date = new Date(5);
      class Later extends Date {}
      return [
        date.getTime(),
        date instanceof Date,
        new Later(7).getTime(),
        new Later(7) instanceof Later,
        Date.UTC(1970, 0, 1, 0, 0, 1),
        Date.parse("1970-01-01T00:00:02Z"),
        Math.max(1, 2),
      ];
    };
    expect(await runOn(guardedWorld(hop), work)).toEqual([5, true, 7, true, 1000, 2000, 2]);
  });

  test("the host's clocks and timers go on between events and after", async () => {
    const world = guardedWorld(hop);
    let ticks = 0;
    let lastError: unknown;
    const host = setInterval(() => {
      try {
        ticks += 1;
        Object.values(planted).forEach((touch, index) => {
          const handle = touch();
          if (index >= 5 && index <= 7) {
            clearInterval(handle as NodeJS.Timeout);
          }
        });
      } catch (error) {
        lastError = error;
      }
    }, 1);
    const work = async (node: Node): Promise<void> => {
      for (let step = 0; step < 3_000; step += 1) {
        await node.sleep(1);
      }
    };
    try {
      await runOn(world, work);
      while (ticks === 0) {
        await nextMacrotask();
      }
    } finally {
      clearInterval(host);
    }
    expect(lastError).toBeUndefined();
  });

  test("globals are restored when the run gets stuck, and when it fails", async () => {
    const stuck = runOn(guardedWorld(hop), () => new Promise(() => {}));
    await expect(stuck).rejects.toThrow("stuck at");
    sameDescriptors(descriptors(), before);
    await expect(runOn(guardedWorld(hop), () => Promise.reject(new Error("no")))).rejects.toThrow();
    sameDescriptors(descriptors(), before);
  });

  test("runs at the same time: the last to end restores, and each reports its own", async () => {
    const long = async (node: Node): Promise<string> => {
      await node.sleep(1_000);
      return "done";
    };
    const touch = async (node: Node): Promise<unknown> => {
      await node.sleep(5);
      return Date.now();
    };
    // Under macrotaskHop they never share a window; under tickHop their microtasks interleave.
    const short = runOn(guardedWorld(hop, 2), touch).catch((error: unknown) => error);
    const other = runOn(guardedWorld(hop), long).catch((error: unknown) => error);
    expect(await short).toBeInstanceOf(NondeterminismError);
    const outcome = await other;
    if (hop === macrotaskHop) {
      expect(outcome).toBe("done");
    } else {
      expect(["done", "NondeterminismError"]).toContain((outcome as Error).name ?? outcome);
    }
  });

  test("a world that is run twice at the same time refuses the second", async () => {
    const world = guardedWorld(hop);
    const first = world.pass(5);
    await expect(world.pass(5)).rejects.toThrow("already");
    await first;
    await world.pass(5);
  });
});

test("between the events of a macrotaskHop run other macrotasks of the host run, unguarded", async () => {
  const world = guardedWorld(macrotaskHop);
  let turns = 0;
  let going = true;
  const host = (async () => {
    while (going) {
      await nextMacrotask();
      Date.now();
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
  })();
  await runOn(world, async (node) => {
    for (let step = 0; step < 200; step += 1) {
      await node.sleep(1);
    }
  });
  going = false;
  await host;
  expect(turns).toBeGreaterThan(20);
});

test("without the guard nothing is replaced or stopped", async () => {
  const world = createWorld({ profile: profileOf("durable") });
  const work = (): unknown => {
    sameDescriptors(descriptors(), before);
    return typeof Date.now();
  };
  expect(await runOn(world, work)).toBe("number");
});

test("fake timers that are set up during a run stay", async () => {
  const world = guardedWorld(tickHop);
  const fake = (): number => 42;
  const real = Object.getOwnPropertyDescriptor(globalThis, "setInterval") as PropertyDescriptor;
  await runOn(world, () => {
    Object.defineProperty(globalThis, "setInterval", { ...real, value: fake });
  });
  expect(globalThis.setInterval).toBe(fake);
  Object.defineProperty(globalThis, "setInterval", real);
});
