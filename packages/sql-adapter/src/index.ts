// The public surface: the stores, their table, and the shapes of the clients they take.

export {
  type BridgedTransaction,
  type Template,
  template,
} from "./bridges/bridged.js";
export type { MysqlClient } from "./drivers/mysql.js";
export type { PgClient, PgEvents, PgPool, PgPoolClient, PgStatement } from "./drivers/pg.js";
export type { PgliteDatabase } from "./drivers/pglite.js";
export type { PostgresClient } from "./drivers/postgres.js";
export type {
  PostgresJs,
  PostgresJsQuery,
  PostgresJsReserved,
  PostgresJsSession,
} from "./drivers/postgres-js.js";
export type { SqliteDatabase, SqliteStatement } from "./drivers/sqlite.js";
export type { MysqlTransactionOf, PostgresTransactionOf } from "./drivers/transaction-of.js";
export { createMysqlStore, type MysqlStore } from "./mysql/mysql-store.js";
export type { MysqlStoreOptions } from "./mysql/options.js";
export type { PostgresStoreOptions } from "./postgres/options.js";
export { createPostgresStore, type PostgresStore } from "./postgres/postgres-store.js";
export type { Finding, FindingId } from "./preflight/finding.js";
export { type PreflightOptions, type PreflightReport, preflight } from "./preflight/preflight.js";
export { type DatabaseClient, migrate } from "./schema/migrate.js";
export { type SchemaOptions, schema } from "./schema/schema.js";
export type { Dialect } from "./shared/dialect.js";
export type { SqlStoreOptions } from "./shared/options.js";
export type { SqlTransactions } from "./shared/with-transactions.js";
export {
  type OpenedSqliteStore,
  type OpenSqliteOptions,
  openSqlite,
} from "./sqlite/open-sqlite.js";
export type { SqliteStoreOptions } from "./sqlite/options.js";
export { createSqliteStore, type SqliteStore } from "./sqlite/sqlite-store.js";
export type { TableColumns } from "./tables/columns.js";
export {
  type ClientTables,
  createTables,
  type Tables,
  type TablesInTransaction,
  type TablesOptions,
  type TransactionHandle,
} from "./tables/create-tables.js";
export type { Indeterminate } from "./tables/database.js";
export type { FencedUpdateOptions, FencedUpdateResult } from "./tables/fenced-update.js";
export type { InsertOnceOptions, InsertOnceResult, KeyColumns } from "./tables/insert-once.js";
export type { LockRowOptions, LockRowResult } from "./tables/lock-row.js";
export {
  type Logged,
  type LoggedRequest,
  type RequestsOptions,
  requestLogSchema,
} from "./tables/request-log.js";
export {
  createTableStateMachine,
  type TableFireOptions,
  type TableStateMachine,
  type TableStateMachineOptions,
} from "./tables/table-state-machine.js";
export type { TransitionRowOptions, TransitionRowResult } from "./tables/transition.js";
export type {
  RowRefusal,
  RowUpdateContext,
  UpdateVersionedOptions,
  UpdateVersionedResult,
} from "./tables/update.js";
export type { Row, Value, Values } from "./tables/values.js";
