// What goes wrong in other libraries on MySQL and MariaDB, each as a law that holds here. The numbers
// are those of the list of pitfalls that the project keeps.
import { setTimeout as sleep } from "node:timers/promises";
import type { AtomicStore, Stamp } from "@onceproof/core/advanced";
import {
  createMysqlStore,
  type MysqlStore,
  type MysqlStoreOptions,
  migrate,
  schema,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  missing,
  newOpId,
  startMariadb,
  startTcpProxy,
} from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseNext, openMariadb, openMysql2, openMysql2Callbacks } from "../support/mysql-pools.js";

const KEY = (key: string): Buffer => Buffer.from(key);

describe.skipIf(missing("mariadb"))("on a real MariaDB", () => {
  let server: MariadbServer;
  let admin: mysql.Pool;
  let store: MysqlStore;
  const opened: { end(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    server = await startMariadb();
    admin = mysql.createPool(server.connection);
    await migrate(admin);
    store = createMysqlStore({ client: admin });
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.end()));
    await admin.end();
    await server.stop();
  });

  const create = (key: string, ttlMs: number | "never" = "never", opId = newOpId()) =>
    ({ key, opId, expect: "absent", next: { value: opId, ttlMs } }) as const;
  const set = (key: string, { revision, opId }: Stamp, value = "set") =>
    ({ key, opId: newOpId(), expect: { revision, opId }, next: { value, ttlMs: 60_000 } }) as const;

  async function seed(key: string, ttlMs?: number): Promise<Stamp> {
    const write = create(key, ttlMs);
    const result = await store.write(write);
    return { revision: result.outcome === "applied" ? result.revision : 0, opId: write.opId };
  }

  /** A store whose every session begins as the statement says. */
  function inSessions(setting: string, options: Partial<MysqlStoreOptions> = {}): AtomicStore {
    const pool = mysql.createPool({ ...server.connection, connectionLimit: 4 });
    pool.pool.on("connection", (connection) => connection.query(setting));
    opened.push(pool);
    return createMysqlStore({ client: pool, ...options });
  }

  test("34 a duplicate key is a refusal, and the connection stays usable", async () => {
    const { revision } = await seed("34");
    expect(await store.write(create("34"))).toMatchObject({ outcome: "refused", revision });
    expect(await store.write(create("34 next"))).toMatchObject({ outcome: "applied" });
  });

  test("35 an entry that expired while a write waited for its lock is not renewed", async () => {
    const stamp = await seed("35", 300);
    const holder = await admin.getConnection();
    await holder.beginTransaction();
    await holder.query("UPDATE onceproof SET at = 0 WHERE k = ?", [KEY("35")]);
    const waiting = store.write(set("35", stamp));
    await sleep(500);
    await holder.rollback();
    holder.release();
    expect(await waiting).toMatchObject({ outcome: "refused", revision: stamp.revision });
    expect(await waiting).not.toHaveProperty("entry");
  });

  test("35 a create that waited applies over what expired meanwhile", async () => {
    const stamp = await seed("35 create", 300);
    const holder = await admin.getConnection();
    await holder.beginTransaction();
    await holder.query("SELECT 1 FROM onceproof WHERE k = ? FOR UPDATE", [KEY("35 create")]);
    await sleep(400);
    const waiting = store.write(create("35 create"));
    await sleep(100);
    await holder.rollback();
    holder.release();
    const result = await waiting;
    expect(result).toMatchObject({ outcome: "applied", replayed: false });
    expect(result).not.toMatchObject({ revision: stamp.revision });
  });

  test("36 deadlocks are retried whole, and every writeAll gets an answer", async () => {
    const keys = Array.from({ length: 6 }, (_, id) => `36 ${id}`);
    const all = Array.from({ length: 24 }, (_, id) => {
      const opId = newOpId();
      const writes = keys.map((key) => ({
        key,
        expect: "absent" as const,
        next: { value: opId, ttlMs: "never" as const },
      }));
      return { opId, writes: id % 2 === 0 ? writes : writes.reverse() };
    });
    const many = createMysqlStore({ client: admin, operationTimeoutMs: 20_000 });
    const results = await Promise.all(all.map((each) => many.writeAll(each)));
    expect(results.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === "refused")).toHaveLength(23);
  });

  test("37 under a lax sql_mode a long key is not cut and a value is not truncated", async () => {
    const lax = inSessions("SET SESSION sql_mode = ''");
    const long = "k".repeat(2000);
    expect(await lax.write(create(`${long}a`))).toMatchObject({ outcome: "applied" });
    expect(await lax.write(create(`${long}b`))).toMatchObject({ outcome: "applied" });
    const write = {
      ...create("37"),
      next: { value: "é".repeat(400_000), ttlMs: "never" },
    } as const;
    expect(await lax.write(write)).toMatchObject({ outcome: "applied" });
    expect((await lax.read("37")).entry?.value).toBe(write.next.value);
  });

  test("38 keys that a collation would make one are several", async () => {
    const keys = ["38 a", "38 A", "38 á", "38 a ", "38 a\0", "38 ａ"];
    const results = await Promise.all(keys.map((key) => store.write(create(key))));
    expect(results.map(({ outcome }) => outcome)).toEqual(keys.map(() => "applied"));
  });

  test("39 keys beyond the length of an index are hashed", async () => {
    const key = "é".repeat(5000);
    const write = create(key);
    await store.write(write);
    expect((await store.read(key)).entry?.value).toBe(write.next.value);
    expect((await store.read(`${key}é`)).entry).toBeUndefined();
  });

  test.each([
    ["mysql2", openMysql2, true],
    ["mysql2", openMysql2, false],
    ["mariadb", openMariadb, true],
    ["mariadb", openMariadb, false],
    ["mysql2's callbacks", openMysql2Callbacks, undefined],
  ])("40 answers do not depend on affected rows: %s", async (name, open, foundRows) => {
    const pool = open(server, foundRows === undefined ? {} : { foundRows });
    opened.push(pool);
    const key = `40 ${name} ${foundRows}`;
    const own = createMysqlStore({ client: pool.client });
    const first = create(key, 60_000);
    const made = await own.write(first);
    expect(made).toMatchObject({ outcome: "applied", replayed: false });
    expect(await own.write(first)).toMatchObject({ outcome: "applied", replayed: true });
    const revision = made.outcome === "applied" ? made.revision : 0;
    const change = set(key, { revision, opId: first.opId }, first.next.value);
    expect(await own.write(change)).toMatchObject({ outcome: "applied", replayed: false });
    expect(await own.write(change)).toMatchObject({ outcome: "applied", replayed: true });
    expect(await own.write(set(key, { revision, opId: first.opId }))).toMatchObject({
      outcome: "refused",
      entry: { value: first.next.value },
    });
  });

  test("41 a lock timeout leaves no transaction open, and certainly did nothing", async () => {
    const one = mysql.createPool({ ...server.connection, connectionLimit: 1 });
    opened.push(one);
    const own = createMysqlStore({ client: one, operationTimeoutMs: 1_600 });
    const stamp = await seed("41");
    const holder = await admin.getConnection();
    await holder.beginTransaction();
    await holder.query("SELECT 1 FROM onceproof WHERE k = ? FOR UPDATE", [KEY("41")]);
    const { key, expect: expected, next } = set("41", stamp);
    const fresh = { key: "41 new", expect: "absent", next } as const;
    const all = { opId: newOpId(), writes: [fresh, { key, expect: expected, next }] };
    await expect(own.writeAll(all)).rejects.toMatchObject({ code: "unavailable" });
    await expect(own.write(set("41", stamp))).rejects.toMatchObject({ code: "unavailable" });
    await holder.rollback();
    holder.release();
    const [rows] = await one.query("SELECT @@in_transaction AS open");
    expect(rows).toEqual([{ open: 0 }]);
    expect((await store.read("41 new")).revision).toBeUndefined();
    expect((await store.read("41")).revision).toBe(stamp.revision);
  });

  test("44 times are microseconds of the server, whatever the session's time zone", async () => {
    // In the hour of a change of the clock, local times come twice.
    const zones = ["+00:00", "-11:30", "+13:00"].map((zone) =>
      inSessions(`SET SESSION time_zone = '${zone}'`),
    );
    const nows = await Promise.all([store, ...zones].map((each) => each.read("44")));
    const wall = Date.now() * 1000;
    for (const { now } of nows) expect(Math.abs(now - wall)).toBeLessThan(5_000_000);
    const stamp = await seed("44", 1.5);
    expect(stamp.revision % 1000 === 0 && (await seed("44 b")).revision % 1000 === 0).toBe(false);
  });

  test("45 ten processes that create the schema at once all succeed", async () => {
    const pools = Array.from({ length: 10 }, () => openMysql2(server, { max: 1 }));
    opened.push(...pools);
    for (const table of ["a`b", "A b", "app.second", "x; DROP TABLE onceproof; --"]) {
      await Promise.all(pools.map(({ client }) => migrate(client, { table })));
      const own = createMysqlStore({ client: admin, table });
      expect(await own.write(create("k"))).toMatchObject({ outcome: "applied" });
      await migrate(admin, { table });
      expect((await own.read("k")).entry).toBeDefined();
    }
    await admin.query(schema("mysql", { table: "by hand" }));
    const own = createMysqlStore({ client: admin, table: "by hand" });
    expect(await own.write(create("k"))).toMatchObject({ outcome: "applied" });
  });

  test("45 a user without the right to create tables may migrate one that is there", async () => {
    await admin.query("CREATE USER app@'%'");
    await admin.query("GRANT SELECT, INSERT, UPDATE, DELETE ON app.onceproof TO app@'%'");
    const pool = mysql.createPool({ ...server.connection, user: "app", connectionLimit: 1 });
    opened.push(pool);
    await migrate(pool);
    const own = createMysqlStore({ client: pool });
    expect(await own.write(create("45 app"))).toMatchObject({ outcome: "applied" });
    await expect(migrate(pool, { table: "elsewhere" })).rejects.toThrow(/denied/);
  });

  test("46 a connection that is lost in an insert is unknown, never taken", async () => {
    const proxy = await startTcpProxy(server.port);
    const pool = openMysql2(server, { port: proxy.port, max: 1 });
    opened.push(pool);
    const own = createMysqlStore({ client: pool.client });
    const write = create("46");
    await own.read("46");
    loseNext(proxy, "loseReply");
    expect(await own.write(write)).toMatchObject({ outcome: "unknown" });
    expect(await own.write(write)).toMatchObject({ outcome: "applied", replayed: true });
    await proxy.close();
    // The pool has to hear of it first.
    const gone = () => own.write(create("46 gone")).catch(({ code }) => code);
    await expect.poll(gone).toBe("unavailable");
  });

  test("47 a sweep frees what is due in small batches, and no live row", async () => {
    const table = "swept";
    await migrate(admin, { table });
    const own = createMysqlStore({ client: admin, table, tombstoneMs: 1 });
    for (let id = 0; id < 8; id += 1) await own.write(create(`due ${id}`, 1));
    await own.write(create("live", 60_000));
    await own.write(create("never"));
    await sleep(20);
    expect([await own.sweep({ limit: 5 }), await own.sweep({ limit: 5 })]).toEqual([5, 3]);
    expect(await own.sweep({ limit: 5 })).toBe(0);
    expect((await own.read("due 3")).revision).toBeUndefined();
    expect((await own.read("live")).entry).toBeDefined();
    expect((await own.read("never")).entry).toBeDefined();
  });

  test("sessions without autocommit commit all the same", async () => {
    const manual = inSessions("SET SESSION autocommit = 0");
    await manual.write(create("manual"));
    expect((await store.read("manual")).entry).toBeDefined();
  });

  test.each(["CHAIN", "RELEASE"])(
    "sessions whose transactions end by %s are free after each, and stay",
    async (completion) => {
      const single = await mysql.createConnection(server.connection);
      opened.push(single);
      await single.query(`SET SESSION completion_type = '${completion}'`);
      const own = createMysqlStore({ client: single });
      const { threadId } = single;
      const key = (name: string): string => `${completion} ${name}`;
      await own.writeAll({ opId: newOpId(), writes: [create(key("a")), create(key("b"))] });
      await own.transaction((tx) => own.bind(tx).write(create(key("c"))));
      await own.transaction(() => Promise.reject(new Error("back"))).catch(() => {});
      await own.write(create(key("d")));
      for (const name of ["a", "b", "c", "d"]) {
        expect((await store.read(key(name))).entry, name).toBeDefined();
      }
      const [rows] = await single.query("SELECT CONNECTION_ID() AS id");
      expect((rows as { id: number }[])[0]?.id).toBe(threadId);
    },
  );

  test.each(["SERIALIZABLE", "REPEATABLE READ", "READ UNCOMMITTED"])(
    "of 32 clients in sessions that are %s exactly one wins",
    async (isolation) => {
      const own = inSessions(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`, {
        operationTimeoutMs: 10_000,
      });
      const key = `race ${isolation}`;
      const creates = await Promise.all(Array.from({ length: 32 }, () => own.write(create(key))));
      expect(creates.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
      const { entry } = await own.read(key);
      const stamp = entry?.stamp ?? { revision: 0, opId: "" };
      const sets = await Promise.all(Array.from({ length: 32 }, () => own.write(set(key, stamp))));
      expect(sets.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    },
  );

  test("what is not committed is not told of, by sessions that begin as READ UNCOMMITTED", async () => {
    const level = "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED";
    const own = inSessions(level, { operationTimeoutMs: 10_000 });
    // From here on creates look first.
    await own.write(create("committed"));
    for (let round = 0; round < 3; round += 1) await own.write(create("committed"));
    const holder = await admin.getConnection();
    await holder.beginTransaction();
    await store.bind(holder).write(create("uncommitted"));
    const created = own.write(create("uncommitted"));
    expect(await own.read("uncommitted")).not.toHaveProperty("entry");
    await holder.rollback();
    holder.release();
    expect(await created).toMatchObject({ outcome: "applied", replayed: false });
  });

  test("a value beyond the server's packet limit is refused before it is sent", async () => {
    await admin.query("SET GLOBAL max_allowed_packet = 65536");
    const pool = openMysql2(server, { max: 1 });
    opened.push(pool);
    const own = createMysqlStore({ client: pool.client });
    const next = { value: "x".repeat(100_000), ttlMs: "never" } as const;
    const failure = { code: "unavailable", message: expect.stringContaining("max_allowed_packet") };
    await expect(own.write({ ...create("large"), next })).rejects.toMatchObject(failure);
    expect(await own.write(create("small"))).toMatchObject({ outcome: "applied" });
    await admin.query("SET GLOBAL max_allowed_packet = 16777216");
  });

  test("a trigger on the table changes no answer", async () => {
    const table = "watched";
    await migrate(admin, { table });
    await admin.query("CREATE TABLE changes (id bigint AUTO_INCREMENT PRIMARY KEY, k blob)");
    for (const event of ["INSERT", "UPDATE"]) {
      await admin.query(
        `CREATE TRIGGER on_${event} AFTER ${event} ON watched FOR EACH ROW INSERT INTO changes (k) VALUES (NEW.k)`,
      );
    }
    const own = createMysqlStore({ client: admin, table });
    const made = await own.write(create("k"));
    const stamp = (await own.read("k")).entry?.stamp as Stamp;
    expect(made).toMatchObject({ outcome: "applied", revision: stamp.revision });
    const next = { value: "2", ttlMs: "never" } as const;
    const changed = await own.write({ key: "k", opId: newOpId(), expect: stamp, next });
    const now = (await own.read("k")).entry;
    expect(changed).toMatchObject({ outcome: "applied", revision: now?.stamp.revision });
    expect(now).toMatchObject({ value: "2" });
  });

  test("an answer without a row is none", async () => {
    await seed("no row");
    const own = inSessions("SET SESSION sql_select_limit = 0");
    await expect(own.read("no row")).rejects.toMatchObject({ code: "unavailable" });
    expect(await own.write(create("no row"))).toMatchObject({ outcome: "unknown" });
  });

  test("a table that is not there is a certain failure that names it", async () => {
    const own = createMysqlStore({ client: admin, table: "nowhere" });
    const failure = { code: "unavailable", message: expect.stringContaining("nowhere") };
    await expect(own.write(create("k"))).rejects.toMatchObject(failure);
    await expect(own.read("k")).rejects.toMatchObject(failure);
  });
});
