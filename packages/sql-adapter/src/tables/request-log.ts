// The log of requests beside a table of the user's: what each request did to which row. Its primary
// key is what stops a request from taking effect twice, even after the row has moved on and back.

import { ArgumentError } from "@onceproof/core/advanced";
import { DIALECTS, type Dialect } from "../shared/dialect.js";
import { unavailable } from "../shared/rounds.js";
import type { Columns } from "../shared/row.js";
import { type TableColumns, type Target, targetOf } from "./columns.js";
import { type Database, type Steps, send } from "./database.js";
import { quoteTableName } from "./names.js";
import { isDuplicate } from "./server-database.js";
import { type Fragment, raw, sql } from "./sql.js";
import { type Value, wholeNumber } from "./values.js";

// A request id is compared byte by byte, and so is the id of a row, as its own column spells it.

/**
 * Returns the statement that makes a request log, for your own migrations: one log for each table.
 *
 * Rows may be deleted once their `at_ms` (the wall clock of the process, in milliseconds) is older
 * than any retry can be; after that the request counts as new.
 * Fails: ArgumentError `optionInvalid` for an unknown dialect or a log that is no name.
 */
export function requestLogSchema(dialect: Dialect, log: string): string {
  if (!DIALECTS.includes(dialect)) {
    throw new ArgumentError("optionInvalid", `dialect must be one of ${DIALECTS.join(", ")}`);
  }
  const name = quoteTableName(dialect, log, "log");
  const bytes = { postgres: 'text COLLATE "C"', mysql: "varbinary(764)", sqlite: "ANY" }[dialect];
  const words = { postgres: "text", mysql: "varchar(191) CHARACTER SET utf8mb4", sqlite: "TEXT" }[
    dialect
  ];
  const whole = dialect === "sqlite" ? "INTEGER" : "bigint";
  const end = { postgres: "", mysql: " ENGINE = InnoDB ROW_FORMAT = DYNAMIC", sqlite: " STRICT" };
  return `CREATE TABLE IF NOT EXISTS ${name} (
  entity ${bytes} NOT NULL,
  request_id ${bytes} NOT NULL,
  outcome ${words} NOT NULL,
  detail ${words},
  from_status ${words},
  to_status ${words},
  version ${whole},
  at_ms ${whole} NOT NULL,
  PRIMARY KEY (entity, request_id)
)${end[dialect]};
`;
}

/** What a request did. */
export interface Logged {
  readonly outcome: "moved" | "refused" | "updated";
  /** The event that moved it, or why it was refused. */
  readonly detail: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The version that it made, or saw when it was refused; null for a table without versions. */
  readonly version: number | null;
  readonly atMs: number;
}

/** Columns of bytes come as bytes. */
function textOf(column: unknown): string {
  return column instanceof Uint8Array ? new TextDecoder().decode(column) : String(column);
}

function text(column: unknown): string | null {
  return column === null ? null : String(column);
}

/** A row of a log. */
export function loggedOf(row: Columns): Logged {
  return {
    outcome: String(row.outcome) as Logged["outcome"],
    detail: text(row.detail),
    from: text(row.from_status),
    to: text(row.to_status),
    version: row.version === null ? null : wholeNumber(row.version, "version"),
    atMs: wholeNumber(row.at_ms, "at_ms"),
  };
}

/**
 * Throws if the request has named a call of the other helper for the row: its answer is not the one
 * that is asked for, and this change has not been made. Only a move has a state that it was in.
 */
export function requireKind(kind: "move" | "update", { from }: Logged): void {
  if ((from === null) !== (kind === "update")) {
    throw new ArgumentError(
      "optionInvalid",
      "requestId has named a call of another helper for this row: give each call an id of its own",
    );
  }
}

/** The id of a row as the log spells it, whatever the spelling of whoever asks. */
export function entityOf(dialect: Dialect, column: Fragment): Fragment {
  switch (dialect) {
    case "postgres":
      // Said outright: a collation of the column's own would be at odds with that of the log.
      return sql`${column}::text COLLATE "C"`;
    case "mysql":
      return sql`CAST(${column} AS BINARY)`;
    case "sqlite":
      return column;
  }
}

export const LOG_COLUMNS: Fragment = raw(
  "entity, request_id, outcome, detail, from_status, to_status, version, at_ms",
);

/** A table with its log, and the row and request that are asked for. */
export interface Asked {
  readonly table: Fragment;
  readonly idColumn: Fragment;
  readonly id: unknown;
  readonly log: Fragment;
  readonly requestId: string;
}

/** The longest request id, state, event or reason, in characters. */
export const LONGEST_WORD = 191;

/** What asks a log; undefined without a request id. */
export function askedOf(
  { dialect }: Database,
  { table, idColumn, id }: Target,
  requestId: string | undefined,
  log: string | undefined,
): Asked | undefined {
  if (requestId === undefined) {
    return undefined;
  }
  if (typeof requestId !== "string" || requestId === "" || requestId.length > LONGEST_WORD) {
    throw new ArgumentError(
      "optionInvalid",
      `requestId must be a string of 1 to ${LONGEST_WORD} characters`,
    );
  }
  if (log === undefined) {
    throw new ArgumentError("optionInvalid", "a requestId needs a log: see requestLogSchema");
  }
  return { table, idColumn, id, log: raw(quoteTableName(dialect, log, "log")), requestId };
}

/** Finds what a request did to a row that is still there. Cost: 1 statement. */
export function* findLogged(
  database: Database,
  { table, idColumn, id, log, requestId }: Asked,
): Steps<Logged | undefined> {
  const { dialect } = database;
  const requested = dialect === "mysql" ? sql`CAST(${requestId} AS BINARY)` : sql`${requestId}`;
  // The snapshot of a transaction on MySQL may be older than what refused the insert.
  const locking = raw(dialect === "mysql" ? " LOCK IN SHARE MODE" : "");
  const { rows } = yield* send(
    database,
    sql`SELECT l.outcome, l.detail, l.from_status, l.to_status, l.version, l.at_ms
FROM ${table} t JOIN ${log} l ON l.entity = ${entityOf(dialect, sql`t.${idColumn}`)}
WHERE t.${idColumn} = ${id} AND l.request_id = ${requested}${locking}`,
  );
  return rows[0] === undefined ? undefined : loggedOf(rows[0]);
}

/** What a named request did to a row. */
export interface LoggedRequest extends Logged {
  readonly requestId: string;
}

/** Options of `requests`. */
export interface RequestsOptions {
  /** The row's id. */
  readonly id: Value;
  /** The table of `requestLogSchema`. */
  readonly log: string;
  readonly columns?: TableColumns;
}

/** Tells the requests of a row; see `Tables.requests`. */
export async function requests(
  database: Database,
  table: string,
  { id, log, columns }: RequestsOptions,
): Promise<readonly LoggedRequest[]> {
  const { dialect } = database;
  const target = targetOf(dialect, table, id, columns);
  const { idColumn } = target;
  const name = raw(quoteTableName(dialect, log, "log"));
  const told = await database.run("apart", function* () {
    const { rows } = yield* send(
      database,
      sql`SELECT l.* FROM ${target.table} t JOIN ${name} l
ON l.entity = ${entityOf(dialect, sql`t.${idColumn}`)}
WHERE t.${idColumn} = ${target.id} ORDER BY l.version, l.at_ms`,
    );
    return rows.map((row) => ({ requestId: textOf(row.request_id), ...loggedOf(row) }));
  });
  if ("outcome" in told) {
    throw unavailable(told.cause);
  }
  return told;
}

/**
 * Logs what a request does to a row that is locked; false if the request is there already.
 *
 * Cost: 1 statement. Not for Postgres, where it is a part of the one statement.
 */
export function* logRequest(
  database: Database,
  { table, idColumn, id, log, requestId }: Asked,
  { outcome, detail, from, to, version, atMs }: Logged,
): Steps<boolean> {
  const { dialect } = database;
  const told = sql`${requestId}, ${outcome}, ${detail}, ${from}, ${to}, ${version}, ${atMs}`;
  const insert = sql`INSERT INTO ${log} (${LOG_COLUMNS})
SELECT ${entityOf(dialect, sql`t.${idColumn}`)}, ${told}
FROM ${table} t WHERE t.${idColumn} = ${id}`;
  if (dialect === "sqlite") {
    // Without WHERE the words after the FROM would be taken for a join.
    const { rows } = yield* send(database, sql`${insert} ON CONFLICT DO NOTHING RETURNING 1`);
    return rows.length > 0;
  }
  try {
    yield* send(database, insert);
    return true;
  } catch (error) {
    if (isDuplicate(error)) {
      return false;
    }
    throw error;
  }
}
