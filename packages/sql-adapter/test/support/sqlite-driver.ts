// The SQLite driver that the tests run over: libsql, which the workspace has, unless
// ONCEPROOF_SQLITE_DRIVER names another; `npm test -- --part drivers` names the others in turn.
import { createRequire } from "node:module";
import type { SqliteDatabase } from "@onceproof/sql-adapter";

export interface Connection extends SqliteDatabase {
  close(): unknown;
}

/** Opens a connection to a file as a user would. */
export type Opener = (file: string) => Connection;

export const NODE_SQLITE = "node:sqlite";

const {
  ONCEPROOF_SQLITE_DRIVER: asked,
  // The folder of a driver that the workspace does not have.
  ONCEPROOF_SQLITE_MODULE: place,
} = process.env;

/** What runs on other databases as well is to run on SQLite alone. */
export const onlySqlite = asked !== undefined;

export const driver = asked ?? "libsql";

type DatabaseClass = new (file: string) => Connection;

/** Throws if there is no such module. */
export function openerOf(module: string): Opener {
  // Not an import: bundlers and older versions of Node know nothing of node:sqlite.
  const loaded: DatabaseClass & { readonly DatabaseSync?: DatabaseClass } = createRequire(
    import.meta.url,
  )(module);
  const Database = loaded.DatabaseSync ?? loaded;
  return (file) => new Database(file);
}

export const openDatabase = openerOf(place ?? driver);

/** By what SQLite itself says of another BEGIN, since not every driver tells. */
export function isInTransaction(database: SqliteDatabase): boolean {
  try {
    database.exec("BEGIN");
  } catch (error) {
    if (/within a transaction/.test(String(error))) return true;
    throw error;
  }
  database.exec("ROLLBACK");
  return false;
}
