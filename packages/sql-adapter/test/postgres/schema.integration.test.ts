// Making the table on a real Postgres: by ten processes at once, without the right to, and under
// names that need quoting.
import type { AtomicStore } from "@onceproof/core/advanced";
import { createPostgresStore, migrate, schema } from "@onceproof/sql-adapter";
import { missing, newOpId, type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/pg-pools.js";

describe.skipIf(missing("postgres"))("the table on a real Postgres", () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = openPool(server);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  const create = (store: AtomicStore) =>
    store.write({
      key: "k",
      opId: newOpId(),
      expect: "absent",
      next: { value: "v", ttlMs: "never" },
    });

  // PITFALLS: two processes create the schema at once and one crashes.
  test("ten processes that migrate at once all succeed", async () => {
    const pools = Array.from({ length: 10 }, () => openPool(server, { max: 1 }));
    await Promise.all(pools.map((each) => each.query("SELECT 1")));
    for (const table of ["first", "second", "third"]) {
      await Promise.all(pools.map((each) => migrate(each, { table })));
      const store = createPostgresStore({ client: pool, table });
      expect(await create(store)).toMatchObject({ outcome: "applied" });
    }
    await Promise.all(pools.map((each) => each.end()));
  });

  test("migrating again keeps what is there", async () => {
    const store = createPostgresStore({ client: pool, table: "kept" });
    await migrate(pool, { table: "kept" });
    await create(store);
    await migrate(pool, { table: "kept" });
    expect((await store.read("k")).entry?.value).toBe("v");
  });

  test("the schema's text makes the same table", async () => {
    await pool.query(schema("postgres", { table: "by hand" }));
    await migrate(pool, { table: "by hand" });
    const store = createPostgresStore({ client: pool, table: "by hand" });
    expect(await create(store)).toMatchObject({ outcome: "applied" });
  });

  test("names that need quoting are safe, and stay apart", async () => {
    await pool.query('CREATE SCHEMA "Sch;ema"');
    const tables = ['a"b', "A b", "a b", "x; DROP TABLE first; --", "ünïcode", "Sch;ema.o'clock"];
    for (const table of tables) {
      await migrate(pool, { table });
      const store = createPostgresStore({ client: pool, table });
      expect(await create(store)).toMatchObject({ outcome: "applied" });
    }
    const { rows } = await pool.query("SELECT count(*)::int AS n FROM first");
    expect(rows).toEqual([{ n: 1 }]);
  });

  test.each(["a", "c", "d", "go", "i", "l", "none", "q", "s", "t", "u", "w", "x"])(
    "a table may bear a name that statements use: %s",
    async (table) => {
      await migrate(pool, { table });
      const store = createPostgresStore({ client: pool, table });
      const next = { value: "v", ttlMs: "never" } as const;
      expect(await create(store)).toMatchObject({ outcome: "applied" });
      expect(await create(store)).toMatchObject({ outcome: "refused" });
      const stale = { revision: 1, opId: newOpId() };
      const remove = { key: "k", opId: newOpId(), expect: stale, next: "removed" } as const;
      expect(await store.write(remove)).toMatchObject({ outcome: "refused" });
      const writes = [{ key: "other", expect: "absent", next }] as const;
      expect(await store.writeAll({ opId: newOpId(), writes })).toMatchObject({
        outcome: "applied",
      });
      const read = await store.transaction((tx) => store.bind(tx as never).read("k"));
      expect(read.entry?.value).toBe("v");
      expect(await store.sweep({ limit: 1 })).toBe(0);
    },
  );

  test("a user without the right to create tables may migrate a table that is there", async () => {
    await migrate(pool, { table: "given" });
    await pool.query("CREATE ROLE app LOGIN");
    await pool.query("GRANT SELECT, INSERT, UPDATE ON given TO app");
    const app = new pg.Pool({ ...server.connection, user: "app" });
    // The server may be stopped while its last connection is still closing.
    app.on("error", () => {});
    await migrate(app, { table: "given" });
    const store = createPostgresStore({ client: app, table: "given" });
    expect(await create(store)).toMatchObject({ outcome: "applied" });
    await app.end();
  });
});
