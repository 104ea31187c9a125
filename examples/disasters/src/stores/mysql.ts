// The same runs on a MySQL or MariaDB of your own.

import { createMysqlStore } from "@onceproof/sql-adapter";
import mysql from "mysql2/promise";
import { inOwnTables } from "./own-tables.js";
import type { Stores } from "./stores.js";

/** Stores in the database at this address. */
export function mysqlAt(uri: string): Stores {
  const client = mysql.createPool({ uri });
  return inOwnTables({
    client,
    storeOn: (table) => createMysqlStore({ client, table }),
    run: (statement) => client.query(statement),
    end: () => client.end(),
  });
}
