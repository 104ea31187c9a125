// The guarantee sentences of the register as laws over plans of concurrent, repeated and forgotten
// requests. The oracle is a naive ledger beside the balance: what took effect is there to be read.

import { createRegister, type Register, type UpdateResult } from "@onceproof/core";
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

/** How much to add; what would make the balance negative is refused. */
type Delta = number;
type Plan = RequestPlan<Delta>;

interface Account {
  readonly balance: number;
  /** The requests that took effect, in order. */
  readonly ledger: readonly number[];
}

type Answer = UpdateResult<Account> | Threw;
type Told = Extract<Answer, { replayed: boolean }>;

interface Run extends Asked<Answer> {
  readonly account: Account;
}

const KEY = "account";
const EMPTY: Account = { balance: 0, ledger: [] };

async function execute(kind: ChaosKind, plan: Plan): Promise<Run> {
  const world = createChaos(kind, plan.seed);
  const { runtime } = world;
  const over = (store: typeof world.store): Register<Account> =>
    createRegister({ store, name: "accounts", runtime, ...memoryOf(plan) });
  const [register, oracle] = [over(world.store), over(world.direct)];
  const asked = await carryOut<Parameters<typeof register.update>[0], Answer>(world, plan, {
    key: KEY,
    snapshot: () => register.get(KEY),
    ask: (index, at) =>
      answerOf(
        register.update(at, `r${index}`, (account = EMPTY, { refuse }) => {
          const balance = account.balance + (plan.requests[index]?.ask ?? 0);
          return balance < 0
            ? refuse(`short by ${-balance}`)
            : { balance, ledger: [...account.ledger, index] };
        }),
      ),
  });
  return { ...asked, account: (await oracle.get(KEY)).value ?? EMPTY };
}

/** Hands the run of each plan to the law. */
async function holds(kind: ChaosKind, law: (run: Run, plan: Plan) => void): Promise<void> {
  const plans = requestPlans(fc.integer({ min: -3, max: 4 }), { alwaysNamed: true });
  const property = fc.asyncProperty(plans, async (plan) => law(await execute(kind, plan), plan));
  await fc.assert(property, propertyRuns(kind.faulty ? 100 : 40));
}

const given = (run: Run, index: number): readonly Answer[] => {
  const last = run.afterwards[index];
  return [...(run.during[index] ?? []), ...(last ? [last] : [])];
};

const told = (run: Run, index: number): readonly Told[] =>
  given(run, index).filter(
    (answer) => answer.outcome === "updated" || answer.outcome === "refused",
  );

describe.each(CHAOS)("$title", (kind) => {
  test("fn takes effect at most once per request, and no answer lies about it", () =>
    holds(kind, (run, plan) => {
      for (const index of plan.requests.keys()) {
        const effects = run.account.ledger.filter((effect) => effect === index).length;
        expect(effects).toBeLessThanOrEqual(1);
        for (const { outcome } of told(run, index)) {
          expect(effects).toBe(outcome === "updated" ? 1 : 0);
        }
      }
    }));

  test("the balance is the sum of what was told updated, and of what nobody was told", () =>
    holds(kind, (run, plan) => {
      let balance = 0;
      for (const [place, index] of run.account.ledger.entries()) {
        balance += plan.requests[index]?.ask ?? 0;
        expect(balance).toBeGreaterThanOrEqual(0);
        const ledger = run.account.ledger.slice(0, place + 1);
        for (const answer of told(run, index)) {
          expect(answer).toMatchObject({ outcome: "updated", value: { balance, ledger } });
        }
      }
      expect(run.account.balance).toBe(balance);
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
      for (const index of plan.requests.keys()) {
        const outcomes = given(run, index).map(({ outcome }) => outcome);
        if (plan.memory === "ample") {
          expect(outcomes).not.toContain("expired");
        }
        expect(["updated", "refused", "expired"]).toContain(run.afterwards[index]?.outcome);
      }
    }));
});

interface Step {
  readonly delta: Delta;
  readonly request: number;
  /** Updates from the snapshot taken so many steps ago; undefined from the key. */
  readonly age: number | undefined;
}

const steps = fc.array(
  fc.record<Step>({
    delta: fc.integer({ min: -3, max: 4 }),
    request: fc.integer({ min: 0, max: 5 }),
    age: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe.each(CHAOS.filter(({ faulty }) => !faulty))("$title, one call after another", (kind) => {
  test("every answer is that of a plain model, however old the snapshot", () =>
    fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { runtime, store } = createChaos(kind, 1);
        const register = createRegister<number>({ store, name: "accounts", runtime });
        const answers = new Map<number, object>();
        const snapshots: Parameters<typeof register.update>[0][] = [];
        let balance: number | undefined;
        for (const { delta, request, age } of sequence) {
          snapshots.push(await register.get(KEY));
          const at = age === undefined ? KEY : (snapshots.at(-1 - age) ?? KEY);
          const next = (balance ?? 0) + delta;
          const known = answers.get(request);
          const answer = await register.update(at, `r${request}`, (value = 0, { refuse }) =>
            value + delta < 0 ? refuse(`short by ${-value - delta}`) : value + delta,
          );
          const fresh =
            next < 0
              ? { outcome: "refused", reason: `short by ${-next}` }
              : { outcome: "updated", value: next };
          expect(answer).toEqual({ ...(known ?? fresh), replayed: known !== undefined });
          if (known === undefined) {
            answers.set(request, fresh);
            balance = next < 0 ? balance : next;
          }
          const exists = balance !== undefined;
          expect(await register.get(KEY)).toMatchObject({ exists, value: balance });
        }
      }),
      propertyRuns(100),
    ));
});
