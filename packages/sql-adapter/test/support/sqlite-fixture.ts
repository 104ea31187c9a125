// The conformance kit's data set in a SQLite file: two connections to it, and a clock that moves.
import type { ConformanceFixture } from "@onceproof/simulator/conformance";
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import type { Connection, Opener } from "./sqlite-driver.js";
import { movableClock, newFile } from "./sqlite-files.js";

/** A new file with an empty table, and another table beside it. */
export async function sqliteFixture(open: Opener): Promise<ConformanceFixture> {
  const { file, remove } = newFile();
  const { runtime, move } = movableClock();
  const opened: Connection[] = [];
  const connect = (): Connection => {
    const database = open(file);
    opened.push(database);
    return database;
  };
  const own = connect();
  const other = connect();
  await migrate(own);
  await migrate(own, { table: "onceproof other" });
  return {
    store: createSqliteStore({ database: own, runtime }),
    peer: createSqliteStore({ database: other, runtime }),
    otherNamespace: createSqliteStore({ database: other, table: "onceproof other", runtime }),
    otherNamespaceTail: " other",
    advance: async (byMs) => move(byMs),
    stepBack: async (byMs) => move(-byMs),
    async restart() {
      own.close();
      opened.splice(opened.indexOf(own), 1);
      return createSqliteStore({ database: connect(), runtime });
    },
    async close() {
      for (const database of opened) database.close();
      remove();
    },
  };
}
