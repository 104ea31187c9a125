// What the stores on servers share: checks before anything is sent, rounds within one operation's
// time, and what an attempt means in the words of the contract. A dialect brings the rounds.

import {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type Deadline,
  type MultiKeyStore,
  type Observation,
  type Runtime,
  type StoreCapabilities,
  StoreError,
  type SweepableStore,
  type Unknown,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
} from "@onceproof/core/advanced";
import type { Attempt } from "./exchange.js";
import { checkLimit } from "./options.js";
import { type Round, roundsUntil, unavailable, withDeadline } from "./rounds.js";
import { type SweepStretch, sweeper } from "./sweep.js";

/** One round of each operation; an undefined answer asks for another one. */
export interface DialectRounds<Position> {
  read(key: string, deadline: Deadline): Promise<Attempt<Observation | undefined>>;
  write(write: Write, deadline: Deadline): Promise<Attempt<WriteResult | undefined>>;
  writeAll(all: WriteAll, deadline: Deadline): Promise<Attempt<WriteAllResult | undefined>>;
  readonly sweepStretch: SweepStretch<Position>;
}

/** A store on a server. */
export interface ServerStore extends MultiKeyStore, SweepableStore {}

/** A write's attempt in the words of the contract; undefined asks for another round. */
function settled<T>(attempt: Attempt<T>): T | Unknown | undefined {
  switch (attempt.kind) {
    case "answer":
      return attempt.value;
    case "noAnswer":
      return { outcome: "unknown", cause: attempt.cause };
    case "nothing":
      if (attempt.again) {
        return undefined;
      }
      throw unavailable(attempt.cause);
  }
}

/** A read's answer; no reply proves nothing but that there is no answer. */
function answered<T>(attempt: Attempt<T>): T | undefined {
  if (attempt.kind === "answer") {
    return attempt.value;
  }
  if (attempt.kind === "nothing" && attempt.again) {
    return undefined;
  }
  throw unavailable(attempt.cause);
}

/** Builds a store of a dialect's rounds; `onClose` runs once, when it is closed. */
export function serverStore<Position>(
  runtime: Runtime,
  capabilities: StoreCapabilities,
  rounds: DialectRounds<Position>,
  onClose: () => void = () => {},
): ServerStore {
  const { maxValueBytes, operationTimeoutMs } = capabilities;
  const sweep = sweeper(rounds.sweepStretch, operationTimeoutMs);
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  function within<T>(round: Round<T>): Promise<T> {
    return withDeadline(runtime, operationTimeoutMs, (deadline) =>
      roundsUntil(runtime, deadline, round),
    );
  }

  return {
    capabilities,

    async read(key) {
      checkStoreKey(key);
      checkOpen();
      return within(async (deadline) => answered(await rounds.read(key, deadline)));
    },

    async write(write) {
      checkWrite(write, maxValueBytes);
      checkOpen();
      return within(async (deadline) => settled(await rounds.write(write, deadline)));
    },

    async writeAll(all) {
      checkWriteAll(all, maxValueBytes);
      checkOpen();
      return within(async (deadline) => settled(await rounds.writeAll(all, deadline)));
    },

    async sweep({ limit }) {
      checkLimit(limit);
      checkOpen();
      return withDeadline(runtime, operationTimeoutMs, (deadline) => sweep(limit, deadline));
    },

    async close() {
      if (!closed) {
        closed = true;
        onClose();
      }
    },
  };
}
