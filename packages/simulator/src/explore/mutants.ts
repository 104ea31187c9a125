// Hunts a broken variant of core: carries out the portfolio until a guarantee is violated that no
// scenario gives up. Shows that the scenarios and their judges would notice such a mistake.

import { type RunOptions, runScenario } from "../scenarios/run.js";
import type { CoreModule, RunSpec, Scenario } from "../scenarios/scenario.js";
import { SimulationError } from "../virtual-runtime.js";
import type { FaultPlan } from "../world/fault-plan.js";
import type { TraceEvent } from "../world/trace.js";
import { portfolio } from "./portfolio.js";
import { declaredLoss } from "./tally.js";

/** How a variant gave itself away. */
export interface Kill {
  /** `violation` of a guarantee; `stuck`: a run came to no end; `threw`: a call ended in no known way. */
  readonly by: "violation" | "stuck" | "threw";
  /** The violated guarantee; absent unless it is one. */
  readonly guarantee?: string;
  readonly how: string;
}

/** What a hunt came to. */
export interface Hunt {
  readonly mutant?: string;
  readonly plans: number;
  readonly killed?: Kill & { readonly spec: RunSpec };
  /** True if it was stopped before its budget was used up. */
  readonly stopped?: boolean;
}

export interface HuntOptions {
  readonly mutant?: string;
  readonly core: CoreModule;
  /** Core without the mutant, bundled in the same way. */
  readonly correct: CoreModule;
  readonly seed: number;
  /** How many plans are tried at most. */
  readonly budget: number;
  readonly stop?: () => boolean;
  readonly onRun?: () => void;
  /** Lets the host do other work between runs. */
  readonly breathe?: () => Promise<void> | undefined;
}

/** Far more than a run takes that ends: what goes on beyond is stuck. */
export const MAX_EVENTS: number = 20_000;

/**
 * The algorithms that show most of what a shared file does, each with few and cheap runs. What is
 * not listed is tried with all of them.
 */
const USERS: { readonly [file: string]: readonly string[] } = {
  "src/shared/time.ts": ["lock"],
  "src/shared/tenure.ts": ["lock", "dedup"],
  "src/shared/send.ts": ["lock", "tokens"],
  "src/shared/settle.ts": ["tokens", "unique-insert"],
  "src/shared/random-id.ts": ["lock", "unique-insert"],
  "src/shared/request-log.ts": ["state-machine", "register"],
  "src/shared/decide-once.ts": ["state-machine", "register"],
};

/** What dedup does in a transaction shows in a scenario of its own, and nothing else does there. */
const isInTransaction = (path: string): boolean => /\/[a-z-]*transaction[a-z-]*(\.ts)?$/.test(path);

/**
 * The scenarios that a mutant is hunted with: those of its algorithm, or of the algorithms that use
 * the shared file that it patches; without the file, or if nothing is known of it, all.
 */
export function scenariosFor(
  mutant: string,
  all: readonly Scenario[],
  file?: string,
): readonly Scenario[] {
  const [family = ""] = mutant.split("/");
  const users = family === "shared" && file !== undefined ? USERS[file] : [family];
  const own = all.filter(({ algorithm }) => users?.includes(algorithm));
  const fitting = own.filter(({ id }) => isInTransaction(id) === isInTransaction(file ?? ""));
  return fitting.length > 0 ? fitting : own.length > 0 ? own : all;
}

/** Carries out the portfolio with a variant until it gives itself away. */
export async function hunt(scenarios: readonly Scenario[], options: HuntOptions): Promise<Hunt> {
  const { core, correct, mutant, seed, budget } = options;
  const named = { ...(mutant !== undefined && { mutant }) };
  const trials = portfolio(scenarios, seed);
  let plans = 0;
  let trace: readonly TraceEvent[] = [];
  for (;;) {
    const next = trials.next(trace);
    if (next.done === true || plans >= budget) {
      return { ...named, plans };
    }
    if (options.stop?.() ?? false) {
      return { ...named, plans, stopped: true };
    }
    const { scenario, spec } = next.value;
    plans += 1;
    const tried = await attempt(scenario, { ...spec, ...named }, core);
    trace = tried.trace;
    options.onRun?.();
    if (tried.kill !== undefined) {
      const found = { ...tried.kill, spec: tried.spec };
      // What core as it is does too tells nothing about the mutant.
      if (mutant === undefined || !(await isCommon(scenario, found, correct))) {
        return { ...named, plans, killed: await shrinkKill(scenario, found, options) };
      }
    }
    await options.breathe?.();
  }
}

interface Attempt {
  readonly spec: RunSpec;
  readonly trace: readonly TraceEvent[];
  readonly kill?: Kill;
}

/** Carries out one run of a variant. A run that cannot be judged tells on it too. */
export async function attempt(
  scenario: Scenario,
  spec: RunSpec,
  core: CoreModule,
): Promise<Attempt> {
  const options: RunOptions = { core, world: { maxEvents: MAX_EVENTS } };
  try {
    const { violations, trace } = await runScenario(scenario, spec, options);
    const surprise = violations.find(
      ({ guarantee }) => declaredLoss(scenario, guarantee, spec) === undefined,
    );
    return {
      spec,
      trace,
      ...(surprise !== undefined && { kill: { by: "violation", ...surprise } }),
    };
  } catch (error) {
    const by = error instanceof SimulationError ? "stuck" : "threw";
    const how = error instanceof Error ? error.message : String(error);
    return { spec, trace: [], kill: { by, how } };
  }
}

type Found = Kill & { readonly spec: RunSpec };

function isSame(one: Kill, other: Kill | undefined): boolean {
  return other !== undefined && one.by === other.by && one.guarantee === other.guarantee;
}

async function isCommon(scenario: Scenario, found: Found, correct: CoreModule): Promise<boolean> {
  return isSame(found, (await attempt(scenario, found.spec, correct)).kill);
}

/** Leaves out faults as long as the variant, and it alone, gives itself away in the same way. */
async function shrinkKill(
  scenario: Scenario,
  found: Found,
  { core, correct, mutant }: HuntOptions,
): Promise<Found> {
  let smallest = found;
  for (let at = found.spec.plan.length - 1; at >= 0; at -= 1) {
    const plan: FaultPlan = smallest.spec.plan.filter((_, index) => index !== at);
    const { spec, kill } = await attempt(scenario, { ...smallest.spec, plan }, core);
    if (kill === undefined || !isSame(found, kill)) {
      continue;
    }
    const smaller = { ...kill, spec };
    if (mutant === undefined || !(await isCommon(scenario, smaller, correct))) {
      smallest = smaller;
    }
  }
  return smallest;
}

/**
 * Mutants that no run of a scenario can show, with the reason; core's own tests kill them. What an
 * input alone brings to light, whatever the faults, belongs here, and nothing else.
 */
export const beyond: { readonly [mutant: string]: string } = {
  "shared/store-key-without-lengths": "needs two names that meet when joined",
  "shared/hash-of-joined-parts": "needs two lists of parts that meet when joined",
  "shared/fingerprint-in-the-order-of-insertion": "needs a payload with a Map or a Set",
  "shared/fingerprint-in-the-order-of-keys": "needs two payloads that differ in the order of keys",
  "shared/fingerprint-without-types": "needs two payloads that differ in the type of a value alone",
  "shared/fingerprint-of-bytes-without-their-type": "needs two views of the same bytes",
  "shared/codec-loses-minus-zero": "needs a value that holds -0",
  "shared/codec-takes-every-object-for-plain": "needs a value with a prototype of its own",
  "dedup/falsy-value-is-no-outcome": "needs a handler that returns a falsy value",
  "dedup/long-rejection-is-not-recorded": "needs a rejection too long for the store",
  "dedup/second-ending-overwrites": "needs a program that ends one claim twice at once",
  "dedup/signal-without-the-margin": "needs clocks that drift by more than a message travels",
  "dedup/waiter-spins": "needs a store that wakes for nothing, and a count of the looks",
  "dedup/waiter-leaves-its-watch": "needs a count of the watches that a store still has",
};
