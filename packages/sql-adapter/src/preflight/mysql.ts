// Looks at a MySQL or MariaDB server: what a commit survives, what replicas are told, and the table.

import type { Columns } from "../shared/row.js";
import type { Session } from "../shared/session.js";
import {
  type Finding,
  type Intent,
  judgeColumns,
  type Looked,
  type Settings,
  tableMissing,
} from "./finding.js";

const NEEDED_PACKET = 2 * 1024 * 1024;
const COLUMNS = {
  k: "varbinary(1024)",
  v: "mediumblob",
  rev: "bigint",
  op: "char(22) ascii_bin",
  at: "bigint",
  exp: "bigint",
};

const ask = (text: string) => ({ name: "onceproof_preflight", text });

async function rowsOf(session: Session, text: string): Promise<readonly Columns[]> {
  return (await session.send(ask(text), [])).rows;
}

function on(value: string | undefined): boolean {
  return /^(on|1)/i.test(value ?? "");
}

function judgeServer(settings: Settings): Finding[] {
  const findings: Finding[] = [];
  const packet = Number(settings.max_allowed_packet);
  if (packet < NEEDED_PACKET) {
    findings.push({
      id: "packetTooSmall",
      severity: "warning",
      finding: `max_allowed_packet is ${packet}: values near 1 MiB are refused before they are sent`,
      remedy: `raise it to ${NEEDED_PACKET} or more`,
    });
  }
  if (on(settings.log_bin) && /statement/i.test(settings.binlog_format ?? "")) {
    findings.push({
      id: "binlogByStatement",
      severity: "fatal",
      finding: "binlog_format is STATEMENT: replicas would write times of their own",
      remedy: "set it to ROW or MIXED",
    });
  }
  if (on(settings.read_only)) {
    findings.push({
      id: "serverIsReplica",
      severity: "fatal",
      finding: "the server is read_only, as replicas are",
      remedy: "connect to the primary",
    });
  }
  if (!on(settings.innodb_doublewrite) && !/detect/i.test(settings.innodb_doublewrite ?? "")) {
    findings.push({
      id: "crashUnsafe",
      severity: "warning",
      finding: "innodb_doublewrite is off: a crash may leave half-written pages behind",
      remedy: "turn it on, unless the file system writes pages whole",
    });
  }
  return findings;
}

const CHAINED: { readonly [completion: string]: string } = {
  CHAIN:
    "begins the next transaction, in which all that the connection is used for later stays uncommitted",
  RELEASE: "ends the connection",
};

function judgeSession({ autocommit, isolation, completion, stopped }: Columns): Finding[] {
  const findings: Finding[] = [];
  if (Number(autocommit) !== 1) {
    findings.push({
      id: "autocommitOff",
      severity: "info",
      finding: "sessions begin with autocommit off; the store turns it on on each that it is lent",
      remedy: "give the store a pool of its own if your code counts on it",
    });
  }
  const chained = CHAINED[String(completion)];
  if (chained !== undefined) {
    findings.push({
      id: "endingsChained",
      severity: "warning",
      finding: `completion_type is ${completion}: a COMMIT or ROLLBACK of your own code ${chained}; the store's own do not`,
      remedy: "set it to NO_CHAIN, or give the store a pool of its own",
    });
  }
  if (stopped === true) {
    findings.push({
      id: "clockStopped",
      severity: "fatal",
      finding: "the session's timestamp is set: the store's clock stands still on this connection",
      remedy: "SET timestamp = DEFAULT, or give the store a pool of its own",
    });
  }
  if (String(isolation).toUpperCase() === "READ-UNCOMMITTED") {
    findings.push({
      id: "readsUncommitted",
      severity: "info",
      finding:
        "sessions begin as READ UNCOMMITTED; the store makes each that it is lent READ COMMITTED",
      remedy: "give the store a pool of its own if your code counts on it",
    });
  }
  if (String(isolation).toUpperCase() === "SERIALIZABLE") {
    findings.push({
      id: "isolationStrict",
      severity: "info",
      finding: "sessions are SERIALIZABLE: races may end as deadlocks, which are sent again",
      remedy: "nothing need be done; READ COMMITTED is cheaper under contention",
    });
  }
  return findings;
}

async function judgeTable(session: Session, { table }: Intent): Promise<Finding[]> {
  const rows = await rowsOf(session, `SHOW FULL COLUMNS FROM ${table}`).catch(() => []);
  if (rows.length === 0) {
    return [tableMissing(table)];
  }
  const actual = Object.fromEntries(
    rows.map((row) => {
      // Older servers add a display width.
      const type = String(row.Type).replace(/^bigint\(\d+\)/, "bigint");
      const collation = row.Field === "op" ? ` ${row.Collation}` : "";
      return [String(row.Field), type + collation];
    }),
  );
  const findings = judgeColumns(COLUMNS, actual);
  const [created = {}] = await rowsOf(session, `SHOW CREATE TABLE ${table}`);
  if (!/ENGINE=InnoDB/i.test(String(created["Create Table"]))) {
    findings.push(...judgeColumns({ engine: "InnoDB" }, { engine: "another engine" }));
  }
  if (rows.find(({ Field }) => Field === "k")?.Key !== "PRI") {
    findings.push(...judgeColumns({ k: "primary key" }, { k: "not the primary key" }));
  }
  return findings;
}

const NAMES = [
  ...["innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "binlog_format", "read_only"],
  ...["innodb_doublewrite", "max_allowed_packet", "tx_isolation", "transaction_isolation"],
  ...["completion_type", "timestamp"],
];

/** Cost: 4 statements, which only read. */
export async function lookAtMysql(session: Session, intent: Intent): Promise<Looked> {
  const list = NAMES.map((name) => `'${name}'`).join(", ");
  const rows = await rowsOf(session, `SHOW VARIABLES WHERE Variable_name IN (${list})`);
  const settings: Settings = Object.fromEntries(
    rows.map((row) => [String(row.Variable_name), String(row.Value)]),
  );
  const [facts = {}] = await rowsOf(
    session,
    "SELECT VERSION() AS version, @@autocommit AS autocommit, @@timestamp AS clock",
  );
  const isolation = settings.transaction_isolation ?? settings.tx_isolation;
  // A statement later it has gone on.
  const stopped = Number(settings.timestamp) === Number(facts.clock);
  const completion = settings.completion_type;
  // With a binary log, a commit counts once it is there.
  const logged = !on(settings.log_bin) || settings.sync_binlog === "1";
  const flushed = settings.innodb_flush_log_at_trx_commit === "1";
  return {
    dialect: "mysql",
    software: String(facts.version),
    durability: flushed && logged ? "durable" : "asynchronous",
    findings: [
      ...judgeServer(settings),
      ...judgeSession({ ...facts, isolation, completion, stopped }),
      ...(await judgeTable(session, intent)),
    ],
  };
}
