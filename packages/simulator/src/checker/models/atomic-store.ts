// The contract of a store as a model: reads and conditional writes, judged by clauses S0 to S5.

import type { Applied, Observation, Refused, Write } from "@onceproof/core/advanced";
import type { Model, Step } from "../model.js";
import { show } from "../plain-data.js";
import {
  mayBeAbsent,
  mayLive,
  narrow,
  observed,
  type StoreSlot,
  type StoreState,
  written,
} from "./store-slot.js";

export type StoreInput =
  | { readonly kind: "read"; readonly key: string }
  | { readonly kind: "write"; readonly write: Write };

/** An outcome `unknown` is no output: record such a write without a return. */
export type StoreOutput = Observation | Applied | Refused;

/** Options of `atomicStoreModel`. */
export interface AtomicStoreModelOptions {
  /**
   * Whether the history is longer than the store's `tombstoneMs`, so that a key which holds no
   * entry may be forgotten. True lets it be forgotten at any instant, which finds less.
   * @defaultValue false
   */
  readonly forgets?: boolean;
}

const NO: { readonly ok: false } = { ok: false };
const yes = (state: StoreState): Step<StoreState> => ({ ok: true, state });
const when = (state: StoreState | undefined): Step<StoreState> =>
  state === undefined ? NO : yes(state);

/**
 * Creates the model of an `AtomicStore` whose keys had never been written, each key checked alone.
 *
 * Guarantee: finds answers that no store can give by S0 (expectations), S1, S2 (expiry, judged by
 * the `now` of the answers, whichever way the clock went), S3 (revisions increase), S4 (a refusal
 * shows a state that refuses) and S5 (replays). What a lost reply left open, its revision and times,
 * is settled by the first answer that shows it. It ignores when tombstones end (see `forgets`), that
 * store time and real time go together, and how far above `ttlMs` an expiry is rounded. A store that
 * lost applied writes, or whose clock stepped back beyond `tombstoneMs`, violates it.
 */
export function atomicStoreModel(
  options: AtomicStoreModelOptions = {},
): Model<StoreState, StoreInput, StoreOutput> {
  const { forgets = false } = options;
  return {
    name: "atomic store",
    init: () => ({ slot: undefined, floor: -1 }),
    partitionKey: (input) => (input.kind === "read" ? input.key : input.write.key),
    isReadOnly: (input, output) =>
      input.kind === "read" ||
      (output !== undefined &&
        "outcome" in output &&
        (output.outcome === "refused" || output.replayed)),
    step(state, input, output) {
      if (input.kind === "read") {
        return output === undefined ? yes(state) : when(observed(state, output, forgets));
      }
      if (output === undefined) {
        return unanswered(state, input.write, forgets);
      }
      if (!("outcome" in output)) {
        return NO;
      }
      return output.outcome === "applied"
        ? applied(state, input.write, output, forgets)
        : refused(state, input.write, output, forgets);
    },
    describe,
    describeState,
  };
}

/** S5: whether the store knows this write as the key's latest. */
function isLatest({ slot }: StoreState, { opId }: Write): boolean {
  return slot?.opId === opId;
}

/**
 * S0: the state that a write finds, narrowed by its stamp, if it may apply at one of the instants
 * between its judgement and its answer; undefined if it may not. No instants: at any.
 */
export function permitted(
  state: StoreState,
  { expect }: Write,
  instants: readonly number[],
  forgets: boolean,
): StoreState | undefined {
  const { slot, floor } = state;
  const [earliest, latest] =
    instants.length === 0 ? [] : [Math.min(...instants), Math.max(...instants)];
  if (expect !== "absent" && "opId" in expect) {
    const { revision, opId } = expect;
    return slot?.opId === opId && mayLive(slot, earliest)
      ? narrow(state, slot, { revision })
      : undefined;
  }
  if (!mayBeAbsent(slot, latest)) {
    return undefined;
  }
  if (expect === "absent" || slot === undefined || forgets) {
    return state;
  }
  return (slot.revision ?? floor + 1) <= expect.absentSince ? state : undefined;
}

/** Its reply was lost. If it can't apply here, it changes nothing. */
function unanswered(state: StoreState, write: Write, forgets: boolean): Step<StoreState> {
  const known = isLatest(state, write) && !(forgets && mayBeAbsent(state.slot, undefined));
  const found = known ? undefined : permitted(state, write, [], forgets);
  return yes(found === undefined ? state : written(found, write, undefined));
}

function applied(
  state: StoreState,
  write: Write,
  output: Applied,
  forgets: boolean,
): Step<StoreState> {
  const { revision, writtenAt, expiresAt = Infinity, now } = output;
  if (output.replayed) {
    return state.slot !== undefined && isLatest(state, write)
      ? when(narrow(state, state.slot, { revision, writtenAt, expiresAt }))
      : NO;
  }
  if (isLatest(state, write) && !(forgets && mayBeAbsent(state.slot, now))) {
    return NO;
  }
  const found = permitted(state, write, [writtenAt, now], forgets);
  if (found === undefined || !lives(found.slot, write, output)) {
    return NO;
  }
  const next = written(found, write, output);
  return revision > leastAfter(found) ? yes(next) : NO;
}

/** S3: what the next revision must be above. */
function leastAfter({ slot, floor }: StoreState): number {
  return slot !== undefined && slot.revision === undefined ? floor + 1 : floor;
}

/** S2 and S10: whether the new entry lives as long as the write asked for, or longer. */
function lives(slot: StoreSlot | undefined, { next }: Write, output: Applied): boolean {
  const { writtenAt, expiresAt = Infinity } = output;
  if (next === "removed" || next.ttlMs === "never") {
    return expiresAt === Infinity;
  }
  if (next.ttlMs === "keep") {
    const kept = slot?.expiresAt;
    return kept === undefined ? expiresAt <= (slot?.expiredBy ?? Infinity) : expiresAt === kept;
  }
  return expiresAt !== Infinity && expiresAt >= writtenAt + Math.floor(next.ttlMs * 1000);
}

function refused(
  state: StoreState,
  write: Write,
  output: Refused,
  forgets: boolean,
): Step<StoreState> {
  const forgotten = output.entry === undefined && output.revision === undefined;
  if (isLatest(state, write) && !(forgets && forgotten)) {
    return NO;
  }
  return refuses(write, output) ? when(observed(state, output, forgets)) : NO;
}

/** S4: whether what was observed refuses the write. */
export function refuses({ expect }: Write, { entry, revision = 0 }: Refused): boolean {
  if (expect === "absent") {
    return entry !== undefined;
  }
  if ("absentSince" in expect) {
    return entry !== undefined || revision > expect.absentSince;
  }
  const stamp = entry?.stamp;
  return stamp?.revision !== expect.revision || stamp.opId !== expect.opId;
}

function describe(input: StoreInput, output: StoreOutput | undefined): string {
  const answer = output === undefined ? "" : ` -> ${describeOutput(output)}`;
  if (input.kind === "read") {
    return `read${answer}`;
  }
  const { opId, expect, next } = input.write;
  const what =
    next === "removed" ? "remove" : "touch" in next ? "touch" : `write ${show(next.value)}`;
  const given =
    expect === "absent"
      ? "if absent"
      : "absentSince" in expect
        ? `if absent since ${expect.absentSince}`
        : `if at ${expect.revision}`;
  return `${what} ${given} (${opId.slice(0, 4)})${answer}`;
}

function describeOutput(output: StoreOutput): string {
  if ("outcome" in output && output.outcome === "applied") {
    return `applied at ${output.revision}${output.replayed ? ", replayed" : ""}`;
  }
  const { entry, revision = "none" } = output;
  const seen =
    entry === undefined
      ? `no entry, revision ${revision}`
      : `${show(entry.value)} at ${entry.stamp.revision}`;
  return "outcome" in output ? `refused by ${seen}` : seen;
}

function describeState({ slot }: StoreState): string {
  if (slot === undefined) {
    return "never written";
  }
  const { value, revision, opId, expiresAt } = slot;
  const what = value === undefined ? "removed" : show(value);
  const until = expiresAt === Infinity ? "" : `, expires at ${expiresAt ?? "an unknown time"}`;
  return `${what} at revision ${revision ?? "unknown"} (${opId.slice(0, 4)})${until}`;
}
