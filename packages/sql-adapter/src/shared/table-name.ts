// The user's choice of table, quoted so that any name is safe and none is cut by the database.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Dialect } from "./dialect.js";

export const DEFAULT_TABLE = "onceproof";

interface Quoting {
  readonly quote: string;
  /** Postgres cuts longer names without a word, and two stores would then share one table. */
  readonly longest: number;
  readonly length: (part: string) => number;
}

const utf8 = (part: string): number => Buffer.byteLength(part, "utf8");
const characters = (part: string): number => [...part].length;

const QUOTING: Readonly<Record<Dialect, Quoting>> = {
  postgres: { quote: '"', longest: 63, length: utf8 },
  // A suffix names the table of slots, which has to fit as well.
  mysql: { quote: "`", longest: 58, length: characters },
  sqlite: { quote: '"', longest: 255, length: utf8 },
};

function quotePart(part: string, { quote, longest, length }: Quoting): string {
  if (part === "" || length(part) > longest || /[\0$\p{Surrogate}]/u.test(part)) {
    throw new ArgumentError(
      "optionInvalid",
      `table must be a name or schema.name of 1 to ${longest} bytes each, without $`,
    );
  }
  return quote + part.replaceAll(quote, quote + quote) + quote;
}

/** Quotes `table` or `schema.table`; a name that itself holds a dot cannot be given. */
export function quoteTable(dialect: Dialect, table: string = DEFAULT_TABLE): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  if (parts.length < 1 || parts.length > 2) {
    throw new ArgumentError("optionInvalid", "table must be a name or schema.name");
  }
  return parts.map((part) => quotePart(part, QUOTING[dialect])).join(".");
}
