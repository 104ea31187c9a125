// What a harness says is checked before any case runs: a known gap without a reason hides a
// failure, and one with a misspelt id hides nothing while its author believes it does.

import { ArgumentError, type StoreCapabilities } from "@onceproof/core/advanced";
import { CATALOGUE } from "./catalogue.js";
import { checkNames } from "./check-names.js";
import type { ConformanceFixture, ConformanceHarness } from "./harness.js";
import { nearest } from "./nearest.js";

const HARNESS_NAMES: Readonly<Record<keyof ConformanceHarness, true>> = {
  create: true,
  destroy: true,
  runtime: true,
  maxWaitMs: true,
  settleMarginMs: true,
  knownGaps: true,
  seed: true,
  drive: true,
  onSkip: true,
};

const FIXTURE_NAMES: Readonly<Record<keyof ConformanceFixture, true>> = {
  store: true,
  peer: true,
  otherNamespace: true,
  otherNamespaceTail: true,
  advance: true,
  stepBack: true,
  restart: true,
  loseReply: true,
  loseRequest: true,
  stall: true,
  close: true,
};

const CAPABILITIES: Readonly<Record<keyof StoreCapabilities, string | readonly string[]>> = {
  clock: ["store", "client"],
  durability: ["process", "asynchronous", "durable"],
  failoverMayLoseWrites: "boolean",
  maxValueBytes: "number",
  ttlGranularityMs: "number",
  tombstoneMs: "number",
  operationTimeoutMs: "number",
};

/** Throws an ArgumentError unless cases can be made for the harness. */
export function checkHarness(harness: ConformanceHarness): void {
  if (typeof harness?.create !== "function") {
    invalid("a harness needs a function create, which makes an empty data set");
  }
  checkNames("harness", harness, Object.keys(HARNESS_NAMES));
  const { knownGaps = {}, maxWaitMs = 0, settleMarginMs = 0, seed = 1 } = harness;
  for (const [name, ms] of Object.entries({ maxWaitMs, settleMarginMs })) {
    if (!(ms >= 0)) {
      invalid(`${name} must be a number of milliseconds, at least 0, got ${ms}`);
    }
  }
  if (!Number.isSafeInteger(seed)) {
    invalid(`seed must be a whole number, got ${seed}`);
  }
  const ids: readonly string[] = CATALOGUE.flatMap(({ definitions }) =>
    definitions.map(({ id }) => id),
  );
  for (const [id, reason] of Object.entries(knownGaps)) {
    if (!ids.includes(id)) {
      invalid(`knownGaps names no case: "${id}"; ${adviceOn(id, ids)}`);
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
  checkNames("fixture", fixture, Object.keys(FIXTURE_NAMES));
  for (const name of ["store", "peer", "otherNamespace"] as const) {
    const client: unknown = fixture[name];
    if (client !== undefined || name === "store") {
      checkStore(name, client);
    }
  }
}

function checkStore(name: string, client: unknown): void {
  if (typeof client !== "object" || client === null) {
    invalid(`the fixture's ${name} must be a store: an object, got ${client}`);
  }
  const store = client as Readonly<Record<string, unknown>>;
  const lacks = ["read", "write", "close"].filter((call) => typeof store[call] !== "function");
  if (typeof store.capabilities !== "object" || store.capabilities === null) {
    lacks.push("capabilities");
  }
  if (lacks.length > 0) {
    invalid(`the fixture's ${name} must be a store: it lacks ${lacks.join(", ")}`);
  }
  const declared = store.capabilities as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(CAPABILITIES).flatMap(([field, wanted]) => {
    const value = declared[field];
    if (typeof wanted === "string") {
      return typeof value === wanted ? [] : [`${field} must be a ${wanted}, got ${value}`];
    }
    const words = wanted.map((word) => `"${word}"`).join(", ");
    return wanted.includes(String(value)) ? [] : [`${field} must be one of ${words}, got ${value}`];
  });
  if (wrong.length > 0) {
    invalid(`the capabilities of the fixture's ${name}: ${wrong.join("; ")}`);
  }
}

/** A case that may be meant, or else all of the clause that is named. */
function adviceOn(id: string, ids: readonly string[]): string {
  const numberOf = (each: string): string => each.split("-", 1)[0] ?? "";
  const meant = nearest(id, ids) ?? ids.find((each) => numberOf(each) === numberOf(id));
  if (meant !== undefined) {
    return `did you mean "${meant}"?`;
  }
  const clause = id.split(".", 1)[0] ?? "";
  const cases = CATALOGUE.find((each) => each.clause === clause)?.definitions;
  return cases === undefined
    ? `the clauses are ${CATALOGUE.map((each) => each.clause).join(", ")}`
    : `${clause} has ${cases.map((each) => each.id).join(", ")}`;
}

function invalid(message: string): never {
  throw new ArgumentError("optionInvalid", message);
}
