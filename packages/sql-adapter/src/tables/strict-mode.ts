// MySQL and MariaDB cut what does not fit without an error unless their mode is strict: a long key
// would become a false duplicate.

import { ArgumentError } from "@onceproof/core/advanced";
import { type Database, type Steps, send } from "./database.js";
import { raw } from "./sql.js";

/**
 * Throws unless the server's mode is strict.
 *
 * Cost: 1 statement the first time, for all transactions of a client. Fails: ArgumentError.
 */
export function* requireStrict(database: Database): Steps<void> {
  const { dialect, facts } = database;
  if (dialect !== "mysql") {
    return;
  }
  if (facts.strict === undefined) {
    const { rows } = yield* send(database, raw("SELECT @@SESSION.sql_mode AS mode"));
    facts.strict = /\bSTRICT_(TRANS|ALL)_TABLES\b/.test(String(rows[0]?.mode));
  }
  if (!facts.strict) {
    throw new ArgumentError(
      "optionInvalid",
      "sql_mode must hold STRICT_TRANS_TABLES or STRICT_ALL_TABLES: else values are cut silently",
    );
  }
}
