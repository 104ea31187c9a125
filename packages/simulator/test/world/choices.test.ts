// Where choices come from: seeds, tapes, records, enumeration and changing speeds.
import { describe, expect, test } from "vitest";
import { dedupScenario } from "../../src/scenarios/dedup.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import {
  type ChoiceSource,
  enumerateChoices,
  mix,
  pctChoices,
  recordChoices,
  seededChoices,
  tapeChoices,
} from "../../src/world/choices.ts";
import { profileOf } from "../../src/world/profile.ts";
import { hashTrace } from "../../src/world/trace.ts";
import { createWorld } from "../../src/world/world.ts";
import { at, nowMs, quietWorld, workOn } from "./stage.ts";

const DURABLE = profileOf("durable");
const scenario = dedupScenario("park", "t", { policy: "park", bank: "naive" }, []);
const hashOf = async (choices: ChoiceSource | undefined, tape?: readonly number[]) => {
  const spec = {
    scenario: scenario.id,
    profile: "durable",
    workload: "double-click",
    seed: 5,
    plan: [],
    ...(tape !== undefined && { tape }),
  } as const;
  return hashTrace((await runScenario(scenario, spec, choices ? { choices } : {})).trace);
};

describe("seeded", () => {
  test("a choice depends on the seed and its site alone, not on what was drawn before", () => {
    const one = seededChoices(7);
    const other = seededChoices(7);
    for (let site = 0; site < 100; site += 1) {
      other.pick(3, site * 31);
    }
    const sites = [5, 1 << 20, 12_345, -8];
    expect(sites.map((site) => one.pick(1_000, site))).toEqual(
      [...sites]
        .reverse()
        .map((site) => other.pick(1_000, site))
        .reverse(),
    );
  });

  test("seeds and sites give different choices, spread evenly", () => {
    const counts = new Array<number>(8).fill(0);
    for (let seed = 0; seed < 80; seed += 1) {
      for (let site = 0; site < 100; site += 1) {
        counts[seededChoices(seed).pick(8, site << 2)]! += 1;
      }
    }
    for (const count of counts) {
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1_100);
    }
    expect(mix(1, 2)).not.toBe(mix(2, 1));
  });

  test("a fault on one link leaves the travel times of the others as they were", async () => {
    const arrivals = async (faulty: boolean): Promise<unknown[]> => {
      const plan = faulty ? [at(1, { fault: "dropRequest" })] : [];
      const world = quietWorld(plan, { latenciesMs: [0.3, 0.5, 0.7, 0.9, 1.1, 1.3] });
      world.addNode("other", (node) => {
        void (async () => {
          for (const key of ["a", "b", "c"]) {
            await node.store.read(key);
          }
        })();
      });
      await workOn(world, (node) => node.store.read("k").catch(() => {}));
      await world.pass(300);
      const others = world.trace.filter((each) => each.type === "sent" && each.from === "other");
      return others.map(({ atUs }) => atUs);
    };
    expect(await arrivals(true)).toEqual(await arrivals(false));
  });
});

describe("tape", () => {
  test("is read in order, wraps into range, and is 0 after its end", () => {
    const source = tapeChoices([3, 9, 1]);
    expect([4, 4, 4, 4, 4].map((count) => source.pick(count, 99))).toEqual([3, 1, 1, 0, 0]);
  });

  test("a recorded run is repeated by its tape, in the options and in the spec", async () => {
    const recorded = recordChoices(seededChoices(99));
    const first = await hashOf(recorded);
    expect(recorded.tape.length).toBeGreaterThan(10);
    expect(await hashOf(tapeChoices(recorded.tape))).toBe(first);
    expect(await hashOf(undefined, recorded.tape)).toBe(first);
    expect(await hashOf(undefined)).not.toBe(first);
    const changed = recorded.tape.map((pick, index) => (index === 0 ? (pick + 1) % 8 : pick));
    expect(await hashOf(tapeChoices(changed))).not.toBe(first);
  });
});

describe("enumerate", () => {
  const visit = (depth: number, run: (pick: (count: number) => number) => void): void => {
    const source = enumerateChoices(depth);
    for (let runs = 0; source.next(); runs += 1) {
      expect(runs).toBeLessThan(1_000);
      run((count) => source.pick(count, 0));
    }
  };

  test("visits every combination exactly once", () => {
    const seen: string[] = [];
    visit(3, (pick) => seen.push(`${pick(2)}${pick(3)}${pick(4)}`));
    expect(seen).toHaveLength(24);
    expect(new Set(seen).size).toBe(24);
  });

  test("also where the number of choices depends on those made before", () => {
    const seen: string[] = [];
    visit(4, (pick) => {
      const first = pick(3);
      seen.push(
        first === 0 ? "0" : first === 1 ? `1${pick(2)}` : `2${pick(1)}${pick(3)}${pick(2)}`,
      );
    });
    expect(seen.sort()).toEqual(
      ["0", "10", "11", "2000", "2001", "2010", "2011", "2020", "2021"].sort(),
    );
  });

  test("varies only the first choices, the rest are 0", () => {
    const seen: string[] = [];
    visit(2, (pick) => seen.push(`${pick(2)}${pick(2)}${pick(5)}`));
    expect(seen.sort()).toEqual(["000", "010", "100", "110"]);
  });

  test("without depth there is one run", () => {
    let runs = 0;
    visit(0, (pick) => {
      runs += 1 + pick(9);
    });
    expect(runs).toBe(1);
  });

  test("in a world: two messages of two speeds each make all their orders", async () => {
    const orders = new Set<string>();
    const source = enumerateChoices(2);
    let runs = 0;
    while (source.next()) {
      runs += 1;
      const world = createWorld({
        profile: DURABLE,
        choices: source,
        latenciesMs: [1, 3],
        maxDrift: 0,
      });
      for (const name of ["a", "b"]) {
        world.addNode(name, (node) => void node.store.read("k"));
      }
      await world.pass(20);
      const arrived = world.trace.filter(({ type }) => type === "arrived");
      orders.add(arrived.map((each) => `${"message" in each && each.message}@${each.atUs}`).join());
    }
    expect(runs).toBe(4);
    expect(orders.size).toBe(4);
  });
});

describe("pct", () => {
  const party = (index: number): number => index << 20;

  test.each([0, 1, 3, 10])(
    "the parties' speeds change %s times within what is expected",
    (changes) => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const source = pctChoices(seed, changes, 50);
        const speeds: string[] = [];
        for (let made = 0; made < 50; made += 1) {
          speeds.push(String(source.pick(1 << 30, party(1))));
        }
        const seen = speeds.filter((speed, index) => index > 0 && speed !== speeds[index - 1]);
        expect(seen, `seed ${seed}`).toHaveLength(changes);
      }
    },
  );

  test("between changes a party keeps its speed at every site, and parties differ", () => {
    const source = pctChoices(4, 0);
    const speeds = [1, 2, 3].map((index) => {
      const all = [4, 8, 400].map((site) => source.pick(1 << 30, party(index) ^ site));
      expect(new Set(all).size).toBe(1);
      return all[0];
    });
    expect(new Set(speeds).size).toBe(3);
  });

  test("more changes than there are choices are made at every one", () => {
    const source = pctChoices(4, 100, 5);
    const speeds = [...Array(5).keys()].map(() => source.pick(1 << 30, party(1)));
    expect(new Set(speeds).size).toBe(5);
  });

  test("repeats with its seed in a run", async () => {
    expect(await hashOf(pctChoices(3, 4))).toBe(await hashOf(pctChoices(3, 4)));
    expect(await hashOf(pctChoices(3, 4))).not.toBe(await hashOf(pctChoices(4, 4)));
  });
});

test("a world's times depend on the seed", async () => {
  const ends = await Promise.all(
    [1, 1, 2].map(async (seed) => {
      const world = createWorld({ profile: DURABLE, seed });
      await workOn(world, async (node) => {
        for (const key of ["a", "b", "c", "d", "e"]) {
          await node.store.read(key);
        }
      });
      return nowMs(world);
    }),
  );
  expect(ends[0]).toBe(ends[1]);
  expect(ends[0]).not.toBe(ends[2]);
});
