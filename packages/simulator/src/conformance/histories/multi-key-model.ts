// A store with several keys and `writeAll` as a model: all keys are one state, so that a step over
// several of them is one step. Each key is judged as the model of a single one does.

import type {
  Observation,
  Write,
  WriteAll,
  WriteAllResult,
  WriteResult,
} from "@onceproof/core/advanced";
import type { Model, Step } from "../../checker/model.js";
import {
  atomicStoreModel,
  permitted,
  refuses,
  type StoreInput,
} from "../../checker/models/atomic-store.js";
import { narrow, observed, type StoreState, written } from "../../checker/models/store-slot.js";

/** A read or a write of one key, or a write of several. */
export type MultiKeyInput = StoreInput | { readonly kind: "writeAll"; readonly all: WriteAll };

export type MultiKeyOutput = Exclude<
  Observation | WriteResult | WriteAllResult,
  { outcome: "unknown" }
>;

type Answered<O extends string> = Extract<WriteAllResult, { outcome: O }>;
type Keys = Readonly<Record<string, StoreState>>;

const NO = { ok: false } as const;
const ONE = atomicStoreModel();

/** Creates the model of these keys, none of which had ever been written. */
export function multiKeyModel(keys: readonly string[]): Model<Keys, MultiKeyInput, MultiKeyOutput> {
  return {
    name: "store of several keys",
    init: () => Object.fromEntries(keys.map((key) => [key, ONE.init()])),
    isReadOnly: (input, output) =>
      input.kind === "read" ||
      (output !== undefined &&
        "outcome" in output &&
        (output.outcome === "refused" || output.replayed)),
    step: (state, input, output) =>
      input.kind === "writeAll"
        ? stepAll(state, input.all, output as WriteAllResult | undefined)
        : stepOne(state, input, output),
    describe: (input, output) =>
      input.kind === "writeAll"
        ? describeAll(input.all, output)
        : `${input.kind === "read" ? input.key : input.write.key}: ${ONE.describe?.(input, output as Observation)}`,
    describeState: (state) =>
      keys.map((key) => `${key}: ${ONE.describeState?.(at(state, key))}`).join("; "),
  };
}

function at(state: Keys, key: string): StoreState {
  return state[key] ?? ONE.init();
}

function stepOne(state: Keys, input: StoreInput, output: MultiKeyOutput | undefined): Step<Keys> {
  const key = input.kind === "read" ? input.key : input.write.key;
  const step = ONE.step(at(state, key), input, output as Observation | undefined);
  if (!step.ok || !("state" in step)) {
    return NO;
  }
  return {
    ok: true,
    state: step.state === at(state, key) ? state : { ...state, [key]: step.state },
  };
}

function stepAll(state: Keys, all: WriteAll, output: WriteAllResult | undefined): Step<Keys> {
  const known = all.writes.some(({ key }) => at(state, key).slot?.opId === all.opId);
  if (output === undefined || output.outcome === "unknown") {
    return { ok: true, state: known ? state : (apply(state, all, undefined) ?? state) };
  }
  if (output.outcome === "refused") {
    return known ? NO : when(refusedBy(state, all, output));
  }
  if (output.replayed !== known) {
    return NO;
  }
  return when(known ? replayed(state, all, output) : apply(state, all, output));
}

function when(state: Keys | undefined): Step<Keys> {
  return state === undefined ? NO : { ok: true, state };
}

function withOpId({ opId }: WriteAll, write: WriteAll["writes"][number]): Write {
  return { ...write, opId } as Write;
}

/**
 * What a key is found in if the write may apply at one of the instants up to `now`. An entry that a
 * stamp names may have ended between the judgement and the answer, so no instant is held against it.
 */
function found(state: StoreState, write: Write, now: number | undefined): StoreState | undefined {
  const create = write.expect === "absent" || "absentSince" in write.expect;
  return permitted(state, write, create && now !== undefined ? [now] : [], false);
}

/** All writes applied, or undefined if one of them could not, or an answer contradicts it. */
function apply(
  state: Keys,
  all: WriteAll,
  answer: Answered<"applied"> | undefined,
): Keys | undefined {
  const next: Record<string, StoreState> = { ...state };
  for (const [index, step] of all.writes.entries()) {
    const write = withOpId(all, step);
    const before = found(at(state, step.key), write, answer?.now);
    const after = before && written(before, write, undefined);
    const told = after?.slot && answer ? shown(after, answer.revisions[index]) : after;
    if (told === undefined) {
      return undefined;
    }
    next[step.key] = told;
  }
  return next;
}

function shown(state: StoreState, revision: number | undefined): StoreState | undefined {
  return state.slot === undefined ? undefined : narrow(state, state.slot, { revision });
}

/** Revision 0 for what another write has superseded; for the rest, its own. */
function replayed(
  state: Keys,
  { opId, writes }: WriteAll,
  { revisions }: Answered<"applied">,
): Keys | undefined {
  const next: Record<string, StoreState> = { ...state };
  for (const [index, { key }] of writes.entries()) {
    const own = at(state, key).slot?.opId === opId;
    if (!own && revisions[index] === 0) {
      continue;
    }
    const told = own ? shown(at(state, key), revisions[index]) : undefined;
    if (told === undefined) {
      return undefined;
    }
    next[key] = told;
  }
  return next;
}

/** The write at `index` is refused by what is told; those before it would have applied. */
function refusedBy(state: Keys, all: WriteAll, answer: Answered<"refused">): Keys | undefined {
  const step = all.writes[answer.index];
  if (step === undefined || !refuses(withOpId(all, step), { ...answer, outcome: "refused" })) {
    return undefined;
  }
  const passed = all.writes
    .slice(0, answer.index)
    .every((write) => found(at(state, write.key), withOpId(all, write), answer.now));
  const told = observed(at(state, step.key), answer, false);
  return passed && told !== undefined ? { ...state, [step.key]: told } : undefined;
}

function describeAll({ opId, writes }: WriteAll, output: MultiKeyOutput | undefined): string {
  const parts = writes.map(
    (write) =>
      `${write.key}: ${ONE.describe?.({ kind: "write", write: { ...write, opId } as Write }, undefined)}`,
  );
  const answer =
    output === undefined || !("outcome" in output)
      ? ""
      : output.outcome === "refused"
        ? ` -> refused at ${"index" in output ? output.index : "?"}`
        : ` -> applied${output.replayed ? ", replayed" : ""}`;
  return `all of [${parts.join(", ")}]${answer}`;
}
