// Changing a row of the user's by a function of what it holds, without a lock between reading and
// writing: the version tells whether another write came in between, and then the function is asked
// again, with pauses, so many times at most.

import { ArgumentError, pause, type Runtime } from "@onceproof/core/advanced";
import type { Columns } from "../shared/row.js";
import { commas, setList, type Target, targetOf } from "./columns.js";
import { type Database, lockLimit, type Steps, send } from "./database.js";
import {
  type Asked,
  askedOf,
  entityOf,
  findLogged,
  LOG_COLUMNS,
  type Logged,
  loggedOf,
  logRequest,
  requireKind,
} from "./request-log.js";
import { type Fragment, NONE, raw, sql } from "./sql.js";
import { requireStrict } from "./strict-mode.js";
import {
  reasonOf,
  refuse,
  type UpdateVersionedOptions,
  type UpdateVersionedResult,
} from "./update.js";
import { type Assignment, assignmentsOf, type Row, wholeNumber } from "./values.js";

interface Change {
  readonly target: Target;
  readonly version: Fragment;
  readonly update: UpdateVersionedOptions["update"];
  readonly asked: Asked | undefined;
}

/** What the function made of a row: what to set, why it refuses, or what it threw. */
type Made =
  | { readonly set: readonly Assignment[] }
  | { readonly reason: string }
  | { readonly thrown: unknown };

const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 250;

/** Full jitter, so that those who lost do not meet again. */
function jitter({ randomBytes }: Runtime, round: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** round, LONGEST_PAUSE_MS);
  const [a = 0, b = 0] = randomBytes(2);
  return (longest * (a * 256 + b + 1)) / 65_536;
}

function make({ dialect }: Database, { update, target }: Change, row: Row): Made {
  try {
    const made = update(row, { refuse });
    if (typeof (Object(made) as { then?: unknown }).then === "function") {
      Promise.resolve(made).catch(() => {});
      throw new ArgumentError("optionInvalid", "update must be synchronous");
    }
    const reason = reasonOf(made);
    if (reason !== undefined) {
      return { reason };
    }
    const { id, version } = target.names;
    return { set: assignmentsOf(dialect, made, "what update returned", [id, version]) };
  } catch (thrown) {
    return { thrown };
  }
}

function replayOf(logged: Logged): UpdateVersionedResult {
  requireKind("update", logged);
  const { outcome, detail, version } = logged;
  return outcome === "refused"
    ? { outcome, reason: String(detail), replayed: true }
    : { outcome: "updated", version: version ?? 0, replayed: true };
}

function answerTo(made: Exclude<Made, { thrown: unknown }>, seen: number): UpdateVersionedResult {
  return "reason" in made
    ? { outcome: "refused", reason: made.reason, replayed: false }
    : { outcome: "updated", version: seen + 1, replayed: false };
}

/** What a log tells of it, as of now. */
function loggedAs(made: Exclude<Made, { thrown: unknown }>, seen: number, atMs: number): Logged {
  const states = { from: null, to: null, atMs };
  return "reason" in made
    ? { outcome: "refused", detail: made.reason, version: seen, ...states }
    : { outcome: "updated", detail: null, version: seen + 1, ...states };
}

/** The columns that the log's own would hide are the row's. */
function parted(columns: Columns): { readonly row: Row; readonly logged: Logged | undefined } {
  const entries = Object.entries(columns);
  const logged = Object.fromEntries(
    entries.flatMap(([name, value]) =>
      name.startsWith("onceproof_") ? [[name.slice("onceproof_".length), value]] : [],
    ),
  );
  return {
    row: Object.fromEntries(entries.filter(([name]) => !name.startsWith("onceproof_"))),
    logged: logged.outcome == null ? undefined : loggedOf(logged),
  };
}

/** The row and, where it costs nothing more, what the log tells of the request. */
function lookStatement(database: Database, { target, asked }: Change, lock: boolean): Fragment {
  const { dialect } = database;
  const { table, idColumn, id } = target;
  if (asked === undefined || dialect === "mysql") {
    const locking = raw(lock && dialect !== "sqlite" ? " FOR UPDATE" : "");
    return sql`SELECT * FROM ${table} WHERE ${idColumn} = ${id}${locking}`;
  }
  const columns = ["outcome", "detail", "from_status", "to_status", "version", "at_ms"];
  const told = raw(columns.map((name) => `l.${name} AS onceproof_${name}`).join(", "));
  const locking = raw(lock && dialect === "postgres" ? " FOR UPDATE OF t" : "");
  return sql`SELECT ${told}, t.* FROM ${table} t LEFT JOIN ${asked.log} l
  ON l.entity = ${entityOf(dialect, sql`t.${idColumn}`)} AND l.request_id = ${asked.requestId}
WHERE t.${idColumn} = ${id}${locking}`;
}

/** Sets the columns and raises the version, if it is still the one that was seen. */
function* write(
  database: Database,
  { target, version }: Change,
  set: readonly Assignment[],
  seen: number,
): Steps<boolean> {
  const { dialect } = database;
  const { table, idColumn, id } = target;
  const list = setList(dialect, set);
  if (dialect === "mysql") {
    // It is under the row's lock: see transition-row.ts.
    const raised = sql`${version} = ${version} + 1`;
    yield* send(
      database,
      sql`UPDATE ${table} SET ${commas([list, raised])} WHERE ${idColumn} = ${id} AND ${version} = ${seen}`,
    );
    return true;
  }
  const raised = sql`${version} = t.${version} + 1`;
  const { rows } = yield* send(
    database,
    sql`UPDATE ${table} AS t SET ${commas([list, raised])}${lockLimit(database, " FROM ")}
WHERE t.${idColumn} = ${id} AND t.${version} = ${seen} RETURNING 1`,
  );
  return rows.length > 0;
}

/** The row locked, the request logged and the row changed, by one statement. */
function postgresStatement(
  database: Database,
  { target, version, asked }: Change,
  made: Exclude<Made, { thrown: unknown }>,
  seen: number,
): Fragment {
  const { table, idColumn, id } = target;
  const atMs = Math.floor(database.runtime.wallNow());
  const { outcome, detail, version: told } = loggedAs(made, seen, atMs);
  const changed =
    "reason" in made
      ? NONE
      : sql`, u AS (
  UPDATE ${table} AS t SET ${commas([setList("postgres", made.set), sql`${version} = t.${version} + 1`])}
  FROM w WHERE t.${idColumn} = ${id} RETURNING 1
)`;
  return sql`WITH e AS MATERIALIZED (
  SELECT ${entityOf("postgres", sql`t.${idColumn}`)} AS entity
  FROM ${table} t${lockLimit(database, ", ")}
  WHERE t.${idColumn} = ${id} AND t.${version} = ${seen} FOR UPDATE OF t
), w AS (
  INSERT INTO ${asked?.log} (${LOG_COLUMNS})
  SELECT e.entity, ${asked?.requestId}::text, ${outcome}::text, ${detail}::text,
    NULL, NULL, ${told}::bigint, ${atMs}::bigint
  FROM e ON CONFLICT DO NOTHING RETURNING 1
)${changed}
SELECT count(*) AS logged FROM w`;
}

const LOST = "lost";

/** One round: looks, asks the function, and writes if nothing has changed since. */
function* round(
  database: Database,
  change: Change,
  lock: boolean,
): Steps<UpdateVersionedResult | typeof LOST> {
  const { dialect, runtime } = database;
  const { asked, target } = change;
  yield* requireStrict(database);
  const { rows } = yield* send(database, lookStatement(database, change, lock));
  if (rows[0] === undefined) {
    return { outcome: "notFound" };
  }
  const { row, logged } = parted(rows[0]);
  if (logged !== undefined) {
    return replayOf(logged);
  }
  const seen = wholeNumber(row[target.names.version ?? ""], "the version of the row");
  const made = make(database, change, row);
  if ("thrown" in made) {
    // The row has moved on since the request was answered: the function need not fit it any more.
    const before = asked && dialect === "mysql" ? yield* findLogged(database, asked) : undefined;
    if (before === undefined) {
      throw made.thrown;
    }
    return replayOf(before);
  }
  if (asked === undefined) {
    const done = "reason" in made || (yield* write(database, change, made.set, seen));
    return done ? answerTo(made, seen) : LOST;
  }
  if (dialect === "postgres") {
    const sent = yield* send(database, postgresStatement(database, change, made, seen));
    return Number(sent.rows[0]?.logged) > 0 ? answerTo(made, seen) : LOST;
  }
  const told = loggedAs(made, seen, Math.floor(runtime.wallNow()));
  if (!(yield* logRequest(database, asked, told))) {
    const before = yield* findLogged(database, asked);
    return before === undefined ? LOST : replayOf(before);
  }
  if ("set" in made) {
    yield* write(database, change, made.set, seen);
  }
  return answerTo(made, seen);
}

/** Changes a row; see `Tables.updateVersioned`. */
export async function updateVersioned(
  database: Database,
  table: string,
  options: UpdateVersionedOptions<never>,
): Promise<UpdateVersionedResult> {
  const { dialect, bound, runtime } = database;
  const { id, update, requestId, log, maxRounds = 64, columns } = options;
  if (typeof update !== "function") {
    throw new ArgumentError("optionInvalid", "update must be a function");
  }
  if (!Number.isSafeInteger(maxRounds) || maxRounds < 1) {
    throw new ArgumentError("optionInvalid", "maxRounds must be a whole number of at least 1");
  }
  const target = targetOf(dialect, table, id, columns);
  const { versionColumn: version } = target;
  if (version === undefined) {
    throw new ArgumentError("optionInvalid", "updateVersioned needs a version column");
  }
  const asked = askedOf(database, target, requestId, log);
  const change: Change = { target, version, update: update as Change["update"], asked };
  // In a transaction the write locks the row in any case: to lock it at once spares every retry, and
  // a snapshot that is older than what others committed.
  const lock = bound || dialect === "mysql" || (asked !== undefined && dialect === "sqlite");
  for (let rounds = 1; ; rounds += 1) {
    const extent = lock || dialect === "sqlite" ? "together" : "apart";
    const result = await database.run(extent, () => round(database, change, lock));
    if (result !== LOST) {
      return result;
    }
    if (rounds === maxRounds) {
      return { outcome: "contended", rounds };
    }
    await pause(runtime, jitter(runtime, rounds));
  }
}
