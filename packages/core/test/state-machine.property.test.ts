// The guarantee sentences of the state machine as laws over plans of concurrent, repeated and
// forgotten requests. The oracle is a naive ledger: each move appends its request to the entity's
// data, so what happened, and in which order, is there to be read.

import { createStateMachine, type FireResult, type StateMachine } from "@onceproof/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerOf, CHAOS, type ChaosKind, createChaos, type Threw } from "./support/chaos.ts";
import { propertyRuns } from "./support/property-runs.ts";
import {
  type Asked,
  carryOut,
  memoryOf,
  type RequestPlan,
  requestPlans,
} from "./support/request-plan.ts";

const definition = {
  initial: "a",
  events: {
    ab: { from: ["a"], to: "b" },
    bc: { from: ["b"], to: "c" },
    ca: { from: ["c"], to: "a" },
    skip: { from: ["a", "b"], to: "c" },
    stay: { from: ["b"], to: "b" },
  },
} as const;

type State = "a" | "b" | "c";
type Event = keyof typeof definition.events;
type Plan = RequestPlan<Event>;
/** The requests that moved the entity, in order. */
type Ledger = readonly number[];
type Ring = StateMachine<State, Event, Ledger>;
type Answer = FireResult<State, Event> | Threw;
type Told = Extract<Answer, { replayed: boolean }>;

interface Run extends Asked<Answer> {
  readonly state: State;
  readonly ledger: Ledger;
  readonly history: Awaited<ReturnType<Ring["history"]>>;
}

const ID = "entity";

async function execute(kind: ChaosKind, plan: Plan): Promise<Run> {
  const world = createChaos(kind, plan.seed);
  const { runtime } = world;
  const over = (store: typeof world.store): Ring => {
    const data: Ledger = [];
    return createStateMachine({
      store,
      name: "ring",
      definition,
      data,
      runtime,
      ...memoryOf(plan),
    });
  };
  const [machine, oracle] = [over(world.store), over(world.direct)];
  await oracle.create(ID);
  const asked = await carryOut<Parameters<Ring["fire"]>[0], Answer>(world, plan, {
    key: ID,
    snapshot: async () => (await machine.get(ID)) ?? ID,
    ask: (index, at) => {
      const { ask, named } = plan.requests[index] ?? { ask: "ab", named: false };
      const data = (ledger: Ledger): Ledger => [...ledger, index];
      return answerOf(machine.fire(at, ask, named ? { requestId: `r${index}`, data } : { data }));
    },
  });
  const { state, data } = (await oracle.get(ID)) ?? { state: "a", data: [] };
  return { ...asked, state, ledger: data, history: await oracle.history(ID) };
}

/** Hands the run of each plan to the law. */
async function holds(kind: ChaosKind, law: (run: Run, plan: Plan) => void): Promise<void> {
  const plans = requestPlans<Event>(fc.constantFrom("ab", "bc", "ca", "skip", "stay"));
  const property = fc.asyncProperty(plans, async (plan) => law(await execute(kind, plan), plan));
  await fc.assert(property, propertyRuns(kind.faulty ? 100 : 40));
}

const given = (run: Run, index: number): readonly Answer[] => {
  const last = run.afterwards[index];
  return [...(run.during[index] ?? []), ...(last ? [last] : [])];
};

const told = (run: Run, index: number): readonly Told[] =>
  given(run, index).filter((answer) => answer.outcome === "moved" || answer.outcome === "refused");

describe.each(CHAOS)("$title", (kind) => {
  test("each request moves the entity at most once, and no answer lies about it", () =>
    holds(kind, (run, plan) => {
      for (const [index, { named }] of plan.requests.entries()) {
        const moves = run.ledger.filter((moved) => moved === index).length;
        expect(moves).toBeLessThanOrEqual(1);
        for (const { outcome } of given(run, index)) {
          if (outcome === "moved") {
            expect(moves).toBe(1);
          } else if (outcome === "refused" || outcome === "alreadyThere") {
            expect(moves).toBe(0);
          } else if (!named && outcome !== "indeterminate") {
            // Of a named request another call may have moved; an unnamed one has only this.
            expect(moves).toBe(0);
          }
        }
      }
    }));

  test("a request gets the same answer again, and at most one caller is told it first", () =>
    holds(kind, (run, plan) => {
      for (const index of plan.requests.keys()) {
        const [first, ...others] = told(run, index).map(({ replayed: _, ...answer }) => answer);
        for (const answer of others) {
          expect(answer).toEqual(first);
        }
        const fresh = told(run, index).filter(({ replayed }) => !replayed);
        expect(fresh.length).toBeLessThanOrEqual(1);
      }
    }));

  test("every request that is remembered has its answer when all is calm", () =>
    holds(kind, (run, plan) => {
      for (const [index, { named }] of plan.requests.entries()) {
        const outcomes = given(run, index).map(({ outcome }) => outcome);
        expect(outcomes).not.toContain("notFound");
        expect(named && outcomes.includes("alreadyThere")).toBe(false);
        if (!named || plan.memory === "ample") {
          expect(outcomes).not.toContain("expired");
        }
        if (named) {
          expect(["moved", "refused", "expired"]).toContain(run.afterwards[index]?.outcome);
        }
      }
    }));

  test("an illegal move changes neither state nor data, and the history tells the legal ones", () =>
    holds(kind, (run, plan) => {
      let state: State = "a";
      const path = run.ledger.map((index) => {
        const { ask: event, named } = plan.requests[index] ?? { ask: "ab", named: false };
        const { from, to } = definition.events[event];
        expect(from).toContain(state);
        const move = { event, from: state, to, ...(named && { requestId: `r${index}` }) };
        for (const answer of told(run, index)) {
          expect(answer).toMatchObject({ outcome: "moved", event, from: state, to });
        }
        state = to;
        return move;
      });
      expect(run.state).toBe(state);
      const history = run.history.map(({ atMs: _, ...move }) => move);
      expect(history).toEqual(path.slice(path.length - history.length));
      expect(history.length).toBeGreaterThanOrEqual(plan.memory === "ample" ? path.length : 0);
    }));
});

interface Step {
  readonly event: Event;
  /** Which request asks; undefined for one without an id. */
  readonly request: number | undefined;
  /** Fires from the snapshot taken so many steps ago; undefined from the id. */
  readonly age: number | undefined;
}

const steps = fc.array(
  fc.record<Step>({
    event: fc.constantFrom("ab", "bc", "ca", "skip", "stay"),
    request: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    age: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe.each(CHAOS.filter(({ faulty }) => !faulty))("$title, one call after another", (kind) => {
  test("every answer is that of a plain model, however old the snapshot", () =>
    fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { runtime, store } = createChaos(kind, 1);
        const machine = createStateMachine({ store, name: "ring", definition, runtime });
        const model = { state: "a" as State, answers: new Map<number, object>() };
        await machine.create(ID);
        const snapshots: Parameters<typeof machine.fire>[0][] = [];
        for (const { event, request, age } of sequence) {
          snapshots.push((await machine.get(ID)) ?? ID);
          const at = age === undefined ? ID : (snapshots.at(-1 - age) ?? ID);
          const options = request === undefined ? {} : { requestId: `r${request}` };
          const { state, answers } = model;
          const { from, to } = definition.events[event];
          const known = request === undefined ? undefined : answers.get(request);
          const legal = (from as readonly State[]).includes(state);
          const fresh = legal
            ? { outcome: "moved", event, from: state, to }
            : request === undefined && state === to
              ? { outcome: "alreadyThere", event, state }
              : { outcome: "refused", event, state };
          const answer = await machine.fire(at, event, options);
          expect(answer).toMatchObject(known ?? fresh);
          expect("replayed" in answer && answer.replayed).toBe(known !== undefined);
          if (known === undefined) {
            model.state = legal ? to : state;
            if (request !== undefined) {
              answers.set(request, fresh);
            }
          }
          expect((await machine.get(ID))?.state).toBe(model.state);
        }
      }),
      propertyRuns(150),
    ));
});
