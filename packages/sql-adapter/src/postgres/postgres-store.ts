// The store on Postgres: each read and each write is one statement in a transaction of its own.

import {
  type AtomicStore,
  checkStoreKey,
  checkWrite,
  type Deadline,
  type Observation,
  pause,
  StoreError,
  startDeadline,
  type Ttl,
  type Write,
  type WriteResult,
} from "@onceproof/core/advanced";
import { keyBytes } from "../shared/key-bytes.js";
import { isCreate, readAnswer, writeAnswer } from "./answer.js";
import { type PostgresStoreOptions, resolveOptions } from "./options.js";
import type { Statement, Statements } from "./statements.js";

/** Microseconds, rounded up; null is never. */
function micros(ttlMs: Ttl): number | null {
  return ttlMs === "never" ? null : Math.ceil(ttlMs * 1000);
}

function bytes(value: string): Buffer {
  return Buffer.from(value, "utf8");
}

/** The statement of one write, and its parameters from the fourth on. */
function stepOf(write: Write, statements: Statements): readonly [Statement, readonly unknown[]] {
  if (isCreate(write)) {
    const { expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    return [statements.create, [since, bytes(next.value), micros(next.ttlMs)]];
  }
  const { expect, next } = write;
  const stamp = [expect.revision, expect.opId];
  if (next === "removed") {
    return [statements.remove, stamp];
  }
  if ("touch" in next) {
    return [statements.touch, [...stamp, micros(next.ttlMs)]];
  }
  const { value, ttlMs } = next;
  return ttlMs === "keep"
    ? [statements.replaceKeep, [...stamp, bytes(value)]]
    : [statements.replace, [...stamp, bytes(value), micros(ttlMs)]];
}

/**
 * How long the server may wait for a row lock: less than we wait for its answer, so that a write
 * that was given up does not linger behind a lock. Zero would mean for ever.
 */
function lockTimeout(deadline: Deadline): string {
  return `${Math.max(1, Math.floor(deadline.remainingMs() * 0.8))}ms`;
}

function unavailable(cause: unknown): StoreError {
  const detail = cause instanceof Error ? `: ${cause.message}` : "";
  return new StoreError("unavailable", `Postgres did nothing or gave no answer${detail}`, {
    cause,
  });
}

/**
 * Builds a store over your own pg Pool or Client; `migrate` makes its table.
 *
 * Guarantee: clauses S0 to S11, on the server's clock, under any default isolation level.
 * Cost: 1 statement per read and per write, applied or refused; one more each time another write
 * to the same key commits in between, or the server reports a deadlock or serialization failure.
 * Fails: a write without an answer is `unknown`; StoreError `unavailable` for what certainly did
 * nothing and for a read without an answer, `closed` after `close`.
 */
export function createPostgresStore(options: PostgresStoreOptions): AtomicStore {
  const { run, statements, runtime, capabilities } = resolveOptions(options);
  const { maxValueBytes, operationTimeoutMs } = capabilities;
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  /** Runs `work` until it gives an answer, within one operation's time. */
  async function within<T>(work: (deadline: Deadline) => Promise<T | undefined>): Promise<T> {
    const deadline = startDeadline(runtime, operationTimeoutMs);
    try {
      for (let round = 0; deadline.remainingMs() > 0; round += 1) {
        const answer = await work(deadline);
        if (answer !== undefined) {
          return answer;
        }
        await deadline.race(pause(runtime, Math.min(round, 20)));
      }
      throw unavailable(new Error(`other writes won every time for ${operationTimeoutMs} ms`));
    } finally {
      deadline.cancel();
    }
  }

  return {
    capabilities,

    async read(key): Promise<Observation> {
      checkStoreKey(key);
      checkOpen();
      const { name, text } = statements.read;
      return within(async (deadline) => {
        const attempt = await run(name, text, [keyBytes(key)], deadline);
        if (attempt.kind === "rows") {
          return readAnswer(attempt.rows[0]);
        }
        if (attempt.kind === "nothing" && attempt.again) {
          return undefined;
        }
        throw unavailable(attempt.cause);
      });
    },

    async write(write): Promise<WriteResult> {
      checkWrite(write, maxValueBytes);
      checkOpen();
      const [{ name, text }, values] = stepOf(write, statements);
      const key = keyBytes(write.key);
      return within<WriteResult>(async (deadline) => {
        const parameters = [key, write.opId, lockTimeout(deadline), ...values];
        const attempt = await run(name, text, parameters, deadline);
        switch (attempt.kind) {
          case "rows":
            return writeAnswer(attempt.rows[0], write);
          case "noAnswer":
            return { outcome: "unknown", cause: attempt.cause };
          case "nothing":
            if (attempt.again) {
              return undefined;
            }
            throw unavailable(attempt.cause);
        }
      });
    },

    async close(): Promise<void> {
      closed = true;
    },
  };
}
