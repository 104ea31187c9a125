// The public surface: the store on Postgres, its table, and the shapes of the clients it takes.

export type { PgClient, PgPool, PgPoolClient, PgStatement } from "./postgres/client.js";
export type { PostgresStoreOptions } from "./postgres/options.js";
export { createPostgresStore } from "./postgres/postgres-store.js";
export {
  type Dialect,
  type MigrationClient,
  migrate,
  type SchemaOptions,
  schema,
} from "./schema.js";
