// The one table a store needs, as text to put into your own migrations, or applied by `migrate`.

import { ArgumentError } from "@onceproof/core/advanced";
import { DEFAULT_TABLE, quoteTable } from "./table-name.js";

/** The SQL dialects there are so far. */
export type Dialect = "postgres";

/** Options of `schema` and `migrate`. */
export interface SchemaOptions {
  /** The table, `name` or `schema.name`. @defaultValue "onceproof" */
  readonly table?: string;
}

// Keys and values are bytes: compared as they are, and U+0000 survives. A row whose value is null
// is what is left of a removed entry. No index on exp: it would end heap-only updates and raise
// the log volume of every renewal by half.
function postgresTable(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
  k bytea PRIMARY KEY,
  v bytea,
  rev bigint NOT NULL,
  op text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  exp bigint
)`;
}

/**
 * Returns the statement that makes the table, for your own migrations.
 *
 * Fails: ArgumentError `optionInvalid` for an unknown dialect or a table that is no name.
 */
export function schema(dialect: Dialect, options: SchemaOptions = {}): string {
  if (dialect !== "postgres") {
    throw new ArgumentError("optionInvalid", `dialect must be "postgres", got ${String(dialect)}`);
  }
  return `${postgresTable(quoteTable(options.table ?? DEFAULT_TABLE))};\n`;
}

/** What `migrate` needs of a client: a pg Pool or Client. */
export interface MigrationClient {
  query(text: string): Promise<unknown>;
}

// "once" in ASCII: the key of the advisory lock that lets one process migrate at a time.
const MIGRATION_LOCK = 0x6f6e6365;

/**
 * Makes the table unless it is there.
 *
 * Guarantee: idempotent, and safe when many processes start at once. It needs no right to create
 * tables where the table is there already.
 * Cost: 1 statement.
 */
export async function migrate(client: MigrationClient, options: SchemaOptions = {}): Promise<void> {
  const table = quoteTable(options.table ?? DEFAULT_TABLE);
  // CREATE TABLE IF NOT EXISTS alone fails for one of two that race. One DO block is one
  // transaction in any mode, so the lock is held until the table is committed.
  await client.query(`DO $onceproof$
BEGIN
  IF to_regclass('${table.replaceAll("'", "''")}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK});
    ${postgresTable(table)};
  END IF;
END
$onceproof$`);
}
