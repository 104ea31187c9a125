// Moving a row of the user's from one state to another, at most once for each request.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Columns } from "../shared/row.js";
import { commas, setList, type Target, targetOf } from "./columns.js";
import { type Database, type Indeterminate, lockLimit, type Steps, send } from "./database.js";
import {
  type Asked,
  askedOf,
  entityOf,
  findLogged,
  LOG_COLUMNS,
  LONGEST_WORD,
  type Logged,
  logRequest,
  requireKind,
} from "./request-log.js";
import { type Fragment, joined, NONE, raw, sql } from "./sql.js";
import { requireStrict } from "./strict-mode.js";
import type { TransitionRowOptions, TransitionRowResult } from "./transition.js";
import { type Assignment, assignmentsOf, isTrue, wholeNumber } from "./values.js";

interface Move {
  readonly target: Target;
  readonly from: readonly string[];
  readonly to: string;
  readonly version: number | undefined;
  readonly set: readonly Assignment[];
  /** Undefined without a request id. */
  readonly asked: Asked | undefined;
  readonly event: string | null;
}

function checkState(state: unknown, what: string): void {
  if (typeof state !== "string" || state === "" || state.length > LONGEST_WORD) {
    throw new ArgumentError(
      "optionInvalid",
      `${what} must be a text of 1 to ${LONGEST_WORD} characters`,
    );
  }
}

function moveOf(database: Database, table: string, options: TransitionRowOptions): Move {
  const { dialect } = database;
  const { id, to, version, requestId, log, event = null, columns } = options;
  const target = targetOf(dialect, table, id, columns);
  const from = typeof options.from === "string" ? [options.from] : [...(options.from ?? [])];
  if (from.length === 0) {
    throw new ArgumentError("optionInvalid", "from must name the states that it may be in");
  }
  for (const state of from) {
    checkState(state, "from");
  }
  checkState(to, "to");
  if (event !== null) {
    checkState(event, "event");
  }
  if (version !== undefined && (!Number.isSafeInteger(version) || !target.versionColumn)) {
    throw new ArgumentError("optionInvalid", "version must be a whole number of a version column");
  }
  const { names } = target;
  const reserved = [names.id, names.status, names.version];
  const set = options.set ? assignmentsOf(dialect, options.set, "set", reserved) : [];
  return {
    target,
    from,
    to,
    version,
    set,
    asked: askedOf(database, target, requestId, log),
    event,
  };
}

/** Whether a row may move, and whether it is there already, as the database compares states. */
function judged({ target, from, to, version }: Move): Fragment {
  const { statusColumn, versionColumn } = target;
  const states = joined(
    from.map((state) => sql`${state}`),
    ", ",
  );
  const versioned = version === undefined ? NONE : sql` AND t.${versionColumn} = ${version}`;
  const seen = versionColumn === undefined ? raw("NULL") : sql`t.${versionColumn}`;
  return sql`t.${statusColumn} AS status, ${seen} AS version,
  (t.${statusColumn} IN (${states})${versioned}) AS legal, (t.${statusColumn} = ${to}) AS there`;
}

/** What a move sets beside the state. */
function others({ dialect }: Database, { target, set }: Move, row: string): Fragment[] {
  const { versionColumn } = target;
  return [
    setList(dialect, set),
    versionColumn === undefined ? NONE : sql`${versionColumn} = ${raw(row)}${versionColumn} + 1`,
  ];
}

function versionOf(column: unknown, add: number): number | null {
  return column === null || column === undefined ? null : wholeNumber(column, "version") + add;
}

/** What the row, as it was seen, makes of the move. */
function answerTo(
  { to, event, asked }: Move,
  { status, version, legal, there }: Columns,
  atMs: number,
): Exclude<TransitionRowResult, Indeterminate> {
  const state = String(status);
  if (isTrue(legal)) {
    const made = versionOf(version, 1);
    return { outcome: "moved", from: state, to, version: made, event, atMs, replayed: false };
  }
  const seen = versionOf(version, 0);
  return asked === undefined && isTrue(there)
    ? { outcome: "alreadyThere", status: state, version: seen }
    : { outcome: "refused", status: state, version: seen, event, replayed: false };
}

/** What the log tells of a request that was answered before. */
function replayOf(logged: Logged): TransitionRowResult {
  requireKind("move", logged);
  const { outcome, detail, from, to, version, atMs } = logged;
  if (outcome === "moved") {
    const states = { from: String(from), to: String(to) };
    return { outcome, ...states, version, event: detail, atMs, replayed: true };
  }
  return { outcome: "refused", status: String(from), version, event: detail, replayed: true };
}

/**
 * One statement: the row is locked and judged as it is then, the request logged, the row moved; each
 * goes by what the one before returned.
 */
function postgresStatement(database: Database, move: Move, atMs: number): Fragment {
  const { target, to, asked, event } = move;
  const { table, idColumn, id, statusColumn } = target;
  const entity = sql`${entityOf("postgres", sql`t.${idColumn}`)} AS entity`;
  const locked = sql`WITH e AS MATERIALIZED (
  SELECT ${entity}, ${judged(move)}
  FROM ${table} t${lockLimit(database, ", ")} WHERE t.${idColumn} = ${id} FOR UPDATE OF t
)`;
  const logged =
    asked === undefined
      ? NONE
      : sql`, w AS (
  INSERT INTO ${asked.log} (${LOG_COLUMNS})
  SELECT e.entity, ${asked.requestId}::text, CASE WHEN e.legal THEN 'moved' ELSE 'refused' END,
    ${event}::text, e.status::text, CASE WHEN e.legal THEN ${to}::text END,
    e.version::bigint + e.legal::int, ${atMs}::bigint
  FROM e ON CONFLICT DO NOTHING RETURNING 1
)`;
  const set = commas([sql`${statusColumn} = ${to}`, ...others(database, move, "t.")]);
  return sql`${locked}${logged}, u AS (
  UPDATE ${table} t SET ${set} FROM e${raw(asked ? ", w" : "")}
  WHERE t.${idColumn} = ${id} AND e.legal RETURNING 1
)
SELECT e.status, e.version, e.legal, e.there, (SELECT count(*) FROM u) AS moved,
  ${asked ? raw("(SELECT count(*) FROM w)") : raw("1")} AS logged FROM e`;
}

function* onPostgres(
  database: Database,
  move: Move,
  atMs: number,
): Steps<TransitionRowResult | undefined> {
  const { rows } = yield* send(database, postgresStatement(database, move, atMs));
  const [row] = rows;
  if (row === undefined) {
    return { outcome: "notFound" };
  }
  if (move.asked !== undefined && !isTrue(row.logged)) {
    const logged = yield* findLogged(database, move.asked);
    return logged && replayOf(logged);
  }
  return answerTo(move, row, atMs);
}

// On MySQL no answer to an UPDATE tells reliably whether it applied: affected rows mean different
// things by a flag of the driver's, and LAST_INSERT_ID(…) is hidden by a trigger that inserts.

/** Under the row's lock; the row first and then the log, else two requests can lock each other out. */
function* underLock(
  database: Database,
  move: Move,
  atMs: number,
): Steps<TransitionRowResult | undefined> {
  const { dialect } = database;
  const { target, to, asked, event } = move;
  const { table, idColumn, id, statusColumn } = target;
  yield* requireStrict(database);
  const locking = raw(dialect === "mysql" ? " FOR UPDATE" : "");
  const { rows } = yield* send(
    database,
    sql`SELECT ${judged(move)} FROM ${table} t WHERE t.${idColumn} = ${id}${locking}`,
  );
  const [row] = rows;
  if (row === undefined) {
    return { outcome: "notFound" };
  }
  const answer = answerTo(move, row, atMs);
  if (asked !== undefined && (answer.outcome === "moved" || answer.outcome === "refused")) {
    const from = String(row.status);
    const logged: Logged = {
      outcome: answer.outcome,
      detail: event,
      from,
      to: answer.outcome === "moved" ? to : null,
      version: answer.version,
      atMs,
    };
    if (!(yield* logRequest(database, asked, logged))) {
      const before = yield* findLogged(database, asked);
      return before && replayOf(before);
    }
  }
  if (answer.outcome === "moved") {
    const set = commas([sql`${statusColumn} = ${to}`, ...others(database, move, "")]);
    const returning = raw(dialect === "sqlite" ? " RETURNING 1" : "");
    yield* send(database, sql`UPDATE ${table} SET ${set} WHERE ${idColumn} = ${id}${returning}`);
  }
  return answer;
}

/** Moves a row; see `Tables.transitionRow`. */
export function transitionRow(
  database: Database,
  table: string,
  options: TransitionRowOptions,
): Promise<TransitionRowResult> {
  const move = moveOf(database, table, options);
  const { dialect, runtime } = database;
  const atMs = Math.floor(runtime.wallNow());
  if (dialect === "postgres") {
    return database.run("apart", () => onPostgres(database, move, atMs));
  }
  return database.run("together", () => underLock(database, move, atMs));
}
