// The user's own names of tables and columns, quoted so that any of them is safe in any statement.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Dialect } from "../shared/dialect.js";

/** A name longer than this is cut by Postgres without a word, and could then name another thing. */
const LONGEST_BYTES = 63;

// Some drivers and builders of statements take these for parameters, wherever they stand.
const FORBIDDEN = /[\0$?:\p{Surrogate}]/u;

/** Quotes one name. Fails: ArgumentError `optionInvalid`. */
export function quoteName(dialect: Dialect, name: unknown, what: string): string {
  if (
    typeof name !== "string" ||
    name === "" ||
    Buffer.byteLength(name, "utf8") > LONGEST_BYTES ||
    FORBIDDEN.test(name)
  ) {
    throw new ArgumentError(
      "optionInvalid",
      `${what} must be a name of 1 to ${LONGEST_BYTES} bytes without $, ? and :`,
    );
  }
  const quote = dialect === "mysql" ? "`" : '"';
  return quote + name.replaceAll(quote, quote + quote) + quote;
}

/** Quotes `table` or `schema.table`; a name that itself holds a dot cannot be given. */
export function quoteTableName(dialect: Dialect, table: unknown, what: string): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  if (parts.length < 1 || parts.length > 2) {
    throw new ArgumentError("optionInvalid", `${what} must be a name or schema.name`);
  }
  return parts.map((part) => quoteName(dialect, part, what)).join(".");
}
