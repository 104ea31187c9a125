// How many statements a transaction for record and effect sends beside the user's own, counted on
// the connection itself.
import { createTransactionalDedup } from "@onceproof/core";
import { createMysqlStore, createPostgresStore, type PostgresStore } from "@onceproof/sql-adapter";
import { missing } from "@onceproof/test-servers";
import mysql from "mysql2";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "./support/pg-pools.js";
import { mariadbPlace, type Place, postgresPlace } from "./support/transaction-arms.js";

/** Notes what is sent through some methods of a connection, by its first word. */
function noteOn(connection: object, methods: readonly string[], sent: string[]): void {
  const members = connection as Record<string, (...parameters: unknown[]) => unknown>;
  for (const name of methods) {
    const original = members[name] as (...parameters: unknown[]) => unknown;
    members[name] = function (this: unknown, ...parameters) {
      const [first] = parameters as [string | { text?: string; sql?: string }];
      const text = typeof first === "string" ? first : (first.text ?? first.sql ?? "");
      sent.push(text.replace(/^SET STATEMENT .*? FOR /, "").split(/\s/)[0] ?? "");
      return original.apply(this, parameters);
    };
  }
}

describe.skipIf(missing("postgres"))("on Postgres", () => {
  let place: Place;
  beforeAll(async () => {
    place = await postgresPlace();
  });
  afterAll(() => place.stop());

  test("2 beside BEGIN, the user's own and COMMIT; a duplicate 2, and 1 where it is expected", async () => {
    const pool = openPool(place.postgres as never, { max: 1 });
    const sent: string[] = [];
    pool.on("connect", (client) => noteOn(client, ["query"], sent));
    const store = createPostgresStore({ client: pool });
    const dedup = createTransactionalDedup({ store, name: "cost", onCrash: "park" });
    await dedup.runInTransaction("k", (tx) => tx.query("SELECT 1").then(() => 1));
    expect(sent.splice(0)).toEqual(["BEGIN", "INSERT", "SELECT", "UPDATE", "COMMIT"]);
    await dedup.runInTransaction("k", async () => 2);
    expect(sent.splice(0)).toEqual(["BEGIN", "INSERT", "WITH", "ROLLBACK"]);
    await dedup.runInTransaction("k", async () => 3);
    sent.length = 0;
    await dedup.runInTransaction("k", async () => 4);
    expect(sent).toEqual(["BEGIN", "WITH", "ROLLBACK"]);
    await pool.end();
  });
});

describe.skipIf(missing("postgres"))("bound to a transaction of the user's on Postgres", () => {
  let place: Place;
  beforeAll(async () => {
    place = await postgresPlace();
  });
  afterAll(() => place.stop());

  /** Reads in a transaction on the pool's one connection; what it prepared is counted. */
  async function readBound(pool: pg.Pool, store: PostgresStore): Promise<number> {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await store.bind(client).read("k");
      const { rowCount } = await client.query("SELECT FROM pg_prepared_statements");
      return rowCount ?? 0;
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
  }

  test("statements are prepared, unless told otherwise", async () => {
    const pool = openPool(place.postgres as never, { max: 1 });
    const plain = createPostgresStore({ client: pool, prepare: false });
    expect(await readBound(pool, plain)).toBe(0);
    expect(await readBound(pool, createPostgresStore({ client: pool }))).toBe(1);
    await pool.end();
  });

  test("where a pooler lost them the transaction is to be run again, without them", async () => {
    const pool = openPool(place.postgres as never, { max: 1 });
    const store = createPostgresStore({ client: pool });
    await readBound(pool, store);
    await pool.query("DEALLOCATE ALL");
    await expect(readBound(pool, store)).rejects.toMatchObject({ code: "contended" });
    expect(await readBound(pool, store)).toBe(0);
    await pool.end();
  });
});

describe.skipIf(missing("mariadb"))("on MariaDB", () => {
  let place: Place;
  beforeAll(async () => {
    place = await mariadbPlace();
  });
  afterAll(() => place.stop());

  test("3 beside START TRANSACTION, the user's own and COMMIT; a duplicate 3", async () => {
    const client = mysql.createPool({ ...place.mariadb?.connection, connectionLimit: 1 });
    const sent: string[] = [];
    client.on("connection", (connection) => noteOn(connection, ["query", "execute"], sent));
    const store = createMysqlStore({ client });
    const dedup = createTransactionalDedup({ store, name: "cost", onCrash: "park" });
    await dedup.runInTransaction("first", async () => 1);
    // The connection is looked at once, and the gates are made once.
    expect(sent.splice(0).slice(0, 3)).toEqual(["SHOW", "INSERT", "START"]);
    await dedup.runInTransaction("k", (tx) => tx.query("DO 1").then(() => 1));
    expect(sent.splice(0)).toEqual(["START", "SELECT", "INSERT", "DO", "UPDATE", "COMMIT"]);
    await dedup.runInTransaction("k", async () => 2);
    expect(sent).toEqual(["START", "SELECT", "INSERT", "SELECT", "ROLLBACK"]);
    await client.promise().end();
  });
});
