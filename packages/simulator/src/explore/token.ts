// Replay tokens: one run as one word that can be pasted into a terminal.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Drawn, RunSpec } from "../scenarios/scenario.js";
import { checkFaultPlan } from "../world/check-options.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { PROFILES, type ProfileId } from "../world/profile.js";

declare const btoa: (text: string) => string;
declare const atob: (text: string) => string;

const VERSION = "op1";

/** JSON in ASCII, as base64 takes no other: what is beyond is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The token of a run. */
export function encodeToken(spec: RunSpec): string {
  const { scenario, profile, workload, seed, plan, tape, mutant } = spec;
  const last = mutant === undefined ? (tape === undefined ? [] : [tape]) : [tape ?? null, mutant];
  const parts = [scenario, profile, workload, seed, plan, ...last];
  const base64 = btoa(asciiJson(parts));
  return `${VERSION}.${base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/**
 * The run that a token stands for.
 *
 * Fails: ArgumentError `optionInvalid` when it is cut off, altered or of another version, or when its plan names what
 * does not exist.
 */
export function decodeToken(token: string): RunSpec {
  const [version, body = ""] = token.trim().split(".");
  if (version !== VERSION) {
    throw invalid(`it does not begin with ${VERSION}, a dot and the rest`);
  }
  let parts: unknown;
  try {
    parts = JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    throw invalid("it is cut off or altered: copy all of it");
  }
  if (!Array.isArray(parts) || !isSpec(parts)) {
    throw invalid("it is cut off or altered: copy all of it");
  }
  const [scenario, profile, workload, seed, plan, tape, mutant] = parts;
  checkValues(profile, plan);
  return {
    scenario,
    profile,
    workload,
    seed,
    plan,
    ...(tape !== undefined && tape !== null && { tape }),
    ...(mutant !== undefined && { mutant }),
  };
}

type Parts = [
  scenario: string,
  profile: ProfileId,
  workload: string | Drawn,
  seed: number,
  plan: FaultPlan,
  tape?: readonly number[] | null,
  mutant?: string,
];

function isSpec(parts: readonly unknown[]): parts is Parts {
  const [scenario, profile, workload, seed, plan, tape, mutant] = parts;
  return (
    [scenario, profile, mutant ?? ""].every((each) => typeof each === "string") &&
    (typeof workload === "string" || isDrawn(workload)) &&
    Number.isSafeInteger(seed) &&
    Array.isArray(plan) &&
    (tape === undefined || tape === null || isWholeNumbers(tape))
  );
}

function isDrawn(workload: unknown): boolean {
  return typeof workload === "object" && workload !== null && "drawn" in workload;
}

/** What is well-formed and yet stands for no run: typed by hand, or of a version with other names. */
function checkValues(profile: string, plan: unknown): void {
  const ids = PROFILES.map(({ id }) => id);
  if (!ids.some((id) => id === profile)) {
    throw invalid(`there is no store profile "${profile}": there are ${ids.join(", ")}`);
  }
  try {
    checkFaultPlan(plan);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function isWholeNumbers(tape: unknown): boolean {
  return Array.isArray(tape) && tape.every(Number.isSafeInteger);
}

function invalid(why: string): ArgumentError {
  return new ArgumentError("optionInvalid", `this is no replay token: ${why}`);
}
