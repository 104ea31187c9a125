// Looks at a SQLite connection: what a commit survives, how others are let in, and the table.

import { fileOf, pragma, type SqliteDatabase } from "../drivers/sqlite.js";
import type { Columns } from "../shared/row.js";
import { type Finding, type Intent, judgeColumns, type Looked, tableMissing } from "./finding.js";

const COLUMNS = { k: "BLOB", v: "BLOB", rev: "INTEGER", op: "TEXT", at: "INTEGER", exp: "INTEGER" };
const OLDEST = [3, 37];
const FULL = 2;

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

function judgeTable(database: SqliteDatabase, table: string): Finding[] {
  const parts = /^(?:("(?:[^"]|"")*")\.)?("(?:[^"]|"")*")$/.exec(table);
  const [, schema, name = table] = parts ?? [];
  const of = schema === undefined ? "" : `${schema}.`;
  const rows = database.prepare(`PRAGMA ${of}table_info(${name})`).all() as Columns[];
  if (rows.length === 0) {
    return [tableMissing(table)];
  }
  const actual = Object.fromEntries(rows.map((row) => [String(row.name), String(row.type)]));
  const findings = judgeColumns(COLUMNS, actual);
  if (Number(rows.find((row) => row.name === "k")?.pk) !== 1) {
    findings.push(...judgeColumns({ k: "primary key" }, { k: "not the primary key" }));
  }
  return findings;
}

/** Cost: 6 statements, which only read. */
export function lookAtSqlite(
  database: SqliteDatabase,
  { table, declared }: Intent,
  platform: string,
): Looked {
  const [row] = database.prepare("SELECT sqlite_version() AS version").all() as Columns[];
  const version = String(row?.version);
  const inMemory = fileOf(database) === "";
  const journal = String(pragma(database, "journal_mode"));
  const findings: Finding[] = [];
  if (isOlder(version)) {
    findings.push({
      id: "versionTooOld",
      severity: "fatal",
      finding: `SQLite ${version} is older than ${OLDEST.join(".")}, which knows strict tables`,
      remedy: "use a newer driver",
    });
  }
  if (!inMemory && journal !== "wal") {
    findings.push({
      id: "journalNotWal",
      severity: journal === "off" || journal === "memory" ? "fatal" : "warning",
      finding: `journal_mode is ${journal}: readers and the writer hold each other up${journal === "off" || journal === "memory" ? ", and a crash may break the file" : ""}`,
      remedy: "call migrate(), which sets it to wal, on a local disk",
    });
  }
  if (!inMemory && platform === "darwin" && Number(pragma(database, "fullfsync")) !== 1) {
    findings.push({
      id: "diskCacheNotFlushed",
      severity: "warning",
      finding:
        "fullfsync is off: macOS keeps a commit in the disk's cache, which a power cut empties",
      remedy: "PRAGMA fullfsync = ON",
    });
  }
  // A store that is declared durable sets it on its connection.
  const full = declared !== "asynchronous" || Number(pragma(database, "synchronous")) >= FULL;
  return {
    dialect: "sqlite",
    software: `SQLite ${version}`,
    durability: inMemory ? "process" : full ? "durable" : "asynchronous",
    findings: [...findings, ...judgeTable(database, table)],
  };
}
