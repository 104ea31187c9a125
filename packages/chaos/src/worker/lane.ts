// One loop of a client: what it works with, and how its calls are written down.
import { setTimeout as sleep } from "node:timers/promises";
import type { AtomicStore, MultiKeyStore } from "@onceproof/core/advanced";
import type { Subject } from "../log/call.js";
import type { CallLog } from "../log/writer.js";
import type { Random } from "../random.js";
import type { SinkClient } from "../sink/client.js";
import type { Transactions } from "../stores/store-kind.js";
import type { Watchdog } from "./watchdog.js";

export interface Lane {
  /** Its name, unique in the run. */
  readonly by: string;
  readonly seed: number;
  readonly random: Random;
  /** Records every call, and is watched for calls that hang. */
  readonly store: AtomicStore;
  /** The same without a record, if it writes several keys in one step. */
  readonly multi: MultiKeyStore | undefined;
  /** Transactions of the same client, if it has any. */
  readonly transactions: Transactions | undefined;
  /** Names what is broken on purpose. */
  readonly broken: string | undefined;
  readonly sink: SinkClient;
  /** A fresh number of this lane. */
  next(): number;
  /** The number of the present stretch of time, the same in all processes. */
  epoch(lengthMs: number): number;
  pause(mostMs: number): Promise<void>;
  /**
   * Asks an algorithm and writes question and answer down. Undefined if it threw; what it threw is
   * written down by its code, and is an error if it has none that is documented.
   */
  ask<T>(to: Subject, ask: unknown, work: () => Promise<T>): Promise<T | undefined>;
}

/** What a workload does again and again until the run ends. */
export type Workload = (lane: Lane) => () => Promise<void>;

/** Whether the store writes several keys in one step. */
export function isMultiKey(store: AtomicStore): store is MultiKeyStore {
  return "writeAll" in store;
}

/** Algorithms wait and re-send for at most a few of these together. */
export const SETTLE_MS = 2_500;
export const WAIT_MS = 2_500;
export const LEASE_MS = 1_000;
const ALGORITHM_BOUND_MS = 30_000;

const EXPECTED = new Set<unknown>([
  "unavailable",
  "indeterminate",
  "contended",
  "lockHeld",
  "aborted",
]);

export interface LaneParts {
  readonly by: string;
  readonly seed: number;
  readonly random: Random;
  readonly store: AtomicStore;
  readonly multi: MultiKeyStore | undefined;
  readonly transactions: Transactions | undefined;
  readonly broken?: string | undefined;
  readonly sink: SinkClient;
  readonly log: CallLog;
  readonly watchdog: Watchdog;
  readonly originNs: bigint;
}

export function createLane(parts: LaneParts): Lane {
  const { by, seed, random, store, multi, transactions, broken, sink } = parts;
  const { log, watchdog, originNs } = parts;
  let count = 0;
  return {
    by,
    seed,
    random,
    store,
    multi,
    transactions,
    broken,
    sink,
    next: () => {
      count += 1;
      return count;
    },
    epoch: (lengthMs) => Math.floor(Number(process.hrtime.bigint() - originNs) / 1e6 / lengthMs),
    pause: async (mostMs) => void (await sleep(random.int(0, mostMs))),
    async ask(to, question, work) {
      const n = log.ask(by, to, question);
      try {
        const what = `${to} ${JSON.stringify(question)}`;
        const answer = await watchdog.watch(what, ALGORITHM_BOUND_MS, work());
        log.told(n, plain(answer));
        return answer;
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        log.told(n, { outcome: "threw", code: String(code), message: String(error) });
        if (!EXPECTED.has(code)) log.error(`${to} threw ${String(code)}: ${String(error)}`);
        return undefined;
      }
    },
  };
}

/** An answer without what is no data: causes, errors, the functions of a held lock. */
function plain(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer ?? null;
  const { cause: _, error, lock, ...rest } = answer as Record<string, unknown>;
  const held = lock as { readonly token: number } | undefined;
  return {
    ...rest,
    ...(error !== undefined && { error: String(error) }),
    ...(held !== undefined && { token: held.token }),
  };
}
