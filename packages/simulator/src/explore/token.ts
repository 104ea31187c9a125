// Replay tokens: one run as one word that can be pasted into a terminal.

import { ArgumentError } from "@onceproof/core/advanced";
import type { RunSpec } from "../scenarios/scenario.js";

declare const btoa: (text: string) => string;
declare const atob: (text: string) => string;

const VERSION = "op1";

/** The token of a run. */
export function encodeToken(spec: RunSpec): string {
  const { scenario, profile, workload, seed, plan, tape } = spec;
  const parts = [scenario, profile, workload, seed, plan, ...(tape === undefined ? [] : [tape])];
  const base64 = btoa(JSON.stringify(parts));
  return `${VERSION}.${base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/**
 * The run that a token stands for.
 *
 * Fails: ArgumentError `tokenInvalid` when it is cut off, altered or of another version.
 */
export function decodeToken(token: string): RunSpec {
  const [version, body = ""] = token.trim().split(".");
  if (version !== VERSION) {
    throw invalid(`it does not begin with ${VERSION}.`);
  }
  let parts: unknown;
  try {
    parts = JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    throw invalid("it is cut off or altered: copy all of it");
  }
  if (!Array.isArray(parts) || parts.length < 5 || !Array.isArray(parts[4])) {
    throw invalid("it is cut off or altered: copy all of it");
  }
  const [scenario, profile, workload, seed, plan, tape] = parts;
  return { scenario, profile, workload, seed, plan, ...(tape !== undefined && { tape }) };
}

function invalid(why: string): ArgumentError {
  return new ArgumentError("optionInvalid", `this is no replay token: ${why}`);
}
