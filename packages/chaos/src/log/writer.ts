// Writes down what a client asks and is told, each event with one system call, so that nothing a
// killed process knew is lost.
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Write } from "@onceproof/core/advanced";
import type { Recorder, StoreInput, StoreOutput } from "@onceproof/simulator/checker";
import type { Line, Subject } from "./call.js";

export interface CallLog {
  /** Writes the question down; call it at the very moment before asking. */
  ask(by: string, to: Subject, ask: unknown): number;
  /** Nanoseconds since the run began. */
  now(): number;
  /** Writes down that a write may take effect once more, after this moment. */
  again(by: string, write: Write, at: number): void;
  told(n: number, answer: unknown): void;
  lost(n: number): void;
  nothing(n: number): void;
  hang(what: string, ms: number): void;
  error(what: string): void;
  /** Records calls of a store. */
  readonly recorder: Recorder<StoreInput, StoreOutput>;
  close(): void;
}

const LONGEST_VALUE = 80;

/** Long values stand in the log by their hash: the checker only compares them. */
function shortened(name: string, value: unknown): unknown {
  return name === "value" && typeof value === "string" && value.length > LONGEST_VALUE
    ? `#${createHash("sha256").update(value).digest("base64url").slice(0, 22)}:${value.length}`
    : value;
}

/**
 * Opens the log of one client.
 *
 * @param originNs - when the run began, by `process.hrtime.bigint`, which on Linux is one clock for
 *   all processes of a machine (CLOCK_MONOTONIC).
 */
export function openCallLog(folder: string, name: string, originNs: bigint): CallLog {
  const file = openSync(join(folder, `client-${name}.jsonl`), "a");
  const now = (): number => Number(process.hrtime.bigint() - originNs);
  let count = 0;
  const write = (line: Line): void => {
    writeSync(file, `${JSON.stringify(line, shortened)}\n`);
  };
  const askAt = (by: string, to: Subject, question: unknown, at: number): number => {
    count += 1;
    write({ e: "ask", n: count, at, by, to, ask: question });
    return count;
  };
  const ask: CallLog["ask"] = (by, to, question) => askAt(by, to, question, now());
  const told = (n: number, answer: unknown): void => write({ e: "told", n, at: now(), answer });
  const lost = (n: number): void => write({ e: "lost", n, at: now() });
  const nothing = (n: number): void => write({ e: "nothing", n, at: now() });
  return {
    ask,
    now,
    again: (by, repeated, at) => void askAt(by, "store", { kind: "write", write: repeated }, at),
    told,
    lost,
    nothing,
    hang: (what, ms) => write({ e: "hang", at: now(), what, ms: Math.round(ms) }),
    error: (what) => write({ e: "error", at: now(), what }),
    recorder: {
      invoke: (by, input) => ({ index: ask(String(by), "store", input) }),
      return: ({ index }, output) => told(index, output),
      unknown: ({ index }) => lost(index),
      withdraw: ({ index }) => nothing(index),
      history: () => {
        throw new Error("the history is in the files of all clients");
      },
    },
    close: () => closeSync(file),
  };
}
