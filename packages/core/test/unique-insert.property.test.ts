// The guarantee sentences of unique inserts as laws over plans of concurrent and repeated inserts
// that share keys. The oracle is what stands under every key in the end, read past the network.

import {
  createUniqueInsert,
  type Inserted,
  type InsertResult,
  type KeySet,
  type UniqueInsert,
} from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerOf, CHAOS, type ChaosKind, createChaos, type Threw } from "./support/chaos.ts";
import { propertyRuns } from "./support/property-runs.ts";
import { type Asked, carryOut, type RequestPlan, requestPlans } from "./support/request-plan.ts";

interface Ask {
  readonly keys: KeySet;
  readonly value: number;
}

type Plan = RequestPlan<Ask>;
type Answer = InsertResult<number> | Threw;

interface Run extends Asked<Answer> {
  /** What stands under each key, by name and key. */
  readonly held: ReadonlyMap<string, Inserted<number>>;
}

const EMAILS = ["e1", "e2"];
const PHONES = ["p1", "p2"];
const place = (name: string, key: string): string => `${name}=${key}`;

function asks({ multi }: ChaosKind): fc.Arbitrary<Ask> {
  const one = { email: fc.constantFrom(...EMAILS) };
  const two = { ...one, phone: fc.constantFrom(...PHONES) };
  const value = fc.integer({ min: 0, max: 1 });
  return fc.record({
    keys: multi ? fc.oneof(fc.record(one), fc.record(two)) : fc.record(one),
    value,
  });
}

async function execute(kind: ChaosKind, plan: Plan): Promise<Run> {
  const world = createChaos(kind, plan.seed);
  const over = (store: typeof world.store): UniqueInsert<number, string | KeySet> =>
    createUniqueInsert<number>({
      // Where writeAll is hidden, every ask has one key, which a plain store takes too.
      store: store as MultiKeyStore,
      name: "users",
      runtime: world.runtime,
    });
  const [inserts, oracle] = [over(world.store), over(world.direct)];
  const asked = await carryOut<null, Answer>(world, plan, {
    key: null,
    snapshot: async () => null,
    ask: (index) => {
      const { ask, named } = plan.requests[index] ?? { ask: { keys: {}, value: 0 }, named: false };
      return answerOf(inserts.insert({ ...ask, ...(named && { requestId: `r${index}` }) }));
    },
  });
  const held = new Map<string, Inserted<number>>();
  for (const [name, keys] of Object.entries({ email: EMAILS, phone: PHONES })) {
    for (const key of keys) {
      const inserted = await oracle.get({ [name]: key });
      if (inserted !== undefined) {
        held.set(place(name, key), inserted);
      }
    }
  }
  return { ...asked, held };
}

/** Hands the run of each plan to the law. */
async function holds(kind: ChaosKind, law: (run: Run, plan: Plan) => void): Promise<void> {
  const property = fc.asyncProperty(requestPlans(asks(kind)), async (plan) =>
    law(await execute(kind, plan), plan),
  );
  await fc.assert(property, propertyRuns(kind.faulty ? 100 : 40));
}

const given = (run: Run, index: number): readonly Answer[] => {
  const last = run.afterwards[index];
  return [...(run.during[index] ?? []), ...(last ? [last] : [])];
};

/** Whether a request was told that it is the creator. */
const recognised = (run: Run, index: number): boolean =>
  given(run, index).some(({ outcome }) => outcome === "created" || outcome === "replayed");

/** The requests that asked for exactly this. */
const askersOf = (plan: Plan, { keys, value }: Inserted<number>): readonly number[] =>
  [...plan.requests.keys()].filter((index) => {
    const ask = plan.requests[index]?.ask;
    return ask?.value === value && JSON.stringify(ask.keys) === JSON.stringify(keys);
  });

describe.each(CHAOS)("$title", (kind) => {
  test("one value per key, all keys or none", () =>
    holds(kind, (run, plan) => {
      for (const inserted of run.held.values()) {
        for (const [name, key] of Object.entries(inserted.keys)) {
          expect(run.held.get(place(name, key))).toEqual(inserted);
        }
        expect(askersOf(plan, inserted).length).toBeGreaterThan(0);
      }
      for (const [index, { ask }] of plan.requests.entries()) {
        if (recognised(run, index)) {
          for (const [name, key] of Object.entries(ask.keys)) {
            expect(run.held.get(place(name, key))).toEqual(ask);
          }
        }
      }
    }));

  test("the creator is always recognised, and nobody else is", () =>
    holds(kind, (run, plan) => {
      for (const inserted of run.held.values()) {
        const askers = askersOf(plan, inserted);
        const creators = askers.filter((index) => recognised(run, index));
        expect(creators.length).toBeLessThanOrEqual(1);
        const created = askers.flatMap((index) => given(run, index));
        expect(created.filter(({ outcome }) => outcome === "created").length).toBeLessThanOrEqual(
          1,
        );
        // Only an unnamed request that was left without an answer may have created unseen.
        const unseen = askers.some(
          (index) =>
            plan.requests[index]?.named === false &&
            given(run, index).some(({ outcome }) => outcome === "indeterminate"),
        );
        expect(creators.length).toBeGreaterThanOrEqual(unseen ? 0 : 1);
      }
      for (const index of plan.requests.keys()) {
        const outcomes = given(run, index).map(({ outcome }) => outcome);
        const others = outcomes.includes("exists") || outcomes.includes("conflict");
        expect(recognised(run, index) && others).toBe(false);
      }
    }));

  test("exists means the same content, conflict names a key that another value holds", () =>
    holds(kind, (run, plan) => {
      for (const [index, { ask, named }] of plan.requests.entries()) {
        for (const answer of given(run, index)) {
          if (answer.outcome === "exists") {
            const [[name, key] = ["", ""]] = Object.entries(ask.keys);
            expect(run.held.get(place(name, key))).toEqual(ask);
          } else if (answer.outcome === "conflict") {
            const held = run.held.get(place(answer.key, ask.keys[answer.key] ?? ""));
            expect(held).toBeDefined();
            expect(held).not.toEqual(ask);
            expect(recognised(run, index)).toBe(false);
          } else if (answer.outcome === "replayed") {
            expect(named).toBe(true);
            expect(answer.value).toBe(ask.value);
          }
        }
      }
    }));

  test("every named insert has its answer when all is calm", () =>
    holds(kind, (run, plan) => {
      for (const [index, { named }] of plan.requests.entries()) {
        if (named) {
          const outcomes = ["created", "replayed", "exists", "conflict"];
          expect(outcomes).toContain(run.afterwards[index]?.outcome);
        }
      }
    }));
});
