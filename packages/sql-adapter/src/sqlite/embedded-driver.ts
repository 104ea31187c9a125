// The driver that `openSqlite` opens files with: the one that is built into Node, else libsql, which
// is loaded only then, so that nobody has to install what nobody uses.

import { driverError, StoreError } from "@onceproof/core/advanced";
import type { SqliteDatabase } from "../drivers/sqlite.js";

/** A connection that its opener closes. */
export interface EmbeddedDatabase extends SqliteDatabase {
  close(): unknown;
}

/** Opens a connection; makes the file if it is missing. */
export type OpenDatabase = (file: string) => EmbeddedDatabase;

/** How the drivers are loaded. */
export interface Drivers {
  /** undefined where Node has none: before 22.5, and without its flag before 22.13. */
  builtIn(): unknown;
  libsql(): Promise<unknown>;
}

const installed: Drivers = {
  // Not an import: bundlers know nothing of a module that only some versions have.
  builtIn: () => process.getBuiltinModule?.("node:sqlite"),
  libsql: () => import("libsql"),
};

function missing(cause: unknown): StoreError {
  const what =
    "openSqlite needs a driver, and this Node has none of its own: " +
    'run "npm install libsql", or use Node 22.13 or newer';
  return new StoreError("unavailable", what, { cause: driverError(cause) });
}

type DatabaseClass = new (file: string) => EmbeddedDatabase;

/**
 * The best driver at hand.
 *
 * Fails: StoreError `unavailable`, which says what to install.
 */
export async function embeddedDriver(drivers: Partial<Drivers> = {}): Promise<OpenDatabase> {
  const { builtIn, libsql } = { ...installed, ...drivers };
  const { DatabaseSync } = Object(builtIn()) as { DatabaseSync?: DatabaseClass };
  if (DatabaseSync !== undefined) {
    return (file) => new DatabaseSync(file);
  }
  const loaded = await libsql().catch((error: unknown) => Promise.reject(missing(error)));
  const { default: Database } = loaded as { default: DatabaseClass };
  return (file) => new Database(file);
}
