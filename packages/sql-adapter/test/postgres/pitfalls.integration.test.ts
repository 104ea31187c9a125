// What goes wrong in other libraries on Postgres, each as a law that holds here. The numbers are those
// of the list of pitfalls that the project keeps; tests beside this one show more of each.
import { setTimeout as sleep } from "node:timers/promises";
import type { Stamp, WriteWithoutOpId } from "@onceproof/core/advanced";
import { createPostgresStore, migrate, type PostgresStore } from "@onceproof/sql-adapter";
import {
  missing,
  newOpId,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
} from "@onceproof/test-servers";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseNext, openPool } from "../support/pg-pools.js";

describe.skipIf(missing("postgres"))("on a real Postgres", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  let store: PostgresStore;
  const opened: pg.Pool[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    admin = openPool(server);
    await migrate(admin);
    store = createPostgresStore({ client: admin });
  });
  afterAll(async () => {
    await Promise.all([admin, ...opened].map((pool) => pool.end()));
    await server.stop();
  });

  const create = (key: string, ttlMs: number | "never" = "never", opId = newOpId()) =>
    ({ key, opId, expect: "absent", next: { value: opId, ttlMs } }) as const;
  const set = (key: string, { revision, opId }: Stamp) =>
    ({
      key,
      opId: newOpId(),
      expect: { revision, opId },
      next: { value: "set", ttlMs: "never" },
    }) as const;

  async function seed(key: string, ttlMs?: number): Promise<Stamp> {
    const write = create(key, ttlMs);
    const result = await store.write(write);
    return { revision: result.outcome === "applied" ? result.revision : 0, opId: write.opId };
  }

  test("34 a duplicate key aborts no transaction: the refusal carries the incumbent", async () => {
    const pool = openPool(server, { max: 1 });
    opened.push(pool);
    const own = createPostgresStore({ client: pool });
    const stamp = await seed("34");
    expect(await own.write(create("34"))).toMatchObject({ outcome: "refused", entry: { stamp } });
    expect(await own.write(create("34 next"))).toMatchObject({ outcome: "applied" });
  });

  test("35 what waited for a lock is judged by the clock after it", async () => {
    const stamp = await seed("35", 250);
    const holder = await admin.connect();
    await holder.query("BEGIN; UPDATE onceproof SET at = 0 WHERE k = '35'");
    const { key, expect: expected, next } = set("35", stamp);
    const waiting = store.write(set("35", stamp));
    const all = store.writeAll({ opId: newOpId(), writes: [{ key, expect: expected, next }] });
    await sleep(400);
    await holder.query("ROLLBACK");
    holder.release();
    for (const result of await Promise.all([waiting, all])) {
      expect(result).toMatchObject({ outcome: "refused", revision: stamp.revision });
      expect(result).not.toHaveProperty("entry");
    }
  });

  test.each(["read committed", "repeatable read", "serializable"])(
    "36 writeAlls over the same keys in any order all get an answer: %s",
    async (isolation) => {
      const pool = openPool(server, { settings: { default_transaction_isolation: isolation } });
      opened.push(pool);
      const own = createPostgresStore({ client: pool, operationTimeoutMs: 20_000 });
      const keys = Array.from({ length: 5 }, (_, id) => `36 ${isolation} ${id}`);
      const taken = await seed(keys[2] ?? "");
      const all = Array.from({ length: 24 }, (_, id) => {
        const next = { value: String(id), ttlMs: "never" } as const;
        const writes: WriteWithoutOpId[] = keys.map((key, index) =>
          index === 2 ? { key, expect: taken, next } : { key, expect: "absent", next },
        );
        return { opId: newOpId(), writes: id % 2 === 0 ? writes : writes.reverse() };
      });
      const results = await Promise.all(all.map((each) => own.writeAll(each)));
      expect(results.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === "refused")).toHaveLength(23);
      const values = await Promise.all(keys.map(async (key) => (await own.read(key)).entry?.value));
      expect(new Set(values).size).toBe(1);
    },
  );

  test("38 keys that a collation would make one are several", async () => {
    const keys = ["38 a", "38 A", "38 á", "38 a ", "38 a\0", "38 ａ"];
    const results = await Promise.all(keys.map((key) => store.write(create(key))));
    expect(results.map(({ outcome }) => outcome)).toEqual(keys.map(() => "applied"));
  });

  test("39 keys beyond the length of an index are hashed, never cut", async () => {
    const key = "é".repeat(5000);
    const write = create(key);
    await store.write(write);
    expect((await store.read(key)).entry?.value).toBe(write.next.value);
    expect((await store.read(`${key}é`)).entry).toBeUndefined();
  });

  test("41 a lock timeout leaves no transaction open, and certainly did nothing", async () => {
    const pool = openPool(server, { max: 1 });
    opened.push(pool);
    const own = createPostgresStore({ client: pool, operationTimeoutMs: 2_000 });
    const stamp = await seed("41");
    const holder = await admin.connect();
    await holder.query("BEGIN; SELECT 1 FROM onceproof WHERE k = '41' FOR UPDATE");
    const { key, expect: expected, next } = set("41", stamp);
    const fresh = { key: "41 new", expect: "absent", next } as const;
    const all = { opId: newOpId(), writes: [fresh, { key, expect: expected, next }] };
    await expect(own.writeAll(all)).rejects.toMatchObject({ code: "unavailable" });
    await expect(own.write(set("41", stamp))).rejects.toMatchObject({ code: "unavailable" });
    await holder.query("ROLLBACK");
    holder.release();
    const { rows } = await pool.query("SELECT now() = statement_timestamp() AS fresh");
    expect(rows).toEqual([{ fresh: true }]);
    expect((await store.read("41 new")).revision).toBeUndefined();
  });

  test("43 nothing is left on a session that a pooler may hand to somebody else", async () => {
    const pool = openPool(server, { max: 1 });
    opened.push(pool);
    const own = createPostgresStore({ client: pool, prepare: false });
    await migrate(pool);
    await own.write(create("43"));
    await own.sweep({ limit: 1 });
    const left = await pool.query(`SELECT (SELECT count(*) FROM pg_locks
      WHERE locktype = 'advisory')::int AS locks, current_setting('lock_timeout') AS timeout,
      (SELECT count(*) FROM pg_prepared_statements)::int AS prepared`);
    expect(left.rows).toEqual([{ locks: 0, timeout: "0", prepared: 0 }]);
  });

  test("44 times are integer microseconds, whatever the session's time zone", async () => {
    const settings = { timezone: "America/St_Johns" };
    const pool = openPool(server, { max: 1, settings });
    opened.push(pool);
    const { now } = await createPostgresStore({ client: pool }).read("44");
    expect(Math.abs(now - Date.now() * 1000)).toBeLessThan(5_000_000);
    const write = create("44", 1.0005);
    const result = await store.write(write);
    if (result.outcome !== "applied") throw new Error(result.outcome);
    expect((result.expiresAt ?? 0) - result.writtenAt).toBe(1001);
  });

  test("46 a connection that is lost in an insert is unknown, never taken", async () => {
    const proxy = await startTcpProxy(server.port);
    const pool = openPool(server, { port: proxy.port, max: 1 });
    opened.push(pool);
    const own = createPostgresStore({ client: pool });
    const all = { opId: newOpId(), writes: [create("46 a"), create("46 b")] };
    loseNext(proxy, "loseReply");
    expect(await own.writeAll(all)).toMatchObject({ outcome: "unknown" });
    expect(await own.writeAll(all)).toMatchObject({ outcome: "applied", replayed: true });
    await proxy.close();
  });

  test("47 a sweep frees what is due in small batches, no live row, and waits for none", async () => {
    await migrate(admin, { table: "swept" });
    const own = createPostgresStore({ client: admin, table: "swept", tombstoneMs: 1 });
    for (let id = 0; id < 9; id += 1) await own.write(create(`due ${id}`, 1));
    await own.write(create("live", 60_000));
    await own.write(create("never"));
    await sleep(20);
    const holder = await admin.connect();
    await holder.query("BEGIN; SELECT 1 FROM swept WHERE k = 'due 0' FOR UPDATE");
    expect([await own.sweep({ limit: 5 }), await own.sweep({ limit: 5 })]).toEqual([5, 3]);
    await holder.query("ROLLBACK");
    holder.release();
    expect([await own.sweep({ limit: 5 }), await own.sweep({ limit: 5 })]).toEqual([1, 0]);
    expect((await own.read("due 3")).revision).toBeUndefined();
    expect((await own.read("live")).entry).toBeDefined();
    expect((await own.read("never")).entry).toBeDefined();
  });

  test("47 a sweep walks the table in stretches, each call from where the last one ended", async () => {
    await migrate(admin, { table: "wide" });
    await admin.query(`INSERT INTO wide (k, v, rev, op, at, exp)
      SELECT int4send(n), decode(repeat('ab', 500), 'hex'), n, 'op', n, CASE WHEN n % 100 = 0 THEN n END
      FROM generate_series(1, 4000) n`);
    const { rows } = await admin.query("SELECT pg_relation_size('wide') / 8192 AS pages");
    // Several stretches of 64 pages.
    expect(Number(rows[0]?.pages)).toBeGreaterThan(256);
    const own = createPostgresStore({ client: admin, table: "wide", tombstoneMs: 1 });
    const freed: number[] = [];
    do freed.push(await own.sweep({ limit: 15 }));
    while (freed.at(-1) !== 0);
    expect(freed.reduce((sum, each) => sum + each)).toBe(40);
    expect(Math.max(...freed)).toBe(15);
    const left = await admin.query("SELECT count(*)::int AS n FROM wide");
    expect(left.rows).toEqual([{ n: 3960 }]);
  });
});
