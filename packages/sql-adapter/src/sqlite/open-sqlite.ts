// `openSqlite`: the store for those who have no database server and want none. One call opens a file
// and makes of it what the store needs; `createSqliteStore` is for a connection of your own.

import { ArgumentError, driverError, FormatError, StoreError } from "@onceproof/core/advanced";
import { isBusy, isSqliteDatabase, type SqliteDatabase } from "../drivers/sqlite.js";
import { lookAtSqlite } from "../preflight/sqlite.js";
import { migrate } from "../schema/migrate.js";
import { checkOptions, SHARED_OPTIONS, type Taken } from "../shared/check-options.js";
import { quoteTable } from "../shared/table-name.js";
import { type Drivers, type EmbeddedDatabase, embeddedDriver } from "./embedded-driver.js";
import type { SqliteStoreOptions } from "./options.js";
import { createSqliteStore, type SqliteStore } from "./sqlite-store.js";

/** Options of `openSqlite`. */
export interface OpenSqliteOptions extends Omit<SqliteStoreOptions, "database"> {}

/** A store and the connection that it has opened. */
export interface OpenedSqliteStore extends SqliteStore {
  /** For tables of your own in the same file. `close` closes it. */
  readonly database: SqliteDatabase;
  /** Closes the store and the file. */
  close(): Promise<void>;
}

const TAKEN: Taken<keyof OpenSqliteOptions> = {
  who: "openSqlite",
  client: "database",
  names: { durability: true, ...SHARED_OPTIONS },
};

/** In memory, for tests: it survives nothing. */
const MEMORY = ":memory:";
/** How long your own statements wait for other processes; the store waits by itself. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens a SQLite file as a store, and makes the file and its table unless they are there: with
 * node:sqlite where Node has it, else with libsql, if that is installed.
 *
 * Guarantee: that of `createSqliteStore`. An applied write survives kill -9 and a power cut, if the
 * disk keeps what it has acknowledged. Several processes of one host may open and use one file at
 * the same time, on a local disk; a process that was killed leaves nothing to clean up. `":memory:"`
 * survives nothing, and says so.
 * Cost: some 20 statements, once.
 * Fails: ArgumentError `optionInvalid` for what is no path, or a path whose folder is missing;
 * FormatError `formatUnknown` for a file that is no SQLite database, or whose table has another
 * shape; StoreError `unavailable` if there is no driver, or the file cannot be opened or written.
 * @see https://sqlite.org/wal.html
 */
export async function openSqlite(
  file: string,
  options: OpenSqliteOptions = {},
): Promise<OpenedSqliteStore> {
  return openWith({}, file, options);
}

/** `openSqlite` with drivers of the caller's, where a test has no other Node to run on. */
export async function openWith(
  drivers: Partial<Drivers>,
  file: string,
  options: OpenSqliteOptions,
): Promise<OpenedSqliteStore> {
  // Before the file is made, with a table of another name than was meant.
  checkOptions(options, isSqliteDatabase, TAKEN);
  const table = quoteTable("sqlite", options.table);
  await checkFile(file);
  const open = await embeddedDriver(drivers);
  let database: EmbeddedDatabase | undefined;
  try {
    database = open(file);
    prepare(database);
    await migrate(database, options);
    checkTable(database, table);
    return storeOn(database, options);
  } catch (error) {
    database?.close();
    throw failure(error, file);
  }
}

/** SQLite would take an empty path for a temporary file, and libsql an address for a server. */
async function checkFile(file: unknown): Promise<void> {
  if (typeof file !== "string" || file === "" || /^(file:|[a-z][a-z\d+.-]+:\/\/)/i.test(file)) {
    throw new ArgumentError("optionInvalid", `file must be a path or "${MEMORY}"`);
  }
  if (file === MEMORY) {
    return;
  }
  // Loaded here, since this package's other stores run where there are no files.
  const [{ stat }, { dirname }] = await Promise.all([
    import("node:fs/promises"),
    import("node:path"),
  ]);
  const folder = dirname(file);
  const isFolder = (path: string): Promise<boolean> =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  if (!(await isFolder(folder))) {
    throw new ArgumentError("optionInvalid", `there is no folder ${folder}: make it first`);
  }
  if (await isFolder(file)) {
    throw new ArgumentError("optionInvalid", `${file} is a folder: name a file in it`);
  }
}

/** Without fullfsync, macOS calls a write done that a power cut takes back; others ignore it. */
function prepare(database: EmbeddedDatabase): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec("PRAGMA fullfsync = ON");
  database.exec("PRAGMA checkpoint_fullfsync = ON");
}

function checkTable(database: EmbeddedDatabase, table: string): void {
  const intent = { table, declared: undefined, operationTimeoutMs: 0, notify: false };
  const { findings } = lookAtSqlite(database, intent, "");
  const fatal = findings.find(({ severity }) => severity === "fatal");
  if (fatal !== undefined) {
    throw new FormatError(
      "formatUnknown",
      `the table ${table} is of another kind or version: ${fatal.finding}; ` +
        "name another table or file, or open it with the version that made it",
    );
  }
}

function storeOn(database: EmbeddedDatabase, options: OpenSqliteOptions): OpenedSqliteStore {
  const store = createSqliteStore({ database, ...options });
  let open = true;
  return {
    ...store,
    database,
    async close() {
      await store.close();
      if (open) {
        open = false;
        database.close();
      }
    },
  };
}

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Whether the bytes in the file are not what SQLite writes. */
function isForeign(error: unknown): boolean {
  const { code, errcode } = Object(error) as Partial<Record<string, unknown>>;
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  return (
    primary === CORRUPT ||
    primary === NOT_A_DATABASE ||
    /^SQLITE_(CORRUPT|NOTADB)/.test(String(code))
  );
}

function failure(error: unknown, file: string): Error {
  if (error instanceof ArgumentError || error instanceof FormatError) {
    return error;
  }
  const cause = { cause: driverError(error) };
  if (isForeign(error)) {
    return new FormatError(
      "formatUnknown",
      `${file} is no SQLite database, or a damaged one: name another file, or move this one away`,
      cause,
    );
  }
  return new StoreError(
    "unavailable",
    isBusy(error)
      ? `another process held ${file} for too long: try again`
      : `${file} cannot be opened and written: see that its folder and it may be written`,
    cause,
  );
}
