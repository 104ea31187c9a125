// Tells the drivers of Postgres apart by the members of their clients.

import type { Sessions } from "../shared/session.js";
import type { Listen } from "./listen.js";
import { type PgClient, type PgEvents, type PgPool, pgListen, pgSessions } from "./pg.js";
import { type PgliteDatabase, pgliteListen, pgliteSessions } from "./pglite.js";
import { type PostgresJs, postgresJsListen, postgresJsSessions } from "./postgres-js.js";

/** A pg Pool or Client, the `sql` of postgres.js, or a PGlite. */
export type PostgresClient = PgPool | PgClient | PostgresJs | PgliteDatabase;

function has(client: unknown, member: string): boolean {
  return typeof (Object(client) as Record<string, unknown>)[member] === "function";
}

export function isPostgresJs(client: unknown): client is PostgresJs {
  return has(client, "unsafe") && has(client, "reserve");
}

export function isPglite(client: unknown): client is PgliteDatabase {
  return has(client, "query") && has(client, "exec") && has(client, "listen");
}

/** Whether a client is one of Postgres' drivers. */
export function isPostgresClient(client: unknown): client is PostgresClient {
  return isPostgresJs(client) || has(client, "query");
}

/** The sessions of a client of any of these drivers. */
export function postgresSessions(client: PostgresClient, prepare: boolean): Sessions {
  if (isPostgresJs(client)) {
    return postgresJsSessions(client, prepare);
  }
  return isPglite(client) ? pgliteSessions(client) : pgSessions(client, prepare);
}

/** How a client of any of these drivers listens. */
export function postgresListen(client: PostgresClient): Listen {
  if (isPostgresJs(client)) {
    return postgresJsListen(client);
  }
  return isPglite(client)
    ? pgliteListen(client)
    : pgListen(client as PgPool | (PgClient & PgEvents));
}
