// The one table a store needs, as text to put into your own migrations.

import { ArgumentError } from "@onceproof/core/advanced";
import { DIALECTS, type Dialect } from "../shared/dialect.js";
import { quoteTable } from "../shared/table-name.js";

/** Options of `schema` and `migrate`. */
export interface SchemaOptions {
  /** The table, `name` or `schema.name`. @defaultValue "onceproof" */
  readonly table?: string;
}

// Keys and values are bytes: compared as they are, and U+0000 survives. A row whose value is null
// is what is left of a removed entry. There is no index on exp: every renewal would pay for it (in
// Postgres it would end heap-only updates and raise the log volume by half).

/** The statements that make the table on one dialect, in order. */
export function schemaStatements(dialect: Dialect, options: SchemaOptions = {}): string[] {
  const table = quoteTable(dialect, options.table);
  switch (dialect) {
    case "postgres":
      return [
        `CREATE TABLE IF NOT EXISTS ${table} (
  k bytea PRIMARY KEY,
  v bytea,
  rev bigint NOT NULL,
  op text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  exp bigint
)`,
      ];
    case "mysql":
      return [
        `CREATE TABLE IF NOT EXISTS ${table} (
  k varbinary(1024) NOT NULL PRIMARY KEY,
  v mediumblob,
  rev bigint NOT NULL,
  op char(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  at bigint NOT NULL,
  exp bigint
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
      ];
    case "sqlite":
      return [
        `CREATE TABLE IF NOT EXISTS ${table} (
  k BLOB NOT NULL PRIMARY KEY,
  v BLOB,
  rev INTEGER NOT NULL,
  op TEXT NOT NULL,
  at INTEGER NOT NULL,
  exp INTEGER
) STRICT`,
      ];
  }
}

/**
 * Returns the statements that make the table, for your own migrations.
 *
 * Fails: ArgumentError `optionInvalid` for an unknown dialect or a table that is no name.
 */
export function schema(dialect: Dialect, options: SchemaOptions = {}): string {
  if (!DIALECTS.includes(dialect)) {
    throw new ArgumentError(
      "optionInvalid",
      `dialect must be one of ${DIALECTS.join(", ")}, got ${String(dialect)}`,
    );
  }
  return `${schemaStatements(dialect, options).join(";\n")};\n`;
}
