// A store whose steps run inside a transaction that is already open. It belongs to somebody else: a
// step never begins, commits or rolls it back, and what goes wrong in one ends it for good.

import { OnceproofError } from "@onceproof/core";
import {
  ArgumentError,
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type Deadline,
  type MultiKeyStore,
  type Observation,
  type Runtime,
  type StoreCapabilities,
  TIMED_OUT,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
} from "@onceproof/core/advanced";
import { roundsUntil, withDeadline } from "./rounds.js";
import { contended, isCausedBy, notCommitted, type Watch } from "./transaction-watch.js";

/** What a dialect says of the transaction itself. */
const TOLD: readonly string[] = ["contended", "indeterminate"];

/** A dialect's steps; undefined asks for another round, which sees what was committed since. */
export interface BoundSteps {
  read(key: string, deadline: Deadline): Promise<Observation>;
  write(write: Write, deadline: Deadline): Promise<WriteResult | undefined>;
  writeAll(all: WriteAll, deadline: Deadline): Promise<WriteAllResult | undefined>;
}

/** Why a bound store sends nothing more, once there is a reason. */
export interface Doom {
  reason: OnceproofError | undefined;
}

/**
 * Sends until there is a reason to send nothing more: the rest of a step that was given up would
 * come after the rollback, and be committed by itself.
 */
export function untilDoomed<Sent extends unknown[], Answer>(
  doom: Doom,
  send: (...sent: Sent) => Promise<Answer>,
): (...sent: Sent) => Promise<Answer> {
  return async (...sent) => {
    if (doom.reason !== undefined) {
      throw doom.reason;
    }
    return send(...sent);
  };
}

/** What a bound store is made of. */
export interface BoundParts {
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
  readonly isContention: (error: unknown) => boolean;
  /** Of the transaction, if a store has begun it. */
  readonly watch: Watch | undefined;
  readonly steps: BoundSteps;
  /** What its steps send by, unless they are synchronous: see `untilDoomed`. */
  readonly doom?: Doom;
}

/**
 * Builds a bound store.
 *
 * Fails: `contended` if others are the reason, `indeterminate` if the transaction had been ended by who
 * was to run in it, StoreError `unavailable` for anything else, and the
 * same again for every later call: the transaction can only be rolled back.
 */
export function boundStore(parts: BoundParts): MultiKeyStore {
  const { runtime, capabilities, steps, watch, isContention } = parts;
  const { maxValueBytes, operationTimeoutMs } = capabilities;
  const { doom = { reason: undefined } } = parts;
  let turn: Promise<unknown> = Promise.resolve();

  function failed(error: unknown): OnceproofError {
    if (error instanceof OnceproofError && TOLD.includes(error.code)) {
      return error;
    }
    return isCausedBy(error, isContention) ? contended(error) : notCommitted(error);
  }

  async function step<T>(work: (deadline: Deadline) => Promise<T | undefined>): Promise<T> {
    doom.reason ??= watch?.doom();
    if (doom.reason !== undefined) {
      throw doom.reason;
    }
    try {
      return await withDeadline(runtime, operationTimeoutMs, async (deadline) => {
        const result = await deadline.race(roundsUntil(runtime, deadline, work));
        if (result === TIMED_OUT) {
          throw new Error("no answer within the operation timeout");
        }
        return result;
      });
    } catch (error) {
      if (error instanceof ArgumentError) {
        throw error;
      }
      doom.reason = failed(error);
      watch?.fail(doom.reason);
      throw doom.reason;
    }
  }

  /** One step after another, as a connection takes them. */
  function inTurn<T>(work: (deadline: Deadline) => Promise<T | undefined>): Promise<T> {
    const result = turn.then(() => step(work));
    turn = result.catch(() => {});
    return result;
  }

  return {
    capabilities,
    async read(key) {
      checkStoreKey(key);
      return inTurn((deadline) => steps.read(key, deadline));
    },
    async write(write) {
      checkWrite(write, maxValueBytes);
      return inTurn((deadline) => steps.write(write, deadline));
    },
    async writeAll(all) {
      checkWriteAll(all, maxValueBytes);
      return inTurn((deadline) => steps.writeAll(all, deadline));
    },
    async close() {},
  };
}
