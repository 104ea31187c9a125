// Records a history while it happens. Every event gets a number of its own, so no two are equal.

import { ArgumentError } from "@onceproof/core/advanced";
import type { History, Operation } from "./model.js";

/** An operation that has been invoked. */
export interface Invocation {
  readonly index: number;
}

/** What records a history; call it at the very moment of each event. */
export interface Recorder<Input, Output> {
  /** The operation is about to be asked for. */
  invoke(process: string | number, input: Input): Invocation;
  /** Its answer has come. */
  return(invocation: Invocation, output: Output): void;
  /** Its answer will not come: it may take effect at any later time, or never. */
  unknown(invocation: Invocation): void;
  /** It certainly did nothing and never will: it leaves the history. */
  withdraw(invocation: Invocation): void;
  /** What has been recorded so far; what is still open counts as unknown. */
  history(): History<Input, Output>;
}

type Ended = "open" | "returned" | "unknown" | "withdrawn";

interface Recorded<Input, Output> {
  readonly operation: Operation<Input, Output>;
  readonly ended: Ended;
}

/**
 * Creates a recorder.
 *
 * Guarantee: the times are the order of the calls, so real time is never in doubt.
 * Cost: no store call; memory for each operation.
 * Fails: ArgumentError `optionInvalid` when an operation ends twice.
 */
export function createRecorder<Input, Output>(): Recorder<Input, Output> {
  const recorded: Recorded<Input, Output>[] = [];
  let clock = 0;

  function end(
    { index }: Invocation,
    ended: Exclude<Ended, "open">,
    answer: { readonly output?: Output; readonly returnedAt?: number },
  ): void {
    const at = recorded[index];
    if (at?.ended !== "open") {
      const what = at === undefined ? "was never invoked" : `is ${at.ended} already`;
      throw new ArgumentError("optionInvalid", `operation ${index} ${what}: end each one once`);
    }
    recorded[index] = { operation: { ...at.operation, ...answer }, ended };
  }

  return {
    invoke(process, input) {
      clock += 1;
      recorded.push({ operation: { process, input, invokedAt: clock }, ended: "open" });
      return { index: recorded.length - 1 };
    },
    return(invocation, output) {
      clock += 1;
      end(invocation, "returned", { output, returnedAt: clock });
    },
    unknown: (invocation) => end(invocation, "unknown", {}),
    withdraw: (invocation) => end(invocation, "withdrawn", {}),
    history: () =>
      recorded.filter(({ ended }) => ended !== "withdrawn").map(({ operation }) => operation),
  };
}
