// A transaction that a query builder or an object mapper has opened, seen through one function: a
// few lines of the user's own, as docs/transactions.md shows for each.

import type { Columns } from "../shared/row.js";

/** What is used of a transaction of Drizzle, Kysely, Knex, Prisma or the like. */
export interface BridgedTransaction {
  /**
   * Sends one statement inside the transaction and returns its rows; anything if it has none.
   *
   * The text holds the database's own placeholders: `$1` and so on for Postgres, `?` elsewhere.
   */
  rows(text: string, values: readonly unknown[]): Promise<readonly object[]>;
}

/** Whether a transaction is bridged rather than a driver's own. */
export function isBridged(tx: unknown): tx is BridgedTransaction {
  return typeof (Object(tx) as Partial<BridgedTransaction>).rows === "function";
}

/** The rows of one statement, as columns. */
export async function bridgedRows(
  bridge: BridgedTransaction,
  text: string,
  values: readonly unknown[],
): Promise<readonly Columns[]> {
  const answer: unknown = await bridge.rows(text, values);
  // Of a statement without rows some drivers return a report.
  const rows: readonly object[] = Array.isArray(answer) ? answer : [];
  const [first] = rows;
  // TypeORM (1.1) returns the rows of an UPDATE together with their number.
  return (Array.isArray(first) ? first : rows).map(withBytes);
}

/** Some drivers give bytes as an ArrayBuffer where they give several rows. */
function withBytes(row: object): Columns {
  const { v, k } = row as Columns;
  const bytes = [v, k].some((column) => column instanceof ArrayBuffer);
  return bytes ? { ...row, v: asBytes(v), k: asBytes(k) } : (row as Columns);
}

function asBytes(column: unknown): unknown {
  return column instanceof ArrayBuffer ? new Uint8Array(column) : column;
}

/** A statement as a template: one more text than values. */
export interface Template {
  readonly texts: TemplateStringsArray;
  readonly values: readonly unknown[];
}

/**
 * Cuts a statement at its placeholders, for builders that take templates: `sql(texts, ...values)`.
 *
 * Guarantee: a value that `$1` names twice stands twice. Cost: no statement.
 */
export function template(text: string, values: readonly unknown[]): Template {
  const numbered = text.split(/\$(\d+)/);
  if (numbered.length > 1) {
    const texts = numbered.filter((_, at) => at % 2 === 0);
    const numbers = numbered.filter((_, at) => at % 2 === 1);
    return templateOf(
      texts,
      numbers.map((number) => values[Number(number) - 1]),
    );
  }
  return templateOf(text.split("?"), values);
}

function templateOf(texts: string[], values: readonly unknown[]): Template {
  return { texts: Object.assign(texts, { raw: texts }), values };
}
