// Looks at the database and the table before they are relied on, and says what it found.

import { driverError, startDeadline, systemRuntime, TIMED_OUT } from "@onceproof/core/advanced";
import { isMysqlClient, mysqlSessions } from "../drivers/mysql.js";
import { isInMemory } from "../drivers/pglite.js";
import { isPglite, isPostgresClient, postgresSessions } from "../drivers/postgres.js";
import { isSqliteDatabase } from "../drivers/sqlite.js";
import type { DatabaseClient } from "../schema/migrate.js";
import { notAClient } from "../shared/check-options.js";
import type { Dialect } from "../shared/dialect.js";
import { checkDurability, type Durability } from "../shared/options.js";
import type { Session, Sessions } from "../shared/session.js";
import { quoteTable } from "../shared/table-name.js";
import type { Finding, Intent, Looked } from "./finding.js";
import { lookAtMysql } from "./mysql.js";
import { type Beside, lookAtPostgres } from "./postgres.js";
import { lookAtSqlite } from "./sqlite.js";

/** What preflight found. Plain data. */
export interface PreflightReport {
  /** Whether nothing fatal was found. */
  readonly fit: boolean;
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly dialect: Dialect;
  /** For example `PostgreSQL 15.18`; absent if there was no answer. */
  readonly software?: string;
  /** What an applied write survives: as it is to be declared to the store, and by the settings. */
  readonly durability: { readonly declared?: Durability; readonly found?: Durability };
}

/** Options of `preflight`: those of the store that is meant, as far as they matter. */
export interface PreflightOptions {
  /** @defaultValue "onceproof" */
  readonly table?: string;
  /** @defaultValue "durable"; on PGlite and in memory what they are */
  readonly durability?: Durability;
  /** @defaultValue 2000 */
  readonly operationTimeoutMs?: number;
  /** @defaultValue false */
  readonly notify?: boolean;
  /** It settles within this time; what was not answered by then is a finding. @defaultValue 5000 */
  readonly timeoutMs?: number;
}

const SEVERITIES = ["fatal", "warning", "info"] as const;
const BESIDE_MS = 1_000;
const STRENGTH: readonly Durability[] = ["process", "asynchronous", "durable"];

async function onSession<T>(
  sessions: Sessions,
  timeoutMs: number,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(systemRuntime, timeoutMs);
  try {
    const lent = await deadline.race(sessions.borrow(deadline));
    if (lent === TIMED_OUT) {
      throw new Error(`no connection within ${timeoutMs} ms`);
    }
    const done = await deadline.race(work(lent.session)).catch((error: unknown) => {
      lent.giveBack(false);
      throw error;
    });
    lent.giveBack(done !== TIMED_OUT);
    if (done === TIMED_OUT) {
      throw new Error(`no answer within ${timeoutMs} ms`);
    }
    return done;
  } finally {
    deadline.cancel();
  }
}

function dialectOf(client: DatabaseClient): Dialect {
  if (isSqliteDatabase(client)) {
    return "sqlite";
  }
  if (isMysqlClient(client)) {
    return "mysql";
  }
  if (isPostgresClient(client)) {
    return "postgres";
  }
  return notAClient();
}

async function look(client: DatabaseClient, intent: Intent, timeoutMs: number): Promise<Looked> {
  if (isSqliteDatabase(client)) {
    return lookAtSqlite(client, intent, process.platform);
  }
  if (isMysqlClient(client)) {
    const sessions = mysqlSessions(client, false);
    return onSession(sessions, timeoutMs, (session) => lookAtMysql(session, intent));
  }
  const sessions = postgresSessions(client, false);
  // A pool of one has no other: that is a finding, and no reason to wait for long.
  const beside: Beside = (work) =>
    onSession(sessions, Math.min(BESIDE_MS, timeoutMs), work).catch(() => undefined);
  const looked = await onSession(sessions, timeoutMs, (session) =>
    lookAtPostgres(session, intent, beside),
  );
  if (!isPglite(client)) {
    return looked;
  }
  // It has nobody to limit, and never waits for the disk, whatever its settings say.
  const findings = looked.findings.filter(
    ({ id }) => id !== "statementsUnlimited" && id !== "crashUnsafe",
  );
  return { ...looked, durability: isInMemory(client) ? "process" : "asynchronous", findings };
}

function overstated(declared: Durability, found: Durability): readonly Finding[] {
  return STRENGTH.indexOf(declared) <= STRENGTH.indexOf(found)
    ? []
    : [
        {
          id: "durabilityOverstated",
          severity: "fatal",
          finding: `the store says that writes are ${declared}; by its settings the database keeps them ${found}`,
          remedy: `strengthen fsync and synchronous_commit (Postgres), innodb_flush_log_at_trx_commit and sync_binlog (MySQL) or synchronous (SQLite), or declare durability: "${found}"`,
        },
      ];
}

/**
 * Looks at the database behind a client: what commits survive, its version and role, isolation,
 * limits and poolers, and whether the table is what the schema says, its collations included.
 *
 * Guarantee: reads only; never rejects for what it finds or cannot find out, which are findings.
 * Cost: 4 to 7 statements on one connection, and 4 on another where there is a pooler.
 * Fails: ArgumentError for a client of no known driver or a bad option.
 */
export async function preflight(
  client: DatabaseClient,
  options: PreflightOptions = {},
): Promise<PreflightReport> {
  const { operationTimeoutMs = 2000, notify = false, timeoutMs = 5000 } = options;
  const dialect = dialectOf(client);
  const table = quoteTable(dialect, options.table);
  if (options.durability !== undefined) {
    checkDurability(options.durability);
  }
  const intent = { table, declared: options.durability, operationTimeoutMs, notify };
  const embedded = isSqliteDatabase(client) || isPglite(client);
  try {
    const looked = await look(client, intent, timeoutMs);
    const { software, durability: found } = looked;
    const declared = options.durability ?? (embedded ? found : "durable");
    const all = [...overstated(declared, found), ...looked.findings];
    const findings = SEVERITIES.flatMap((severity) =>
      all.filter((finding) => finding.severity === severity),
    );
    const fit = all.every(({ severity }) => severity !== "fatal");
    return { fit, findings, dialect, software, durability: { declared, found } };
  } catch (error) {
    const unread: Finding = {
      id: "serverUnread",
      severity: "fatal",
      finding: `no answer: ${driverError(error).message}`,
      remedy: "make sure that the database is up and the client may connect, and look again",
    };
    return { fit: false, findings: [unread], dialect, durability: {} };
  }
}
