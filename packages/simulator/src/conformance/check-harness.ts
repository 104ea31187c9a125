// What a harness says is checked before any case runs: a known gap without a reason hides a
// failure, and one with a misspelt id hides nothing while its author believes it does.

import { ArgumentError } from "@onceproof/core/advanced";
import { CATALOGUE } from "./catalogue.js";
import type { ConformanceFixture, ConformanceHarness } from "./harness.js";

/** Throws an ArgumentError unless cases can be made for the harness. */
export function checkHarness(harness: ConformanceHarness): void {
  if (typeof harness?.create !== "function") {
    invalid("a harness needs a function create, which makes an empty data set");
  }
  const { knownGaps = {}, maxWaitMs = 0, settleMarginMs = 0, seed = 1 } = harness;
  for (const [name, ms] of Object.entries({ maxWaitMs, settleMarginMs })) {
    if (!(ms >= 0)) {
      invalid(`${name} must be a number of milliseconds, at least 0, got ${ms}`);
    }
  }
  if (!Number.isSafeInteger(seed)) {
    invalid(`seed must be a whole number, got ${seed}`);
  }
  const ids = CATALOGUE.flatMap(({ definitions }) => definitions.map(({ id }) => id));
  for (const [id, reason] of Object.entries(knownGaps)) {
    if (!ids.includes(id as (typeof ids)[number])) {
      invalid(`knownGaps names no case: "${id}"; did you mean "${nearest(id, ids)}"?`);
    }
    if (typeof reason !== "string" || reason.trim() === "") {
      invalid(`the known gap "${id}" needs a reason: say why this store does not meet the case`);
    }
  }
}

/** Throws an ArgumentError unless what `create` returned can be tested. */
export function checkFixture(fixture: ConformanceFixture): void {
  if (typeof fixture?.close !== "function") {
    invalid("create must return a fixture with a function close, which frees the data set");
  }
  for (const name of ["store", "peer", "otherNamespace"] as const) {
    const client: unknown = fixture[name];
    if (client === undefined && name !== "store") {
      continue;
    }
    const { read, write, close, capabilities } = Object(client) as Record<string, unknown>;
    const calls = [read, write, close].every((call) => typeof call === "function");
    if (!calls || typeof capabilities !== "object") {
      invalid(`the fixture's ${name} must be a store: read, write, close and capabilities`);
    }
  }
}

function invalid(message: string): never {
  throw new ArgumentError("optionInvalid", message);
}

/** The candidate with the fewest letters to change; the number of a case counts for most. */
function nearest(name: string, candidates: readonly string[]): string {
  const number = (id: string): string => id.split("-", 1)[0] ?? "";
  const distances = candidates.map((id) => distance(name, id));
  const cost = (index: number): number => {
    const same = number(candidates[index] ?? "") === number(name);
    return (distances[index] ?? 0) - (same ? 100 : 0);
  };
  let best = 0;
  for (const index of candidates.keys()) {
    best = cost(index) < cost(best) ? index : best;
  }
  return candidates[best] ?? "";
}

/** How many letters must be added, dropped or changed (Levenshtein). */
function distance(from: string, to: string): number {
  let row = [...Array(to.length + 1).keys()];
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (row[j] ?? 0) + (letter === to[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
