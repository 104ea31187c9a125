// The contract's clauses on the simulated store of every profile that keeps the contract: the same
// cases that the real stores answer. Those that break it are caught by a case when they do.
import type { MultiKeyStore } from "@onceproof/core/advanced";
import {
  ConformanceError,
  type ConformanceHarness,
  type Need,
  storeConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import type { FaultPlan, WorldFault } from "../../src/world/fault-plan.ts";
import { PROFILES, type ProfileId, profileOf } from "../../src/world/profile.ts";
import { createWorld, type Node } from "../../src/world/world.ts";
import { registerCases } from "../support/register-cases.ts";

type Drive = <T>(promise: Promise<T>) => Promise<T>;

/** The first calls of a node all suffer this. */
const always = (from: string, fault: WorldFault, calls = 400): FaultPlan =>
  [...Array(calls).keys()].map((at) => ({ from, to: "store", nth: at + 1, ...fault }));

/** A world per data set; the case that made it drives it. */
function simulated(profileId: ProfileId, plan: FaultPlan = [], backBy = 1): ConformanceHarness {
  const profile = profileOf(profileId);
  const restart: WorldFault = profile.faults.includes("failover")
    ? { fault: "failover", phase: "arrive", loses: 0, lagMs: 0 }
    : { fault: "restartStore", phase: "arrive", loses: 0 };
  const nodes = new Map<string, Node>();
  const node = (name: string): Node => nodes.get(name)!;
  let drive: Drive = (promise) => promise;
  return {
    drive: (promise) => drive(promise),
    runtime: {
      wallNow: () => node("one").runtime.wallNow(),
      monotonicNow: () => node("one").runtime.monotonicNow(),
      setTimer: (callback, delayMs) => node("one").runtime.setTimer(callback, delayMs),
      randomBytes: (length) => node("one").runtime.randomBytes(length),
    },
    async create() {
      const world = createWorld({
        profile,
        guard: true,
        plan: [
          ...plan,
          ...always("repliesLost", { fault: "dropReply" }),
          ...always("requestsLost", { fault: "dropRequest" }),
          ...always("stalled", { fault: "dropReply" }),
          ...always("restarter", restart, 1),
        ],
      });
      for (const name of [
        "one",
        "two",
        "three",
        "repliesLost",
        "requestsLost",
        "stalled",
        "restarter",
      ]) {
        world.addNode(name, (made) => nodes.set(name, made));
      }
      drive = (promise) => world.run(promise);
      const { store } = node("one");
      let [usual, next] = [store, store];
      const take = (): MultiKeyStore => {
        const taken = next as MultiKeyStore;
        next = usual;
        return taken;
      };
      return {
        store: {
          ...store,
          read: (key) => take().read(key),
          write: (write) => take().write(write),
          close: () => {
            usual = store;
            next = store;
            return store.close();
          },
          ...(profile.multiKey && { writeAll: (all) => take().writeAll(all) }),
        } as MultiKeyStore,
        peer: node("two").store,
        advance: (byMs) => node("one").sleep(byMs),
        stepBack: async (byMs) => world.server.jumpClock(-byMs * 1000 * backBy),
        loseReply: () => {
          next = node("repliesLost").store;
        },
        loseRequest: () => {
          next = node("requestsLost").store;
        },
        stall: () => {
          usual = node("stalled").store;
          next = usual;
          return () => {
            usual = store;
            next = store;
          };
        },
        async restart() {
          // The request that meets the restart is lost, as its sender is told.
          await node("restarter")
            .store.read("k")
            .catch(() => {});
          return node("three").store;
        },
        close: () => store.close(),
      };
    },
  };
}

const breaks = (title: string): boolean => title.startsWith("breaks the contract");

// A world has one namespace, and no sweeps.
const LACKS: readonly Need[] = ["otherNamespace", "otherNamespaceTail", "transaction", "sweep"];

describe.each(PROFILES.filter(({ title }) => !breaks(title)))("the profile $id", (profile) => {
  const harness = simulated(profile.id);
  const offered =
    profile.transactions !== "none" ? LACKS.filter((it) => it !== "transaction") : LACKS;
  const lacks: readonly Need[] = profile.multiKey ? offered : [...offered, "writeAll", "watch"];
  registerCases(harness, { lacks });
});

describe("a profile that breaks the contract is rejected when it does", () => {
  // Each with the law that it is to break, and how far back a step goes beyond what the kit asks.
  const cases: readonly (readonly [ProfileId, string, FaultPlan, number])[] = [
    ["evicting", "S3.7-remembered", always("one", { fault: "evict" }), 1],
    [
      "stale-reads",
      "S1.6-read-your-write",
      always("one", { fault: "staleReads", forMs: 60_000 }),
      1,
    ],
    ["clock-far-back", "S3.10-step-back-forgotten", [], 3],
  ];

  async function rejectedBy(
    profile: ProfileId,
    plan: FaultPlan,
    backBy: number,
  ): Promise<string[]> {
    const harness = { ...simulated(profile, plan, backBy), onSkip: () => {} };
    const ids: string[] = [];
    for (const { id, run } of storeConformance(harness)) {
      await run().catch((error: unknown) => {
        expect(error).toBeInstanceOf(ConformanceError);
        ids.push(id);
      });
    }
    return ids;
  }

  test("every breaking profile is here", () => {
    const breaking = PROFILES.filter(({ title }) => breaks(title)).map(({ id }) => id);
    expect(cases.map(([id]) => id).sort()).toEqual(breaking.sort());
  });

  test.each(cases)("%s breaks %s", async (profile, law, plan, backBy) => {
    expect(await rejectedBy(profile, [], 1)).toEqual([]);
    expect(await rejectedBy(profile, plan, backBy)).toContain(law);
  });
});
