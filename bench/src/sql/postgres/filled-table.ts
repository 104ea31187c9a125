// Tables of our store with many rows, filled by the server itself: copies of a record that the real
// dedup wrote, under keys that can be told again from their numbers.

import { createHash } from "node:crypto";
import { createDedup } from "@onceproof/core";
import { createPostgresStore, migrate, type PostgresStore } from "@onceproof/sql-adapter";
import type { Pool } from "pg";
import { RECEIPT, RETENTION_MS } from "../../compare/users.js";

export const DEDUP_NAME = "bench";
const CHUNK = 250_000;
/** An hour beyond the retention. */
const EXPIRED_US = (RETENTION_MS + 3_600_000) * 1000;
const TEMPLATE_KEY = keyOf(-1);
/** Of a row, its index and its share of the log while it is written, generously. */
export const BYTES_PER_ROW = 700;

/** The key of a row: spread evenly over the index, as random ids are. */
export function keyOf(row: number): string {
  return createHash("md5").update(`row ${row}`).digest("hex");
}

export interface FilledTable {
  readonly rows: number;
  readonly store: PostgresStore;
  readonly dedup: ReturnType<typeof createDedup>;
}

interface Template {
  readonly k: Buffer;
}

/** The bytes of the template's key before and after the caller's part. */
function around(k: Buffer): readonly [Buffer, Buffer] {
  const at = k.indexOf(TEMPLATE_KEY);
  if (at < 0) {
    throw new Error("the store's key does not hold the caller's");
  }
  return [k.subarray(0, at), k.subarray(at + TEMPLATE_KEY.length)];
}

/**
 * Makes a table of `rows` records, of which the first `expired` ended an hour ago, without holes and
 * with fresh statistics.
 */
export async function fillTable(
  pool: Pool,
  table: string,
  { rows, expired = 0 }: { readonly rows: number; readonly expired?: number },
  onFilled: (filled: number) => void,
): Promise<FilledTable> {
  await migrate(pool, { table });
  const store = createPostgresStore({ client: pool, table });
  const dedup = createDedup({ store, name: DEDUP_NAME, onCrash: "park" });
  await dedup.run(TEMPLATE_KEY, () => RECEIPT);
  const [template] = (await pool.query<Template>(`SELECT k FROM ${table}`)).rows;
  if (template === undefined) {
    throw new Error("the dedup wrote no record");
  }
  await pool.query(`CREATE TABLE ${table}_template AS TABLE ${table}`);
  // An index is sorted once instead of being kept up row by row.
  await pool.query(`TRUNCATE ${table}; ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`);
  const [before, after] = around(template.k);
  for (let from = 0; from < rows; from += CHUNK) {
    const to = Math.min(from + CHUNK, rows);
    // Rows get op ids of their own, and times of the past, a microsecond apart.
    await pool.query(
      `INSERT INTO ${table} (k, v, rev, op, at, exp)
SELECT $1::bytea || convert_to(md5('row ' || i), 'UTF8') || $2::bytea, t.v, t.rev + s.by,
  translate(left(encode(sha256(convert_to('op ' || i, 'UTF8')), 'base64'), 22), '+/', '-_'),
  t.at + s.by, t.exp + s.by
FROM ${table}_template t, generate_series($3::bigint, $4::bigint - 1) i,
  LATERAL (SELECT i - $5::bigint - CASE WHEN i < $6::bigint THEN $7::bigint ELSE 0 END) s (by)`,
      [before, after, from, to, rows, expired, EXPIRED_US],
    );
    onFilled(to);
  }
  const client = await pool.connect();
  try {
    await client.query("SET maintenance_work_mem = '512MB'");
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (k)`);
    await client.query(`VACUUM (ANALYZE) ${table}`);
    // What filling left to be written must not fall into what is measured.
    await client.query("CHECKPOINT");
    await client.query("RESET maintenance_work_mem");
  } finally {
    client.release();
  }
  await pool.query(`DROP TABLE ${table}_template`);
  return { rows, store, dedup };
}
