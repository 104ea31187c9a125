// The user's choice of table, quoted so that any name is safe and none is cut by the database.

import { ArgumentError } from "@onceproof/core/advanced";

export const DEFAULT_TABLE = "onceproof";

// Postgres cuts longer names without a word, and two stores would then share one table.
const MAX_NAME_BYTES = 63;

function quotePart(part: string): string {
  const bytes = Buffer.byteLength(part, "utf8");
  if (bytes === 0 || bytes > MAX_NAME_BYTES || /[\0$\p{Surrogate}]/u.test(part)) {
    throw new ArgumentError(
      "optionInvalid",
      `table must be a name or schema.name of 1 to ${MAX_NAME_BYTES} bytes each, without $`,
    );
  }
  return `"${part.replaceAll('"', '""')}"`;
}

/** Quotes `table` or `schema.table`; a name that itself holds a dot cannot be given. */
export function quoteTable(table: string): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  if (parts.length < 1 || parts.length > 2) {
    throw new ArgumentError("optionInvalid", "table must be a name or schema.name");
  }
  return parts.map(quotePart).join(".");
}
