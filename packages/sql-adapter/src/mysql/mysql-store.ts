// The store on MySQL and MariaDB: reads and single writes are statements in transactions of their
// own, several keys are one transaction.

import {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type MultiKeyStore,
  StoreError,
  type SweepableStore,
  type Unknown,
} from "@onceproof/core/advanced";
import type { Attempt } from "../shared/exchange.js";
import { observe } from "../shared/judge.js";
import { checkLimit } from "../shared/options.js";
import { type Round, roundsUntil, unavailable, withDeadline } from "../shared/rounds.js";
import { sweeper } from "../shared/sweep.js";
import { askingIn, look } from "./look.js";
import { type MysqlStoreOptions, resolveOptions } from "./options.js";
import { sweepStretch } from "./sweep.js";
import { writeRound } from "./write.js";
import { writeAllRound } from "./write-all.js";

/** A store on MySQL or MariaDB. */
export interface MysqlStore extends MultiKeyStore, SweepableStore {}

/** A write's attempt in words of the contract; undefined asks for another round. */
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

/**
 * Builds a store over your own mysql2 or mariadb client; `migrate` makes its table.
 *
 * Guarantee: clauses S0 to S11, on the server's clock, under any isolation level and either meaning
 * of affected rows; several keys in one step.
 * Cost: a read 1 statement. A create 1 where the key has no row, 2 refused, 3 over a removed or
 * expired entry; any other write 1 applied and 2 refused, but 2 and 1 where it keeps the expiry.
 * `writeAll` 5, and one for each key that has a row and one for all that have none; refused 5 or 6.
 * One more for each new connection.
 * Fails: a write without an answer is `unknown`; StoreError `unavailable` for what certainly did
 * nothing and for a read without an answer, `closed` after `close`.
 */
export function createMysqlStore(options: MysqlStoreOptions): MysqlStore {
  const { exchange, statements, runtime, capabilities } = resolveOptions(options);
  const { maxValueBytes, operationTimeoutMs, tombstoneMs } = capabilities;
  const tombstoneUs = Math.ceil(tombstoneMs * 1000);
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  function rounds<T>(round: Round<T>): Promise<T> {
    return withDeadline(runtime, operationTimeoutMs, (deadline) =>
      roundsUntil(runtime, deadline, round),
    );
  }

  const sweep = sweeper<Buffer>(
    (from, limit, deadline) =>
      sweepStretch(from, limit, tombstoneUs, statements, askingIn(exchange, deadline)),
    operationTimeoutMs,
  );

  return {
    capabilities,

    async read(key) {
      checkStoreKey(key);
      checkOpen();
      return rounds(async (deadline) => {
        const seen = await look([key], statements, askingIn(exchange, deadline));
        if (seen.kind === "answer") {
          return observe(seen.value, key);
        }
        if (seen.kind === "nothing" && seen.again) {
          return undefined;
        }
        throw unavailable(seen.cause);
      });
    },

    async write(write) {
      checkWrite(write, maxValueBytes);
      checkOpen();
      return rounds(async (deadline) =>
        settled(await writeRound(write, statements, askingIn(exchange, deadline))),
      );
    },

    async writeAll(all) {
      checkWriteAll(all, maxValueBytes);
      checkOpen();
      return rounds(async (deadline) =>
        settled(await writeAllRound(all, statements, exchange, deadline)),
      );
    },

    async sweep({ limit }) {
      checkLimit(limit);
      checkOpen();
      return withDeadline(runtime, operationTimeoutMs, (deadline) => sweep(limit, deadline));
    },

    async close() {
      closed = true;
    },
  };
}
