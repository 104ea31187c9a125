// Whether the answers of the store fit one order per key: the history as the checker takes it, with
// the parts of a writeAll, and with the copies of a request that may arrive later.

import type { Write } from "@onceproof/core/advanced";
import {
  atomicStoreModel,
  checkHistory,
  type Model,
  type Operation,
  type Step,
  type StoreInput,
  type StoreOutput,
  type StoreState,
} from "../checker/index.js";
import { narrow } from "../checker/models/store-slot.js";
import { operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { isStamped, type PartApplied, type Send, sendsOf } from "./contract-facts.js";
import { LAST, ms } from "./judge.js";

/** A history that needs more counts as linearizable: nobody knows. */
const MAX_STEPS = 50_000;

/** Each answer is one that a correct store can have given, in some order of what overlapped. */
export const contractLinearizable: Guarantee = {
  id: "contract/linearizable",
  sentence: "Per key, reads and writes are linearizable.",
  judge(history) {
    const operations = [...readsOf(history), ...sendsOf(history).flatMap(writesOf)];
    const budget = { maxSteps: MAX_STEPS, maxStepsToMinimize: MAX_STEPS };
    const verdict = checkHistory(MODEL, operations, budget);
    if (verdict.verdict !== "violated") return undefined;
    const { counterexample, partition } = verdict;
    const core = counterexample.operations
      .map((each) => {
        const what = MODEL.describe?.(each.input, each.output) ?? "";
        return `${each.process}'s ${what} (from ${ms(each.invokedAt)})`;
      })
      .join("; ");
    return `no order of the calls on "${String(partition)}" explains their answers: ${core}`;
  },
};

type Input =
  | StoreInput
  | { readonly kind: "part"; readonly write: Write; readonly told: PartApplied };
type Asked = Operation<Input, StoreOutput>;

function readsOf(history: History): readonly Asked[] {
  return operationsOf(history, "store.read").flatMap((call) => {
    const output = returnedBy(call);
    const { by, key, beganUs, endedUs } = call;
    return output === undefined || endedUs === undefined
      ? []
      : [
          {
            process: by,
            input: { kind: "read", key },
            output,
            invokedAt: beganUs,
            returnedAt: endedUs,
          },
        ];
  });
}

function writesOf({ call, write, answer }: Send): readonly Asked[] {
  const { by, beganUs, endedUs } = call;
  const asked = { process: by, invokedAt: beganUs };
  const open: Asked = { ...asked, input: { kind: "write", write } };
  const copies = by !== LAST && mayComeAgain(write, answer) ? [open] : [];
  if (answer?.outcome === "spared") {
    return copies;
  }
  if (answer === undefined || endedUs === undefined) {
    return [open, ...copies];
  }
  const known = { ...asked, returnedAt: endedUs };
  if (answer.outcome !== "part") {
    return [{ ...known, input: { kind: "write", write }, output: answer }, ...copies];
  }
  return answer.revision === 0
    ? copies
    : [{ ...known, input: { kind: "part", write, told: answer } }, ...copies];
}

/**
 * A request may arrive a second time, before or after the one that was answered: whether a copy of it
 * may have applied, or may yet. Not where the one that was answered applied a write under a stamp.
 */
function mayComeAgain(write: Write, answer: Send["answer"]): boolean {
  return !isStamped(write) || answer === undefined || !isFirst(answer);
}

function isFirst(answer: NonNullable<Send["answer"]>): boolean {
  return "replayed" in answer && !answer.replayed;
}

const STORE = atomicStoreModel();

/** The model of single writes and reads, and what it says of parts, whose answers tell less. */
const MODEL: Model<StoreState, Input, StoreOutput> = {
  ...STORE,
  partitionKey: (input) => (input.kind === "read" ? input.key : input.write.key),
  isReadOnly: (input, output) =>
    input.kind !== "part" && (STORE.isReadOnly?.(input, output) ?? false),
  step: (state, input, output) =>
    input.kind === "part"
      ? partStep(state, input.write, input.told)
      : STORE.step(state, input, output),
  describe: (input, output) =>
    input.kind === "part"
      ? `writeAll (${input.write.opId.slice(0, 4)}) -> applied at ${input.told.revision}`
      : (STORE.describe?.(input, output) ?? ""),
};

function partStep(state: StoreState, write: Write, told: PartApplied): Step<StoreState> {
  const { slot } = state;
  const { revision, now, replayed } = told;
  if (replayed) {
    const known = slot?.opId === write.opId ? narrow(state, slot, { revision }) : undefined;
    return known === undefined ? { ok: false } : { ok: true, state: known };
  }
  const ttlMs = write.next === "removed" ? "never" : write.next.ttlMs;
  const expiresAt = typeof ttlMs === "number" ? now + Math.ceil(ttlMs * 1000) : undefined;
  const step = STORE.step(
    state,
    { kind: "write", write },
    {
      ...{ outcome: "applied", revision, writtenAt: now, now, replayed },
      ...(expiresAt !== undefined && { expiresAt }),
    },
  );
  if (!step.ok || !("state" in step) || step.state.slot === undefined) {
    return step;
  }
  // When it was written, and until when it is seen, the answer does not tell.
  const open = { writtenAt: undefined, ...(expiresAt !== undefined && { expiresAt: undefined }) };
  return { ok: true, state: { ...step.state, slot: { ...step.state.slot, ...open } } };
}
