// Looks at a Postgres server: what a commit survives, who stands between, and the table.

import type { Columns } from "../shared/row.js";
import type { Session } from "../shared/session.js";
import { type Finding, type Intent, judgeColumns, type Looked, tableMissing } from "./finding.js";

const OLDEST = 140_000;

const SETTINGS = [
  "fsync",
  "full_page_writes",
  "synchronous_commit",
  "default_transaction_isolation",
  "statement_timeout",
  "server_version",
  "server_version_num",
] as const;
const COLUMNS = { k: "bytea", v: "bytea", rev: "bigint", op: "text", at: "bigint", exp: "bigint" };

const ask = (text: string) => ({ name: "onceproof_preflight", text });

async function rowsOf(session: Session, text: string): Promise<readonly Columns[]> {
  return (await session.send(ask(text), [])).rows;
}

function judgeServer(facts: Columns, { operationTimeoutMs }: Intent): Finding[] {
  const findings: Finding[] = [];
  if (Number(facts.server_version_num) < OLDEST) {
    findings.push({
      id: "versionTooOld",
      severity: "fatal",
      finding: `PostgreSQL ${facts.server_version} is older than 14`,
      remedy: "use 14 or newer: a sweep reads the whole table there",
    });
  }
  if (facts.fsync !== "on" || facts.full_page_writes !== "on") {
    findings.push({
      id: "crashUnsafe",
      severity: "fatal",
      finding: `fsync is ${facts.fsync}, full_page_writes is ${facts.full_page_writes}: a crash of the machine may leave the data broken`,
      remedy: "turn both on",
    });
  }
  if (facts.recovering === true) {
    findings.push({
      id: "serverIsReplica",
      severity: "fatal",
      finding: "the server is a standby: it takes no writes, and its reads lag behind",
      remedy: "connect to the primary",
    });
  }
  const isolation = String(facts.default_transaction_isolation);
  if (isolation !== "read committed") {
    findings.push({
      id: "isolationStrict",
      severity: "info",
      finding: `sessions are ${isolation}: races end as serialization failures, which are sent again`,
      remedy: "nothing need be done; read committed is cheaper under contention",
    });
  }
  const limitMs = Number(facts.statement_timeout_ms);
  if (limitMs === 0 || limitMs >= operationTimeoutMs) {
    findings.push({
      id: "statementsUnlimited",
      severity: "warning",
      finding:
        `statement_timeout is ${limitMs === 0 ? "off" : `${limitMs} ms`}: row locks have a limit of their own, but a` +
        " write that was given up may linger behind a lock on the whole table",
      remedy: `give the store's pool a statement_timeout a little below ${operationTimeoutMs} ms`,
    });
  }
  return findings;
}

/** Runs a look on another connection at the same time; undefined if there is none to be had. */
export type Beside = <T>(work: (session: Session) => Promise<T>) => Promise<T | undefined>;

/** The processes that answer to one connection. */
async function backendsOf(session: Session): Promise<Set<number>> {
  const backends = new Set<number>();
  for (let look = 0; look < 4; look += 1) {
    const [row] = await rowsOf(session, "SELECT pg_backend_pid() AS pid");
    backends.add(Number(row?.pid));
  }
  return backends;
}

type Lending = "direct" | "bySession" | "byTransaction" | "unclear";

/**
 * A pooler tells its clients of a process that is none. One that lends by transaction gives one and
 * the same to two idle clients, or several to one.
 */
async function lendingOf(session: Session, beside: Beside): Promise<Lending> {
  const backends = await backendsOf(session);
  if (backends.size > 1) {
    return "byTransaction";
  }
  const told = session.toldPid?.();
  if (told === undefined || backends.has(told)) {
    return "direct";
  }
  const others = await beside(backendsOf);
  if (others === undefined) {
    return "unclear";
  }
  const shared = [...others].some((pid) => backends.has(pid));
  return shared || others.size > 1 ? "byTransaction" : "bySession";
}

async function judgePooler(
  session: Session,
  { notify }: Intent,
  beside: Beside,
): Promise<Finding[]> {
  switch (await lendingOf(session, beside)) {
    case "direct":
      return [];
    case "bySession":
      return [
        {
          id: "poolerBySession",
          severity: "info",
          finding: "a pooler lends a server connection for as long as its client is connected",
          remedy: "nothing need be done: all works as on a direct connection",
        },
      ];
    case "byTransaction":
      return [
        {
          id: "poolerByTransaction",
          severity: notify ? "fatal" : "info",
          finding: "a pooler lends a server connection for one transaction at a time",
          remedy: notify
            ? "listen on a direct connection: through it no notification is heard, and waiters look once a second at most; or leave out notify, which each write pays for"
            : "nothing need be done: no session state is used, and prepared statements are given up where it loses them",
        },
      ];
    case "unclear":
      return [
        {
          id: "poolerUnclear",
          severity: notify ? "warning" : "info",
          finding:
            "a pooler stands before the server; one connection does not tell how long it lends",
          remedy: notify
            ? "see that it lends by session, else no notification is heard; or look again with a pool of two"
            : "nothing need be done: no session state is used",
        },
      ];
  }
}

async function judgeTable(session: Session, { table }: Intent): Promise<Finding[]> {
  const name = `'${table.replaceAll("'", "''")}'`;
  const rows = await rowsOf(
    session,
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
WHERE attrelid = to_regclass(${name}) AND attnum > 0 AND NOT attisdropped`,
  );
  if (rows.length === 0) {
    return [tableMissing(table)];
  }
  const actual = Object.fromEntries(rows.map(({ name, type }) => [String(name), String(type)]));
  const [key] = await rowsOf(
    session,
    `SELECT count(*)::int AS n FROM pg_index WHERE indrelid = to_regclass(${name}) AND indisunique
AND indnkeyatts = 1 AND indpred IS NULL AND indkey[0] = (SELECT attnum FROM pg_attribute
WHERE attrelid = to_regclass(${name}) AND attname = 'k')`,
  );
  const findings = judgeColumns(COLUMNS, actual);
  if (Number(key?.n) === 0) {
    findings.push(...judgeColumns({ k: "unique" }, { k: "not unique" }));
  }
  return findings;
}

/** Cost: 7 statements, which only read; 4 more on another connection where there is a pooler. */
export async function lookAtPostgres(
  session: Session,
  intent: Intent,
  beside: Beside,
): Promise<Looked> {
  const settings = SETTINGS.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
  const [facts = {}] = await rowsOf(
    session,
    `SELECT ${settings}, pg_is_in_recovery() AS recovering,
(SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout') AS statement_timeout_ms`,
  );
  const synchronous = facts.fsync === "on" && facts.synchronous_commit !== "off";
  return {
    dialect: "postgres",
    software: `PostgreSQL ${facts.server_version}`,
    durability: synchronous ? "durable" : "asynchronous",
    findings: [
      ...judgeServer(facts, intent),
      ...(await judgePooler(session, intent, beside)),
      ...(await judgeTable(session, intent)),
    ],
  };
}
