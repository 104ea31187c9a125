// What preflight finds of a database: plain data with a stable id.

import type { Dialect } from "../shared/dialect.js";
import type { Durability } from "../shared/options.js";

/** One thing to know before going live. */
export interface Finding {
  /** Stable: branch on it. */
  readonly id: FindingId;
  /**
   * `fatal`: a guarantee does not hold, or nothing works. `warning`: it holds only under conditions
   * that you have to see to. `info`: worth knowing.
   */
  readonly severity: "fatal" | "warning" | "info";
  /** What was found. */
  readonly finding: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Every finding there is. */
export type FindingId =
  | "autocommitOff"
  | "binlogByStatement"
  | "clockStopped"
  | "columnUnfit"
  | "crashUnsafe"
  | "diskCacheNotFlushed"
  | "durabilityOverstated"
  | "endingsChained"
  | "isolationStrict"
  | "journalNotWal"
  | "packetTooSmall"
  | "poolerBySession"
  | "poolerByTransaction"
  | "poolerUnclear"
  | "readsUncommitted"
  | "serverIsReplica"
  | "serverUnread"
  | "statementsUnlimited"
  | "tableMissing"
  | "versionTooOld";

/** What preflight needs to know of the store that is meant. */
export interface Intent {
  /** Quoted. */
  readonly table: string;
  readonly declared: Durability | undefined;
  readonly operationTimeoutMs: number;
  readonly notify: boolean;
}

/** What one dialect's look found. */
export interface Looked {
  readonly dialect: Dialect;
  /** For example `PostgreSQL 15.18` or `10.11.6-MariaDB`. */
  readonly software: string;
  /** What an applied write survives by the settings. */
  readonly durability: Durability;
  readonly findings: readonly Finding[];
}

/** A value of a setting as text; absent settings are empty. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** A column that is not what the schema says compares keys or cuts values in its own way. */
export function judgeColumns(
  expected: Readonly<Record<string, string>>,
  actual: Readonly<Record<string, string | undefined>>,
): Finding[] {
  return Object.entries(expected).flatMap(([column, type]): Finding[] =>
    actual[column] === type
      ? []
      : [
          {
            id: "columnUnfit",
            severity: "fatal",
            finding: `column ${column} is ${actual[column] ?? "missing"} instead of ${type}`,
            remedy: "make the table as schema() says: keys are compared byte for byte, never cut",
          },
        ],
  );
}

/** The table is not there. */
export function tableMissing(table: string): Finding {
  return {
    id: "tableMissing",
    severity: "fatal",
    finding: `there is no table ${table}`,
    remedy: "call migrate() or run the text of schema()",
  };
}
