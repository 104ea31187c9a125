// The SQL dialects there are. Drivers of one dialect share its statements.

/** `mysql` is MariaDB too; `postgres` is PGlite too; `sqlite` is libsql too. */
export type Dialect = "postgres" | "mysql" | "sqlite";

export const DIALECTS: readonly Dialect[] = ["postgres", "mysql", "sqlite"];
