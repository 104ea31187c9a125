// The store's steps inside a SQLite transaction that is already open: on the connection itself,
// where they are synchronous, or through a bridge. It holds the write lock, so nothing changes
// between the look and the put.

import {
  ArgumentError,
  type MultiKeyStore,
  type Slot,
  writeAllStep,
  writeStep,
} from "@onceproof/core/advanced";
import { type BridgedTransaction, bridgedRows, isBridged } from "../bridges/bridged.js";
import { inTransaction, isBusy, isSqliteDatabase, type SqliteDatabase } from "../drivers/sqlite.js";
import { type BoundSteps, boundStore } from "../shared/bound-store.js";
import { judge, judgeAll, observe, sightOf } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { columnsOf, slotOf } from "../shared/row.js";
import { endedInside, type Watch, watchOver } from "../shared/transaction-watch.js";
import type { ResolvedOptions } from "./options.js";
import { rowsAt } from "./rows.js";
import { type Statements, statementsFor, textsFor } from "./statements.js";

/** What a store's steps go by, on whatever connection. */
interface Terms {
  readonly table: string;
  readonly tombstoneUs: number;
  now(): number;
}

const bound = new WeakMap<SqliteDatabase, Map<string, Statements>>();

/** The statements of a table on a connection, prepared once. */
function statementsOn(database: SqliteDatabase, table: string, tombstoneUs: number): Statements {
  const known = bound.get(database) ?? new Map<string, Statements>();
  bound.set(database, known);
  const id = `${tombstoneUs} ${table}`;
  const statements = known.get(id) ?? statementsFor(database, table, tombstoneUs);
  known.set(id, statements);
  return statements;
}

function directSteps(
  database: SqliteDatabase,
  { table, tombstoneUs, now }: Terms,
  watch: Watch | undefined,
): BoundSteps {
  const statements = statementsOn(database, table, tombstoneUs);
  function open(): void {
    if (!inTransaction(database)) {
      if (watch !== undefined) {
        throw endedInside();
      }
      throw new ArgumentError("optionInvalid", "tx has no open transaction: BEGIN IMMEDIATE first");
    }
  }
  return {
    async read(key) {
      open();
      return observe(sightOf(key, statements.read(key), now()), key);
    },
    async write(write) {
      open();
      return writeStep(rowsAt(now(), statements), write);
    },
    async writeAll(all) {
      open();
      database.exec("SAVEPOINT onceproof");
      try {
        return writeAllStep(rowsAt(now(), statements), all);
      } catch (error) {
        database.exec("ROLLBACK TO onceproof");
        throw error;
      } finally {
        database.exec("RELEASE onceproof");
      }
    },
  };
}

/** Builders begin deferred transactions: a write that looked first would be refused the lock. */
function bridgedSteps(bridge: BridgedTransaction, { table, tombstoneUs, now }: Terms): BoundSteps {
  const texts = textsFor(table);
  async function lookup(key: string): Promise<Slot | undefined> {
    const [row] = await bridgedRows(bridge, texts.read, [keyBytes(key), 1]);
    return slotOf(key, row, tombstoneUs);
  }
  async function put(puts: readonly Slot[]): Promise<void> {
    for (const slot of puts) {
      await bridgedRows(bridge, texts.put, [...columnsOf(slot), keyBytes(slot.key)]);
    }
  }
  return {
    async read(key) {
      return observe(sightOf(key, await lookup(key), now()), key);
    },
    async write(write) {
      await bridgedRows(bridge, texts.lock, []);
      const { result, puts } = judge(sightOf(write.key, await lookup(write.key), now()), write);
      await put(puts);
      return result;
    },
    async writeAll(all) {
      await bridgedRows(bridge, texts.lock, []);
      const slots = new Map<string, Slot | undefined>();
      for (const { key } of all.writes) {
        slots.set(key, await lookup(key));
      }
      const { result, puts } = judgeAll({ now: now(), slots }, all);
      await put(puts);
      return result;
    },
  };
}

/** Builds a store that is bound to a transaction. Cost: a read 1 statement, a write 2; bridged 3. */
export function bindSqlite(
  { table, statements, runtime, capabilities }: ResolvedOptions,
  tx: unknown,
): MultiKeyStore {
  const { tombstoneUs } = statements;
  const terms: Terms = { table, tombstoneUs, now: () => Math.round(runtime.wallNow() * 1000) };
  const watch = watchOver(tx);
  const stepsOf = (): BoundSteps => {
    if (isBridged(tx)) {
      return bridgedSteps(tx, terms);
    }
    if (isSqliteDatabase(tx)) {
      return directSteps(tx, terms, watch);
    }
    throw new ArgumentError(
      "optionInvalid",
      "tx must be the connection on which the transaction was begun, or a bridge to it: { rows(text, values) }",
    );
  };
  const parts = { runtime, capabilities, isContention: isBusy, watch };
  return boundStore({ steps: stepsOf(), ...parts });
}
