// One atomic step of one write or several, sent until its answer is known.

import type { Entry, Unknown } from "../contract/atomic-store.js";
import type { MultiKeyStore, WriteWithoutOpId } from "../contract/capabilities.js";
import type { Base } from "./factory-options.js";
import { settle } from "./settle.js";
import { deadlineIn } from "./time.js";

/** The shared options, and the store again if it can write several keys. */
export interface StepBase extends Base {
  readonly multi: MultiKeyStore | undefined;
}

/** The answered forms of `write` and `writeAll`. */
type Answered =
  | { readonly outcome: "applied"; readonly revision?: number; readonly now: number }
  | {
      readonly outcome: "refused";
      readonly index?: number;
      readonly entry?: Entry;
      readonly revision?: number;
      readonly now: number;
    };

/** What became of a step. */
export type Stepped =
  | (Answered & { readonly afterUnknown?: true })
  /** It may have happened, or may yet happen. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** Sends the writes as one step, under one opId; events tell of `key`. Cost: 1. */
export async function sendStep(
  { store, multi, runtime, settleMs, emit }: StepBase,
  key: string,
  opId: string,
  writes: readonly [WriteWithoutOpId, ...WriteWithoutOpId[]],
  signal: AbortSignal | undefined,
): Promise<Stepped> {
  const send = (): Promise<Answered | Unknown> =>
    multi && writes.length > 1
      ? multi.writeAll({ opId, writes })
      : store.write({ opId, ...writes[0] });
  const answer = await settle(send, {
    runtime,
    deadline: deadlineIn(runtime, settleMs),
    signal,
    onUnknown: (settled, cause) => emit(key, { type: "unknown", settled, cause }),
  });
  return answer.outcome === "unknown" ? { outcome: "indeterminate", cause: answer.cause } : answer;
}
