// What callers do in a property of remembered requests: who asks for what, when, how often, and
// whether with a snapshot that was taken when the request was made.

import fc from "fast-check";
import { type ChaosWorld, persist } from "./chaos.ts";

/** One request and its calls. */
export interface PlannedRequest<Ask> {
  readonly ask: Ask;
  /** Whether it has a request id; one without is called once. */
  readonly named: boolean;
  /** Whether it takes a snapshot first and keeps it through its retries. */
  readonly handed: boolean;
  /** When it is made, as a share of the spread. */
  readonly madeAt: number;
  /** When it is called, as shares of the spread after it was made. */
  readonly calledAt: readonly number[];
}

export interface RequestPlan<Ask> {
  readonly seed: number;
  /**
   * `ample`: everything is remembered for the whole run. `scarce`: a window of few requests or a
   * short retention, and every named request keeps its snapshot.
   */
  readonly memory: "ample" | "scarce";
  readonly window: number;
  readonly spreadMs: number;
  readonly maxRounds: number;
  readonly requests: readonly PlannedRequest<Ask>[];
}

export const SCARCE_RETENTION_MS = 20_000;

/** The factory options of a plan. */
export function memoryOf({ memory, window, maxRounds }: RequestPlan<unknown>): {
  readonly requestWindow: number;
  readonly retentionMs: number;
  readonly maxRounds: number;
} {
  return memory === "ample"
    ? { requestWindow: 1_000, retentionMs: 86_400_000, maxRounds }
    : { requestWindow: window, retentionMs: SCARCE_RETENTION_MS, maxRounds };
}

/** Arbitrary plans; `alwaysNamed` where the algorithm requires a request id. */
export function requestPlans<Ask>(
  asks: fc.Arbitrary<Ask>,
  options: { readonly alwaysNamed?: boolean } = {},
): fc.Arbitrary<RequestPlan<Ask>> {
  const shares = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
  const requests = fc.record({
    ask: asks,
    named: options.alwaysNamed ? fc.constant(true) : fc.boolean(),
    handed: fc.boolean(),
    madeAt: shares,
    calledAt: fc.array(shares, { minLength: 1, maxLength: 3 }),
  });
  return fc
    .record({
      seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      memory: fc.constantFrom("ample" as const, "scarce" as const),
      window: fc.integer({ min: 1, max: 2 }),
      spreadMs: fc.constantFrom(0, 20, 2_000, 4_000, 60_000),
      maxRounds: fc.constantFrom(3, 64),
      requests: fc.array(requests, { minLength: 1, maxLength: 8 }),
    })
    .map((plan) => ({
      ...plan,
      requests: plan.requests.map((request) => ({
        ...request,
        handed: request.handed || (request.named && plan.memory === "scarce"),
        calledAt: request.named ? request.calledAt : request.calledAt.slice(0, 1),
      })),
    }));
}

/** What one request is asked through. */
export interface Asking<At, Answer> {
  /** The key itself, for requests without a snapshot. */
  readonly key: At;
  snapshot(): Promise<At>;
  ask(index: number, at: At): Promise<Answer>;
}

/** Every answer of a run, by request. */
export interface Asked<Answer> {
  /** In order of their calls' ends. */
  readonly during: readonly (readonly Answer[])[];
  /** Each named request asked once more when all is calm; undefined for unnamed ones. */
  readonly afterwards: readonly (Answer | undefined)[];
}

/** Carries a plan out. Snapshots go through JSON on the way, as they would in a queue. */
export async function carryOut<At, Answer>(
  { runtime, calm }: ChaosWorld,
  { requests, spreadMs }: RequestPlan<unknown>,
  { key, snapshot, ask }: Asking<At, Answer>,
): Promise<Asked<Answer>> {
  const during: Answer[][] = requests.map(() => []);
  const places: At[] = requests.map(() => key);
  const caller = async (request: PlannedRequest<unknown>, index: number): Promise<void> => {
    await runtime.sleep(request.madeAt * spreadMs);
    if (request.handed) {
      places[index] = JSON.parse(JSON.stringify(await persist(runtime, snapshot)));
    }
    const call = async (share: number): Promise<void> => {
      await runtime.sleep(share * spreadMs);
      during[index]?.push(await ask(index, places[index] ?? key));
    };
    await Promise.all(request.calledAt.map(call));
  };
  await runtime.run(Promise.all(requests.map(caller)));
  await calm();
  const afterwards: (Answer | undefined)[] = [];
  for (const [index, { named }] of requests.entries()) {
    afterwards.push(named ? await runtime.run(ask(index, places[index] ?? key)) : undefined);
  }
  return { during, afterwards };
}
