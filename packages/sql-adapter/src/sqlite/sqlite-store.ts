// The store on SQLite, in process: each write is judged inside a transaction of its own that holds
// the file's write lock, on the host's clock, which all processes on the file share.

import {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type Deadline,
  type MultiKeyStore,
  pause,
  StoreError,
  type SweepableStore,
  writeAllStep,
  writeStep,
} from "@onceproof/core/advanced";
import type { SqliteDatabase } from "../drivers/sqlite.js";
import { isCreate, judge, observe } from "../shared/judge.js";
import { checkLimit } from "../shared/options.js";
import { roundsUntil, unavailable, withDeadline } from "../shared/rounds.js";
import { type Stretch, sweeper } from "../shared/sweep.js";
import { type SqlTransactions, withTransactions } from "../shared/with-transactions.js";
import { resolveOptions, type SqliteStoreOptions } from "./options.js";
import { stepsOn } from "./steps.js";
import { sqliteTransactions } from "./transaction.js";
import { refusingNested } from "./transaction-turns.js";

/** A store in a SQLite file, which several processes may share. */
export interface SqliteStore<Tx = unknown>
  extends MultiKeyStore,
    SweepableStore,
    SqlTransactions<Tx> {}

const ROWS_PER_STRETCH = 500;

/**
 * Builds a store over your own SQLite connection; `migrate` makes its table.
 *
 * Guarantee: clauses S0 to S11 between all processes of one host that share the file, on the
 * host's clock; several keys in one step; one transaction for entries and your own rows, which on
 * this connection go one after another.
 * Cost: 1 statement for a read and for a create that is refused or replayed. Any other write reads
 * and puts its row between BEGIN and COMMIT: 4 statements applied, 3 refused; a create looks
 * first: 5. Two PRAGMAs more each if the connection has a busy timeout. Only COMMIT waits for the
 * disk. A touch does not write the value again.
 * Fails: StoreError `unavailable` for what certainly did nothing (another process wrote for the
 * whole operation timeout, say), `closed` after `close`; `unknown` if COMMIT itself failed.
 */
export function createSqliteStore<Database extends SqliteDatabase>(
  options: SqliteStoreOptions<Database>,
): SqliteStore<Database> {
  const resolved = resolveOptions(options);
  const { statements, runtime, capabilities } = resolved;
  const { maxValueBytes, operationTimeoutMs } = capabilities;
  const steps = stepsOn(resolved, runtime);
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  /** Again and again until nobody is in the way. */
  function patiently<T>(step: () => T | undefined): Promise<T> {
    return withDeadline(runtime, operationTimeoutMs, (deadline) =>
      roundsUntil(runtime, deadline, async () => step()),
    );
  }

  /** Cost: 1 statement, and 3 and one for each row that is freed if any is due. */
  async function stretch(
    from: number | undefined,
    limit: number,
    deadline: Deadline,
  ): Promise<Stretch<number>> {
    const after = from ?? -1;
    const scan = () => statements.scan(after, ROWS_PER_STRETCH, steps.now());
    const seen = await roundsUntil(runtime, deadline, async () => steps.reading(scan));
    let freed: number = 0;
    if (seen.some(({ due }) => due)) {
      const done = await roundsUntil(runtime, deadline, async () =>
        steps.writing((rows) => {
          const due = scan().filter((row) => row.due);
          for (const { id } of due.slice(0, limit)) {
            rows.free(id);
          }
          return Math.min(due.length, limit);
        }),
      );
      if (typeof done !== "number") {
        throw unavailable(done.cause);
      }
      freed = done;
    }
    // Others of this process get their turn.
    await pause(runtime, 0);
    const last = seen.at(-1);
    return last === undefined || seen.length < ROWS_PER_STRETCH
      ? { freed }
      : { freed, next: last.id };
  }

  const sweep = sweeper(stretch, operationTimeoutMs);

  const store: MultiKeyStore & SweepableStore = {
    capabilities,

    async read(key) {
      checkStoreKey(key);
      checkOpen();
      return patiently(() => {
        const sight = steps.look(key);
        return sight && observe(sight, key);
      });
    },

    async write(write) {
      checkWrite(write, maxValueBytes);
      checkOpen();
      return patiently(() => {
        if (isCreate(write)) {
          const sight = steps.look(write.key);
          const seen = sight && judge(sight, write);
          if (seen === undefined || seen.puts.length === 0) {
            return seen?.result;
          }
        }
        return steps.writing((rows) => writeStep(rows, write));
      });
    },

    async writeAll(all) {
      checkWriteAll(all, maxValueBytes);
      checkOpen();
      return patiently(() => steps.writing((rows) => writeAllStep(rows, all)));
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
  const guarded = refusingNested(store, resolved.database);
  return withTransactions(guarded, sqliteTransactions(resolved));
}
