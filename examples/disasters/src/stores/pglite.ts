// The same runs on PGlite: Postgres in this process, and in its memory.

import { PGlite } from "@electric-sql/pglite";
import { createPostgresStore } from "@onceproof/sql-adapter";
import { withRoundTrips } from "../world/round-trips.js";
import { inOwnTables } from "./own-tables.js";
import type { Stores } from "./stores.js";

/** Stores in a database that is gone with this process. */
export async function onPglite(): Promise<Stores> {
  const client = await PGlite.create();
  return inOwnTables({
    client,
    storeOn: (table) => withRoundTrips(createPostgresStore({ client, table })),
    run: (statement) => client.query(statement),
    end: () => client.close(),
  });
}
