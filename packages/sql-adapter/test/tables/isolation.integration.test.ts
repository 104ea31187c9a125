// What is particular to a server: its isolation levels, its snapshots, its modes and flags, and
// transactions that a bridge carries.
import { createTransactionalDedup } from "@onceproof/core";
import {
  createPostgresStore,
  createTables,
  migrate,
  type Row,
  requestLogSchema,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  missing,
  type PostgresServer,
  startMariadb,
  startPostgres,
} from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/pg-pools.js";

const COLUMNS = `id bigint PRIMARY KEY, number varchar(9) NOT NULL UNIQUE,
  status varchar(9) NOT NULL, version bigint NOT NULL DEFAULT 0, fencing_token bigint`;
const update = { update: (row: Row) => ({ number: `${row.number}` }) };
const move = { from: "new", to: "paid", requestId: "pay", log: "t_log" } as const;
const row = (id: number) => ({ id, number: `n${id}`, status: "new" });

describe.skipIf(missing("postgres"))("on Postgres that is serializable by default", () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    const settings = { default_transaction_isolation: "serializable" };
    pool = openPool(server, { max: 16, settings });
    await pool.query(`CREATE TABLE t (${COLUMNS}); ${requestLogSchema("postgres", "t_log")}`);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  // PITFALLS 36
  test("serialization failures of plain races are sent again, and all adds up", async () => {
    const tables = createTables({ client: pool, operationTimeoutMs: 10_000 });
    const inserts = await Promise.all(
      Array.from({ length: 32 }, () =>
        tables.insertOnce("t", row(1), { uniqueBy: ["number", "id"] }),
      ),
    );
    expect(inserts.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    const moves = await Promise.all(
      Array.from({ length: 32 }, () => tables.transitionRow("t", { id: 1, ...move })),
    );
    expect(moves.filter((each) => each.outcome === "moved" && !each.replayed)).toHaveLength(1);
    const updates = await Promise.all(
      Array.from({ length: 16 }, () => tables.updateVersioned("t", { id: 1, ...update })),
    );
    expect(new Set(updates.map(({ outcome }) => outcome))).toEqual(new Set(["updated"]));
    const { rows } = await pool.query("SELECT version FROM t WHERE id = 1");
    expect(Number(rows[0].version)).toBe(17);
  });

  test("inside a transaction the driver's own error is thrown, for the user's own retry", async () => {
    const tables = createTables({ client: pool });
    await tables.insertOnce("t", row(2), { uniqueBy: ["number"] });
    const tx = await pool.connect();
    try {
      await tx.query("BEGIN");
      await tx.query("SELECT * FROM t");
      await tables.transitionRow("t", { id: 2, from: "new", to: "paid" });
      const within = tables.within(tx).transitionRow("t", { id: 2, from: "paid", to: "sent" });
      await expect(within).rejects.toMatchObject({ code: "40001" });
    } finally {
      await tx.query("ROLLBACK");
      tx.release();
    }
  });

  test("an id of text with a collation of its own finds its requests", async () => {
    const columns = `${COLUMNS}`.replace("bigint PRIMARY KEY", 'text COLLATE "POSIX" PRIMARY KEY');
    await pool.query(`CREATE TABLE named (${columns}); INSERT INTO named VALUES ('ü', 'n', 'new')`);
    const tables = createTables({ client: pool });
    const longest = { id: "ü", ...move, requestId: "🔑".repeat(95) };
    expect(await tables.transitionRow("named", longest)).toMatchObject({ replayed: false });
    expect(await tables.transitionRow("named", longest)).toMatchObject({ replayed: true });
    const add = { id: "ü", update: () => ({}), requestId: "add", log: "t_log" };
    expect(await tables.updateVersioned("named", add)).toMatchObject({ replayed: false });
    expect(await tables.updateVersioned("named", add)).toMatchObject({ replayed: true });
  });

  test("beside a record of dedup, in its transaction, all of it happens once", async () => {
    await migrate(pool);
    const store = createPostgresStore({ client: pool, operationTimeoutMs: 8000 });
    const orders = createTransactionalDedup({ store, name: "orders", onCrash: "park" });
    const tables = createTables({ client: pool });
    const results = await Promise.all(
      Array.from({ length: 12 }, () =>
        orders.runInTransaction("order-4", async (tx) => {
          const within = tables.within(tx);
          await within.insertOnce("t", row(4), { uniqueBy: ["number"] });
          const moved = await within.transitionRow("t", { id: 4, from: "new", to: "paid" });
          return moved.outcome;
        }),
      ),
    );
    expect(results).toEqual(Array(12).fill("moved"));
    const { rows } = await pool.query("SELECT version FROM t WHERE id = 4");
    expect(rows.map(({ version }) => Number(version))).toEqual([1]);
  });

  test("a bridge carries the same", async () => {
    const tables = createTables({ client: pool });
    const tx = await pool.connect();
    try {
      await tx.query("BEGIN");
      const bridge = {
        rows: async (text: string, values: readonly unknown[]) =>
          (await tx.query(text, [...values])).rows as object[],
      };
      const within = tables.within(bridge);
      const created = await within.insertOnce("t", row(3), { uniqueBy: ["number"] });
      expect(created.outcome).toBe("created");
      const moved = await within.transitionRow("t", { id: 3, ...move });
      expect(moved).toMatchObject({ outcome: "moved", replayed: false });
      expect((await within.lockRow("t", { where: { id: 3 } })).outcome).toBe("locked");
      await tx.query("COMMIT");
    } finally {
      tx.release();
    }
  });
});

describe.skipIf(missing("mariadb"))("on MariaDB", () => {
  let server: MariadbServer;
  let pool: mysql.Pool;
  const open = (options: object = {}) =>
    mysql.createPool({ ...server.connection, connectionLimit: 8, ...options });
  beforeAll(async () => {
    server = await startMariadb();
    pool = open();
    await pool.query(`CREATE TABLE t (${COLUMNS})`);
    await pool.query(requestLogSchema("mysql", "t_log"));
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  async function within<T>(work: (tx: mysql.PoolConnection) => Promise<T>): Promise<T> {
    const tx = await pool.getConnection();
    try {
      await tx.query("START TRANSACTION");
      const result = await work(tx);
      await tx.query("COMMIT");
      return result;
    } catch (error) {
      await tx.query("ROLLBACK");
      throw error;
    } finally {
      tx.release();
    }
  }

  test("what was committed after a transaction's snapshot is found, not waited for for ever", async () => {
    await pool.query("SET GLOBAL innodb_snapshot_isolation = OFF").catch(() => {});
    const tables = createTables({ client: pool });
    const told = await within(async (tx) => {
      await tx.query("SELECT * FROM t");
      await tables.insertOnce("t", row(1), { uniqueBy: ["number"] });
      await tables.transitionRow("t", { id: 1, ...move });
      const bound = tables.within(tx);
      return [
        await bound.insertOnce("t", { ...row(9), number: "n1" }, { uniqueBy: ["number"] }),
        await bound.transitionRow("t", { id: 1, ...move }),
        await bound.updateVersioned("t", { id: 1, ...update }),
      ];
    });
    expect(told).toMatchObject([
      { outcome: "conflict", constraint: "number", row: { status: "paid" } },
      { outcome: "moved", replayed: true },
      { outcome: "updated", version: 2 },
    ]);
  });

  // A trigger's insert hides from the answer to an UPDATE what LAST_INSERT_ID was given in it.
  test("a trigger that keeps an audit changes no answer, and nothing takes effect twice", async () => {
    await pool.query(`CREATE TABLE audited (${COLUMNS})`);
    await pool.query("CREATE TABLE audit (id bigint AUTO_INCREMENT PRIMARY KEY, row_id bigint)");
    for (const when of ["BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE"]) {
      await pool.query(
        `CREATE TRIGGER \`audit ${when}\` ${when} ON audited FOR EACH ROW INSERT INTO audit (row_id) VALUES (NEW.id)`,
      );
    }
    const tables = createTables({ client: pool });
    expect(await tables.insertOnce("audited", row(1), { uniqueBy: ["number"] })).toMatchObject({
      outcome: "created",
      row: { id: 1 },
    });
    const moved = await tables.transitionRow("audited", { id: 1, from: ["x", "new"], to: "paid" });
    expect(moved).toMatchObject({ outcome: "moved", from: "new", version: 1 });
    let calls = 0;
    const number = () => {
      calls += 1;
      return { number: `${calls}` };
    };
    const updated = await tables.updateVersioned("audited", { id: 1, update: number });
    expect(updated).toEqual({ outcome: "updated", version: 2, replayed: false });
    expect(calls).toBe(1);
    const fenced = { id: 1, token: 5, set: { number: "fenced" } };
    expect((await tables.fencedUpdate("audited", fenced)).outcome).toBe("applied");
    expect((await tables.fencedUpdate("audited", fenced)).outcome).toBe("applied");
    expect((await tables.fencedUpdate("audited", { ...fenced, token: 4 })).outcome).toBe("stale");
  });

  test("a row that was inserted is never told as nothing, though it cannot be read back", async () => {
    const one = open({ connectionLimit: 1 });
    const tables = createTables({ client: one, operationTimeoutMs: 1_000 });
    const options = { uniqueBy: ["number"] };
    expect(await tables.insertOnce("t", row(30), options)).toMatchObject({ outcome: "created" });
    // It gets the connection as soon as the insert gives it back, and keeps it.
    const told = tables.insertOnce("t", row(31), options);
    const taken = await one.getConnection();
    expect(await told).toMatchObject({ outcome: "indeterminate" });
    taken.release();
    expect(await tables.insertOnce("t", row(31), options)).toMatchObject({ outcome: "exists" });
    await one.end();
  });

  test("the longest request id and any event fit, whatever the database's character set", async () => {
    await pool.query(`CREATE TABLE named (${COLUMNS}) CHARACTER SET latin1`);
    await pool.query(requestLogSchema("mysql", "named_log"));
    const tables = createTables({ client: pool });
    await tables.insertOnce("named", row(1), { uniqueBy: ["number"] });
    const log = "named_log";
    const longest = { id: 1, ...move, log, requestId: "€".repeat(191), event: "⚡" };
    expect(await tables.transitionRow("named", longest)).toMatchObject({ replayed: false });
    const again = await tables.transitionRow("named", longest);
    expect(again).toMatchObject({ replayed: true, event: "⚡" });
    const [told] = await tables.requests("named", { id: 1, log });
    expect(told).toMatchObject({ outcome: "moved", requestId: "€".repeat(191) });
  });

  // PITFALLS 40
  test.each(["FOUND_ROWS", "-FOUND_ROWS"])("affected rows may mean either: %s", async (flag) => {
    const client = open({ flags: [flag] });
    try {
      const tables = createTables({ client });
      const id = flag.length;
      await tables.insertOnce("t", row(id), { uniqueBy: ["number"] });
      const fenced = { id, token: 5, set: { number: `n${id}` } };
      expect((await tables.fencedUpdate("t", fenced)).outcome).toBe("applied");
      expect((await tables.fencedUpdate("t", fenced)).outcome).toBe("applied");
      const stay = { id, from: "new", to: "new", columns: { version: null } };
      expect((await tables.transitionRow("t", stay)).outcome).toBe("moved");
      expect((await tables.updateVersioned("t", { id, ...update })).outcome).toBe("updated");
    } finally {
      await client.end();
    }
  });

  // PITFALLS 37
  test("a mode that cuts what is too long is refused before anything is written", async () => {
    const client = open();
    client.pool.on("connection", (connection) => connection.query("SET SESSION sql_mode = ''"));
    try {
      const tables = createTables({ client });
      const long = { ...row(20), number: "longer than nine" };
      const cut = tables.insertOnce("t", long, { uniqueBy: ["number"] });
      await expect(cut).rejects.toThrow(/sql_mode/);
      const [rows] = await pool.query("SELECT * FROM t WHERE id = 20");
      expect(rows).toEqual([]);
    } finally {
      await client.end();
    }
  });

  // PITFALLS 36 and 41
  test("transactions that move and log in a storm end without a deadlock", async () => {
    const tables = createTables({ client: pool, operationTimeoutMs: 10_000 });
    const ids = [30, 31, 32, 33];
    for (const id of ids) await tables.insertOnce("t", row(id), { uniqueBy: ["number"] });
    const results = await Promise.all(
      Array.from({ length: 48 }, (_, at) =>
        within((tx) => {
          const one = { id: ids[at % 4] ?? 0, requestId: `r${at % 12}`, log: "t_log" };
          const there = { from: "new", to: "paid" };
          const back = { from: "paid", to: "new" };
          return tables.within(tx).transitionRow("t", { ...one, ...(at % 8 < 4 ? there : back) });
        }),
      ),
    );
    expect(results).toHaveLength(48);
    const [status] = await pool.query("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
    const [{ Value: deadlocks } = { Value: "0" }] = status as { Value: string }[];
    expect(Number(deadlocks)).toBe(0);
  });

  test("a bridge, which tells nothing but rows, carries the same", async () => {
    const tables = createTables({ client: pool });
    const told = await within(async (tx) => {
      const bound = tables.within({
        rows: async (text, values) => {
          const [result] = await tx.query(text, [...values]);
          return Array.isArray(result) ? (result as object[]) : [];
        },
      });
      const create = () => bound.insertOnce("t", row(40), { uniqueBy: ["number"] });
      const fence = (token: number) => bound.fencedUpdate("t", { id: 40, token, set: {} });
      return [
        await create(),
        await create(),
        await bound.transitionRow("t", { id: 40, from: "new", to: "paid" }),
        await bound.transitionRow("t", { id: 40, from: "new", to: "sent" }),
        await bound.updateVersioned("t", { id: 40, ...update }),
        await fence(7),
        await fence(6),
        await fence(7),
      ];
    });
    expect(told).toMatchObject([
      { outcome: "created" },
      { outcome: "exists" },
      { outcome: "moved", version: 1 },
      { outcome: "refused", status: "paid" },
      { outcome: "updated", version: 2 },
      { outcome: "applied" },
      { outcome: "stale", newest: 7 },
      { outcome: "applied" },
    ]);
  });
});
