// Query builders and object mappers: the bridge of each, as docs/transactions.md has it, inside its
// own transaction on a real database.
import { PGlite } from "@electric-sql/pglite";
import type { AtomicStore, MultiKeyStore } from "@onceproof/core/advanced";
import {
  type BridgedTransaction,
  createMysqlStore,
  createPostgresStore,
  createSqliteStore,
  migrate,
  template,
} from "@onceproof/sql-adapter";
import { missing } from "@onceproof/test-servers";
import { sql } from "drizzle-orm";
import { drizzle as drizzleMysql } from "drizzle-orm/mysql2";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import createKnex, { type Knex } from "knex";
import {
  CompiledQuery,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
  type Transaction,
} from "kysely";
import mysqlCallbacks from "mysql2";
import mysql from "mysql2/promise";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "./support/pg-pools.js";
import { openPrisma } from "./support/prisma-client.js";
import { newFile, openLibsql } from "./support/sqlite-files.js";
import { mariadbPlace, type Place, postgresPlace } from "./support/transaction-arms.js";

type Bound = AtomicStore & { bind(tx: BridgedTransaction): MultiKeyStore };

/** A builder's transaction, given a bridge and a statement of the user's own. */
interface Builder {
  readonly store: Bound;
  transaction(
    fn: (bridge: BridgedTransaction, own: (key: string) => Promise<unknown>) => Promise<void>,
  ): Promise<unknown>;
  effects(key: string): Promise<number>;
  end(): Promise<unknown>;
}

const EFFECTS = "CREATE TABLE effects (k varchar(64))";

const opIdOf = (letter: string): string => letter.repeat(22);

/** What holds of a store that is bound through any bridge. */
function testBridge(name: string, open: () => Promise<Builder>): void {
  describe(name, () => {
    let builder: Builder;
    beforeAll(async () => {
      builder = await open();
    });
    afterAll(() => builder.end());

    test("record and effect commit together", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} \u0000 commit`;
      const value = "é\u0000\ud83d\ude00 '$1' ? \\";
      await transaction(async (bridge, own) => {
        const bound = store.bind(bridge);
        const create = { key, opId: opIdOf("A"), expect: "absent" } as const;
        const created = await bound.write({ ...create, next: { value: "1", ttlMs: 60_000 } });
        if (created.outcome !== "applied") throw new Error(`it was ${created.outcome}`);
        expect((await bound.read(key)).entry?.value).toBe("1");
        await own("commit");
        const expected = { revision: created.revision, opId: opIdOf("A") };
        const next = { value, ttlMs: "never" } as const;
        const set = await bound.write({ key, opId: opIdOf("B"), expect: expected, next });
        expect(set).toMatchObject({ outcome: "applied", replayed: false });
      });
      const { entry } = await store.read(key);
      expect([entry?.value, entry?.stamp.opId]).toEqual([value, opIdOf("B")]);
      expect(await effects("commit")).toBe(1);
    });

    test("both are rolled back together", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} rollback`;
      const thrown = new Error("no stock");
      const next = { value: "1", ttlMs: 60_000 };
      const failing = transaction(async (bridge, own) => {
        await store.bind(bridge).write({ key, opId: opIdOf("C"), expect: "absent", next });
        await own("rollback");
        throw thrown;
      });
      await expect(failing).rejects.toBe(thrown);
      expect((await store.read(key)).revision).toBeUndefined();
      expect(await effects("rollback")).toBe(0);
    });

    test("a duplicate is refused or replayed, and the transaction goes on", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} duplicate`;
      const next = { value: "first", ttlMs: 60_000 };
      const write = { key, opId: opIdOf("D"), expect: "absent", next } as const;
      await store.write(write);
      await transaction(async (bridge, own) => {
        const bound = store.bind(bridge);
        const refused = await bound.write({ ...write, opId: opIdOf("E") });
        expect(refused).toMatchObject({ outcome: "refused", entry: { value: "first" } });
        expect(await bound.write(write)).toMatchObject({ outcome: "applied", replayed: true });
        const other = { revision: 1, opId: opIdOf("H") };
        const remove = { key, opId: opIdOf("I"), expect: other, next: "removed" } as const;
        expect(await bound.write(remove)).toMatchObject({ outcome: "refused" });
        await own("duplicate");
      });
      expect(await effects("duplicate")).toBe(1);
    });

    if (/over (pg|postgres)/.test(name)) {
      test("a racer's insert and a conflict are told", async () => {
        const { store, transaction } = builder;
        const next = { value: "1", ttlMs: 60_000 };
        const racing = async (isolation: string, key: string, letter: string) => {
          let answer: unknown;
          await transaction(async (bridge) => {
            await bridge.rows(`SET TRANSACTION ISOLATION LEVEL ${isolation}`, []);
            await bridge.rows("SELECT 1", []);
            const asked = { key, expect: "absent", next } as const;
            await store.write({ ...asked, opId: opIdOf(letter) });
            const all = { opId: opIdOf("Z"), writes: [asked] };
            answer = await store.bind(bridge).writeAll(all);
          });
          return answer;
        };
        const refused = await racing("READ COMMITTED", `${name} racer`, "F");
        expect(refused).toMatchObject({ outcome: "refused", index: 0 });
        const lost = racing("REPEATABLE READ", `${name} conflict`, "G");
        await expect(lost).rejects.toMatchObject({ code: "contended" });
      });
    }
  });
}

const options = { operationTimeoutMs: 1_500 };

describe.skipIf(missing("postgres"))("on Postgres", () => {
  let place: Place;
  beforeAll(async () => {
    place = await postgresPlace();
    await place.admin(EFFECTS);
  });
  afterAll(() => place.stop());

  const count = async (key: string): Promise<number> =>
    (await place.admin("SELECT k FROM effects WHERE k = ?", [key])).length;
  const pool = () => openPool(place.postgres as never, { max: 3 });
  const emptied = () => place.admin("DELETE FROM effects");

  testBridge("Drizzle over pg", async () => {
    await emptied();
    const client = pool();
    const db = drizzlePg({ client });
    return {
      store: createPostgresStore({ client, ...options }),
      transaction: (fn) =>
        db.transaction(async (tx) => {
          const bridge: BridgedTransaction = {
            async rows(text, values) {
              const { texts, values: all } = template(text, values);
              return (await tx.execute(sql(texts, ...all))).rows;
            },
          };
          await fn(bridge, (key) => tx.execute(sql`INSERT INTO effects VALUES (${key})`));
        }),
      effects: count,
      end: () => client.end(),
    };
  });

  testBridge("Drizzle over postgres.js", async () => {
    await emptied();
    const client = postgres({
      ...place.postgres?.connection,
      ...{ max: 3, fetch_types: false, onnotice: () => {} },
    });
    const db = drizzlePostgresJs({ client });
    return {
      store: createPostgresStore({ client, ...options }),
      transaction: (fn) =>
        db.transaction(async (tx) => {
          const bridge: BridgedTransaction = {
            async rows(text, values) {
              const { texts, values: all } = template(text, values);
              return await tx.execute(sql(texts, ...all));
            },
          };
          await fn(bridge, (key) => tx.execute(sql`INSERT INTO effects VALUES (${key})`));
        }),
      effects: count,
      end: () => client.end({ timeout: 1 }),
    };
  });

  testBridge("Kysely over pg", async () => {
    await emptied();
    const client = pool();
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: client }) });
    return {
      store: createPostgresStore({ client, ...options }),
      transaction: kyselyTransaction(db, "$1"),
      effects: count,
      end: () => db.destroy(),
    };
  });

  testBridge("Knex over pg", async () => {
    await emptied();
    const client = pool();
    const knex = createKnex({ client: "pg", connection: { ...place.postgres?.connection } });
    return {
      store: createPostgresStore({ client, ...options }),
      transaction: knexTransaction(knex, ({ rows }) => rows),
      effects: count,
      async end() {
        await knex.destroy();
        await client.end();
      },
    };
  });

  testBridge("what answers as TypeORM does over pg", async () => {
    await emptied();
    const client = pool();
    return {
      store: createPostgresStore({ client, ...options }),
      async transaction(fn) {
        const tx = await client.connect();
        const bridge: BridgedTransaction = {
          async rows(text, values) {
            const { command, rows, rowCount } = await tx.query(text, [...values]);
            return command === "UPDATE" || command === "DELETE" ? [rows, rowCount] : rows;
          },
        };
        try {
          await tx.query("BEGIN");
          await fn(bridge, (key) => tx.query("INSERT INTO effects VALUES ($1)", [key]));
          await tx.query("COMMIT");
        } catch (error) {
          await tx.query("ROLLBACK");
          throw error;
        } finally {
          tx.release();
        }
      },
      effects: count,
      end: () => client.end(),
    };
  });

  testBridge("Prisma over pg", async () => {
    await emptied();
    const client = pool();
    const prisma = openPrisma({ ...place.postgres?.connection });
    return {
      store: createPostgresStore({ client, ...options }),
      transaction: (fn) =>
        prisma.$transaction(async (tx) => {
          const bridge: BridgedTransaction = {
            rows: (text, values) => tx.$queryRawUnsafe(text, ...values),
          };
          await fn(bridge, (key) => tx.$executeRawUnsafe("INSERT INTO effects VALUES ($1)", key));
        }),
      effects: count,
      async end() {
        await prisma.$disconnect();
        await client.end();
      },
    };
  });
});

function kyselyTransaction(db: Kysely<unknown>, place: string): Builder["transaction"] {
  return (fn) =>
    db.transaction().execute(async (tx: Transaction<unknown>) => {
      const bridge: BridgedTransaction = {
        async rows(text, values) {
          const { rows } = await tx.executeQuery(CompiledQuery.raw(text, [...values]));
          return rows as object[];
        },
      };
      const insert = `INSERT INTO effects VALUES (${place})`;
      await fn(bridge, (key) => tx.executeQuery(CompiledQuery.raw(insert, [key])));
    });
}

type Rows = readonly object[];

function knexTransaction(
  knex: Knex,
  rowsOf: (answer: { rows: Rows } & Rows[]) => Rows,
): Builder["transaction"] {
  return (fn) =>
    knex.transaction(async (tx) => {
      const bridge: BridgedTransaction = {
        async rows(text, values) {
          const { texts, values: all } = template(text, values);
          return rowsOf((await tx.raw(texts.join("?"), all as never)) as never);
        },
      };
      await fn(bridge, async (key) => tx.raw("INSERT INTO effects VALUES (?)", [key]));
    });
}

describe.skipIf(missing("mariadb"))("on MariaDB", () => {
  let place: Place;
  beforeAll(async () => {
    place = await mariadbPlace();
    await place.admin(EFFECTS);
  });
  afterAll(() => place.stop());

  const count = async (key: string): Promise<number> =>
    (await place.admin("SELECT k FROM effects WHERE k = ?", [key])).length;
  const pool = () => mysql.createPool({ ...place.mariadb?.connection, connectionLimit: 3 });
  const emptied = () => place.admin("DELETE FROM effects");

  testBridge("Drizzle over mysql2", async () => {
    await emptied();
    const client = pool();
    const db = drizzleMysql({ client });
    return {
      store: createMysqlStore({ client, ...options }),
      transaction: (fn) =>
        db.transaction(async (tx) => {
          const bridge: BridgedTransaction = {
            async rows(text, values) {
              const { texts, values: all } = template(text, values);
              const [rows] = await tx.execute(sql(texts, ...all));
              return rows as unknown as object[];
            },
          };
          await fn(bridge, (key) => tx.execute(sql`INSERT INTO effects VALUES (${key})`));
        }),
      effects: count,
      end: () => client.end(),
    };
  });

  testBridge("Kysely over mysql2", async () => {
    await emptied();
    const client = mysqlCallbacks.createPool({ ...place.mariadb?.connection, connectionLimit: 3 });
    const db = new Kysely<unknown>({ dialect: new MysqlDialect({ pool: client }) });
    return {
      store: createMysqlStore({ client, ...options }),
      transaction: kyselyTransaction(db, "?"),
      effects: count,
      end: () => db.destroy(),
    };
  });

  testBridge("Knex over mysql2", async () => {
    await emptied();
    const client = pool();
    const knex = createKnex({ client: "mysql2", connection: { ...place.mariadb?.connection } });
    return {
      store: createMysqlStore({ client, ...options }),
      transaction: knexTransaction(knex, (answer) => answer[0] ?? []),
      effects: count,
      async end() {
        await knex.destroy();
        await client.end();
      },
    };
  });
});

describe("in process", () => {
  testBridge("Drizzle over PGlite", async () => {
    const client = await PGlite.create();
    await migrate(client);
    await client.exec(EFFECTS);
    const db = drizzlePglite({ client });
    return {
      store: createPostgresStore({ client }),
      transaction: (fn) =>
        db.transaction(async (tx) => {
          const bridge: BridgedTransaction = {
            async rows(text, values) {
              const { texts, values: all } = template(text, values);
              return (await tx.execute(sql(texts, ...all))).rows;
            },
          };
          await fn(bridge, (key) => tx.execute(sql`INSERT INTO effects VALUES (${key})`));
        }),
      effects: async (key) =>
        (await client.query("SELECT k FROM effects WHERE k = $1", [key])).rows.length,
      end: () => client.close(),
    };
  });

  testBridge("Kysely over libsql", async () => {
    const { file, remove } = newFile();
    const database = openLibsql(file);
    await migrate(database);
    database.exec(EFFECTS);
    const db = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: database as never }),
    });
    return {
      store: createSqliteStore({ database, ...options }),
      transaction: kyselyTransaction(db, "?"),
      effects: async (key) =>
        database.prepare("SELECT k FROM effects WHERE k = ?").all(key as never).length,
      async end() {
        await db.destroy();
        remove();
      },
    };
  });
});
