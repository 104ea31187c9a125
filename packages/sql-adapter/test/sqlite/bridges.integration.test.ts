// A query builder over the driver: Kysely, which takes what has the interface of better-sqlite3.
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { Kysely, SqliteDialect } from "kysely";
import { EFFECTS, kyselyTransaction, testBridge } from "../support/bridge-cases.js";
import { driver, NODE_SQLITE, openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";

if (driver !== NODE_SQLITE) {
  testBridge(`Kysely over ${driver}`, async () => {
    const { file, remove } = newFile();
    const database = openDatabase(file);
    await migrate(database);
    database.exec(EFFECTS);
    const db = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: database as never }),
    });
    return {
      store: createSqliteStore({ database, operationTimeoutMs: 1_500 }),
      transaction: kyselyTransaction(db, "?"),
      effects: async (key) =>
        database.prepare("SELECT k FROM effects WHERE k = ?").all(key as never).length,
      async end() {
        await db.destroy();
        remove();
      },
    };
  });
}
