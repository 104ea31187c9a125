// Query builders and object mappers: the bridge of each, as docs/transactions.md has it, inside its
// own transaction on a real database.
import { PGlite } from "@electric-sql/pglite";
import {
  type BridgedTransaction,
  createMysqlStore,
  createPostgresStore,
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
import { Kysely, MysqlDialect, PostgresDialect } from "kysely";
import mysqlCallbacks from "mysql2";
import mysql from "mysql2/promise";
import postgres from "postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { type Builder, EFFECTS, kyselyTransaction, testBridge } from "./support/bridge-cases.js";
import { openPool } from "./support/pg-pools.js";
import { openPrisma } from "./support/prisma-client.js";
import { mariadbPlace, type Place, postgresPlace } from "./support/transaction-arms.js";

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
});
