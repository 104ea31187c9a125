// The same runs on a Postgres of your own.

import { createPostgresStore } from "@onceproof/sql-adapter";
import pg from "pg";
import { inOwnTables } from "./own-tables.js";
import type { Stores } from "./stores.js";

/** Stores in the database at this address; PGPASSWORD and its like count as ever. */
export function postgresAt(connectionString: string): Stores {
  const client = new pg.Pool({ connectionString });
  // What goes wrong is told by the calls.
  client.on("error", () => {});
  return inOwnTables({
    client,
    storeOn: (table) => createPostgresStore({ client, table }),
    run: (statement) => client.query(statement),
    end: () => client.end(),
  });
}
