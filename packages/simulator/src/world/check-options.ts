// Refuses worlds and fault plans that can't mean what their author meant: a fault that silently
// never strikes makes a test pass that shows nothing.

import { ArgumentError } from "@onceproof/core/advanced";
import type { FaultName, FaultPlan } from "./fault-plan.js";
import { PROFILES, type ProfileId, profileOf, type StoreProfile } from "./profile.js";
import type { WorldOptions } from "./world-options.js";

/** What a fault needs beside its call. */
interface Needs {
  /** Durations from 0 on. */
  readonly lasts?: "forMs" | "afterMs";
  /** Signed milliseconds. */
  readonly shifts?: "byMs" | "lagMs";
  readonly loses?: true;
  readonly phase?: readonly string[];
  readonly legs?: readonly string[];
}

const PROCESS: Needs = { phase: ["send", "reply"], lasts: "forMs" };

const NEEDS: { readonly [name in FaultName]: Needs } = {
  dropRequest: {},
  dropReply: {},
  holdRequest: { lasts: "forMs" },
  holdReply: { lasts: "forMs" },
  duplicate: { lasts: "afterMs" },
  refuse: {},
  crash: PROCESS,
  pause: PROCESS,
  suspend: PROCESS,
  cut: { legs: ["requests", "replies", "both"], lasts: "forMs" },
  jumpClock: { shifts: "byMs" },
  jumpStoreClock: { shifts: "byMs" },
  restartStore: { phase: ["arrive", "apply"], loses: true },
  failover: { phase: ["arrive", "apply"], loses: true, shifts: "lagMs" },
  disconnect: { phase: ["arrive", "apply"] },
  evict: {},
  staleReads: { lasts: "forMs" },
};

/** The names of all faults. */
export const FAULT_NAMES: readonly string[] = Object.keys(NEEDS);

/**
 * Checks that a value is a fault plan.
 *
 * Cost: a few comparisons for each fault.
 * Fails: ArgumentError `optionInvalid`, with the place in the plan and what to write there.
 */
export function checkFaultPlan(plan: unknown): asserts plan is FaultPlan {
  if (!Array.isArray(plan)) {
    throw invalid("plan must be a list of faults, e.g. [{ from, to, nth: 1, fault: ... }]");
  }
  for (let index = 0; index < plan.length; index += 1) {
    const wrong = wrongIn(plan[index]);
    if (wrong !== undefined) {
      throw invalid(`plan[${index}]${wrong}`);
    }
  }
}

function wrongIn(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) {
    return " must be an object with from, to, nth and fault";
  }
  const at = entry as Readonly<Record<string, unknown>>;
  const { from, to, nth, fault } = at;
  if (typeof from !== "string" || typeof to !== "string") {
    return ': from and to must name the parties of the call, e.g. from: "api-1", to: "store"';
  }
  if (!Number.isSafeInteger(nth) || (nth as number) < 1) {
    return `: nth counts the calls of ${from} to ${to} from 1 on, got ${said(nth)}`;
  }
  if (typeof fault !== "string" || !Object.hasOwn(NEEDS, fault)) {
    return `: there is no fault ${said(fault)}: choose from ${FAULT_NAMES.join(", ")}`;
  }
  return wrongDetail(at, fault, NEEDS[fault as FaultName]);
}

function wrongDetail(
  at: Readonly<Record<string, unknown>>,
  fault: string,
  { lasts, shifts, loses, phase, legs }: Needs,
): string | undefined {
  if (phase !== undefined && !phase.includes(at.phase as string)) {
    return `: ${fault} needs phase ${choice(phase)}, got ${said(at.phase)}`;
  }
  if (legs !== undefined && !legs.includes(at.legs as string)) {
    return `: ${fault} needs legs ${choice(legs)}, got ${said(at.legs)}`;
  }
  const isTimed = lasts !== undefined || (fault === "refuse" && at.forMs !== undefined);
  const duration = lasts ?? "forMs";
  if (isTimed && !(isNumber(at[duration]) && at[duration] >= 0)) {
    return `: ${fault} needs ${duration}, in milliseconds from 0 on, got ${said(at[duration])}`;
  }
  if (shifts !== undefined && !isNumber(at[shifts])) {
    return `: ${fault} needs ${shifts}, in milliseconds, got ${said(at[shifts])}`;
  }
  if (loses && !(Number.isSafeInteger(at.loses) && (at.loses as number) >= 0)) {
    return `: ${fault} needs loses, how many writes it loses, got ${said(at.loses)}`;
  }
  return undefined;
}

const OPTIONS: {
  readonly [name in keyof Required<WorldOptions>]: "any" | "count" | "ms" | "flag";
} = {
  seed: "any",
  profile: "any",
  plan: "any",
  choices: "any",
  latenciesMs: "any",
  operationTimeoutMs: "ms",
  tombstoneMs: "ms",
  maxSkewMs: "ms",
  maxDrift: "any",
  hop: "any",
  hopAlways: "flag",
  guard: "flag",
  maxEvents: "count",
  trace: "flag",
  steps: "any",
  database: "any",
  idleInTransactionMs: "ms",
};

/** Options of a world as its author may write them. */
export type GivenWorldOptions = Omit<WorldOptions, "profile"> & {
  readonly profile: StoreProfile | ProfileId;
};

/**
 * Checks the options of a world, and finds the profile that an id names.
 *
 * Fails: ArgumentError `optionInvalid`, with what to write instead.
 */
export function checkWorldOptions(options: GivenWorldOptions): WorldOptions {
  if (typeof options !== "object" || options === null) {
    throw invalid('a world needs its options, e.g. createWorld({ profile: "durable" })');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name)) {
      throw invalid(`there is no option ${name}: choose from ${Object.keys(OPTIONS).join(", ")}`);
    }
    if (value !== undefined) {
      checkValue(name, OPTIONS[name as keyof WorldOptions], value);
    }
  }
  const { seed, plan, latenciesMs, maxDrift = 0 } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw invalid(`seed must be a whole number, got ${said(seed)}`);
  }
  if (!(Math.abs(maxDrift) < 1)) {
    throw invalid(`maxDrift must be below 1, the speed of true time, got ${said(maxDrift)}`);
  }
  if (latenciesMs !== undefined) {
    checkLatencies(latenciesMs);
  }
  if (plan !== undefined) {
    checkFaultPlan(plan);
  }
  return { ...options, profile: checkProfile(options.profile) };
}

function checkValue(name: string, needs: "any" | "count" | "ms" | "flag", value: unknown): void {
  if (needs === "ms" && !(isNumber(value) && value >= 0)) {
    throw invalid(`${name} must be a number of milliseconds from 0 on, got ${said(value)}`);
  }
  if (needs === "flag" && typeof value !== "boolean") {
    throw invalid(`${name} must be true or false, got ${said(value)}`);
  }
  if (needs === "count" && !(typeof value === "number" && value >= 1)) {
    throw invalid(`${name} must be a number of at least 1, got ${said(value)}`);
  }
}

function checkLatencies(latenciesMs: unknown): void {
  const isList = Array.isArray(latenciesMs) && latenciesMs.length > 0;
  if (!isList || !latenciesMs.every((ms) => isNumber(ms) && ms >= 0)) {
    throw invalid("latenciesMs must be a list of at least one travel time in milliseconds");
  }
}

function checkProfile(profile: unknown): StoreProfile {
  if (typeof profile === "object" && profile !== null && "durability" in profile) {
    return profile as StoreProfile;
  }
  if (PROFILES.some(({ id }) => id === profile)) {
    return profileOf(profile as ProfileId);
  }
  const ids = PROFILES.map(({ id }) => id).join(", ");
  throw invalid(`profile must be one of PROFILES or its id, got ${said(profile)}: choose ${ids}`);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function choice(of: readonly string[]): string {
  return of.map((each) => JSON.stringify(each)).join(" or ");
}

function said(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function invalid(message: string): ArgumentError {
  return new ArgumentError("optionInvalid", message);
}
