// What the helpers need to know of a table: which columns hold the id, the state, the version and
// the newest fencing token. Every default in one place.

import type { Dialect } from "../shared/dialect.js";
import { quoteName, quoteTableName } from "./names.js";
import { type Fragment, joined, NONE, raw, sql } from "./sql.js";
import { type Assignment, checkValue, type Value } from "./values.js";

/** The columns of a table that have a meaning to the helpers. */
export interface TableColumns {
  /** A primary or unique key of one column. @defaultValue "id" */
  readonly id?: string;
  /** Text, or an enumeration. @defaultValue "status" */
  readonly status?: string;
  /** A whole number, not null, that each change raises; null if the table has none. @defaultValue "version" */
  readonly version?: string | null;
  /** A whole number of 64 bits: the newest fencing token, or null. @defaultValue "fencing_token" */
  readonly token?: string;
}

/** One row of a table, with names quoted and columns by what they mean. */
export interface Target {
  readonly table: Fragment;
  readonly id: unknown;
  readonly names: Required<TableColumns>;
  readonly idColumn: Fragment;
  readonly statusColumn: Fragment;
  /** Undefined for a table without versions. */
  readonly versionColumn: Fragment | undefined;
  readonly tokenColumn: Fragment;
}

/** Checks names and the id, and fills in the defaults. */
export function targetOf(
  dialect: Dialect,
  table: string,
  id: Value,
  columns: TableColumns = {},
): Target {
  const { id: key = "id", status = "status", token = "fencing_token" } = columns;
  const version = columns.version === undefined ? "version" : columns.version;
  const quoted = (name: string, what: string): Fragment =>
    raw(quoteName(dialect, name, `columns.${what}`));
  return {
    table: raw(quoteTableName(dialect, table, "table")),
    id: checkValue(dialect, id, "id"),
    names: { id: key, status, version, token },
    idColumn: quoted(key, "id"),
    statusColumn: quoted(status, "status"),
    versionColumn: version === null ? undefined : quoted(version, "version"),
    tokenColumn: quoted(token, "token"),
  };
}

/** `a = 1, b = 2`; empty without assignments. */
export function setList(dialect: Dialect, assignments: readonly Assignment[]): Fragment {
  const parts = assignments.map(
    ([column, value]) => sql`${raw(quoteName(dialect, column, "a column"))} = ${value}`,
  );
  return parts.length === 0 ? NONE : joined(parts, ", ");
}

/** The assignments that there are, with commas between. */
export function commas(parts: readonly (Fragment | undefined)[]): Fragment {
  const there = parts.filter((part) => part !== undefined && part !== NONE) as Fragment[];
  return joined(there, ", ");
}
