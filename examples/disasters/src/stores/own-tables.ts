// Stores on a database that others use too: each has a table of its own, and leaves none behind.

import { randomUUID } from "node:crypto";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { type DatabaseClient, migrate } from "@onceproof/sql-adapter";
import type { Stores } from "./stores.js";

export interface Database {
  readonly client: DatabaseClient;
  storeOn(table: string): MultiKeyStore;
  run(statement: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Stores that share the client of a database. */
export function inOwnTables({ client, storeOn, run, end }: Database): Stores {
  return {
    async open() {
      const table = `disasters_${randomUUID().slice(0, 8)}`;
      await migrate(client, { table });
      const store = storeOn(table);
      return {
        ...store,
        async close() {
          await store.close();
          await run(`DROP TABLE ${table}`);
        },
      };
    },
    async close() {
      await end();
    },
  };
}
