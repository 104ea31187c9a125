// A real Postgres behind a network that loses messages, killed, stopped, locked and contended: what
// the store says of a write must be true whatever happens.
import { setTimeout as sleep } from "node:timers/promises";
import type { Applied, AtomicStore, Stamp, Write, WriteResult } from "@onceproof/core/advanced";
import {
  createPostgresStore,
  migrate,
  type PostgresStore,
  type PostgresStoreOptions,
} from "@onceproof/sql-adapter";
import {
  appendFromAll,
  drivenClock,
  judgeAppends,
  missing,
  newOpId,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
  type Verdict,
} from "@onceproof/test-servers";
import type pg from "pg";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPool, type PoolOptions } from "../support/pg-pools.js";

/** For calls that are to be given up. */
const TIMEOUT_MS = 600;
/** For calls that are to be answered, however busy the machine is. */
const PATIENT = { operationTimeoutMs: 20_000 } as const;
const ignore = (): void => {};

describe.skipIf(missing("postgres"))("on a real Postgres that fails", () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let admin: pg.Pool;
  const opened: pg.Pool[] = [];

  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: "150" } });
    proxy = await startTcpProxy(server.port);
    admin = openPool(server);
    await migrate(admin);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pool) => pool.end()));
  });
  afterAll(async () => {
    await admin.end();
    await proxy.close();
    await server.stop();
  });

  function open(pool: PoolOptions = {}, options: Partial<PostgresStoreOptions> = {}): AtomicStore {
    const client = openPool(server, { max: 1, ...pool });
    opened.push(client);
    return createPostgresStore({ client, operationTimeoutMs: TIMEOUT_MS, ...options });
  }

  function openMany(
    count: number,
    pool: PoolOptions = {},
    options: Partial<PostgresStoreOptions> = {},
  ): AtomicStore[] {
    return Array.from({ length: count }, () => open(pool, options));
  }

  const create = (key: string, ttlMs: number | "never" = "never", opId = newOpId()) =>
    ({ key, opId, expect: "absent", next: { value: opId, ttlMs } }) as const;

  async function seed(store: AtomicStore, key: string, ttlMs?: number): Promise<Stamp & Applied> {
    const write = create(key, ttlMs);
    const result = await store.write(write);
    if (result.outcome !== "applied") throw new Error(`the seed was ${result.outcome}`);
    return { ...result, opId: write.opId };
  }

  const set = (key: string, { revision, opId }: Stamp) =>
    ({
      key,
      opId: newOpId(),
      expect: { revision, opId },
      next: { value: "set", ttlMs: 60_000 },
    }) as const;

  describe.each(["read committed", "repeatable read", "serializable"])(
    "with sessions that are %s",
    (isolation) => {
      const settings = { default_transaction_isolation: isolation };

      test("of 64 clients that create or replace at once exactly one wins", async () => {
        const stores = openMany(64, { settings }, PATIENT);
        for (let round = 0; round < 3; round += 1) {
          const key = `race ${isolation} ${round}`;
          const creates = await Promise.all(stores.map((store) => store.write(create(key))));
          expect(creates.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
          expect(creates.filter(({ outcome }) => outcome === "unknown")).toEqual([]);
          const { entry } = await (stores[0] as AtomicStore).read(key);
          const stamp = entry?.stamp ?? { revision: 0, opId: "" };
          const sets = await Promise.all(stores.map((store) => store.write(set(key, stamp))));
          expect(sets.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
          expect(sets.filter(({ outcome }) => outcome === "unknown")).toEqual([]);
        }
      });
    },
  );

  test("every answer is true while requests and replies are lost", async () => {
    const key = "lossy";
    const stores = openMany(12, { port: proxy.port });
    const verdicts: Verdict[] = ["loseReply", "loseRequest", "swallowReply"];
    let request = 0;
    const lift = proxy.addRule((chunk) => {
      if (!chunk.includes("onceproof_")) return undefined;
      request += 1;
      return request % 7 === 0 ? verdicts[(request / 7) % 3] : "pass";
    });
    const log = await appendFromAll(stores, { key, each: 8 }).finally(lift);
    expect(log.applied.size).toBeGreaterThan(0);
    expect(await judgeAppends(open({}, PATIENT), key, log)).toEqual([]);
  });

  test("a reply that never comes is unknown in time, and the same opId finds out", async () => {
    const clock = drivenClock();
    const store = open({ port: proxy.port }, { runtime: clock.runtime });
    const other = open({}, PATIENT);
    await store.read("swallowed");
    proxy.once("swallowReply", "onceproof_");
    const write = create("swallowed");
    const sent = store.write(write);
    await expect.poll(async () => (await other.read(write.key)).entry).toBeDefined();
    clock.pass(TIMEOUT_MS);
    expect(await sent).toMatchObject({ outcome: "unknown" });
    // The pool has thrown the connection away, so its only place is free again.
    expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
  });

  test("a killed server loses nothing that was applied, and revisions go on", async () => {
    const key = "killed";
    const running = appendFromAll(openMany(8), { key, each: 10 });
    for (let kill = 0; kill < 2; kill += 1) {
      await sleep(150);
      server.kill("SIGKILL");
      await server.restart();
    }
    const log = await running;
    expect(log.applied.size).toBeGreaterThan(0);
    expect(await judgeAppends(open({}, PATIENT), key, log)).toEqual([]);
  });

  test("every call settles while the server is stopped", async () => {
    const stores = openMany(4);
    const reached = () => Promise.all(stores.map((store) => store.read("stopped")));
    await expect.poll(reached).toHaveLength(4);
    const backends = await admin.query("SELECT pid FROM pg_stat_activity WHERE pid IS NOT NULL");
    const pids = (backends.rows as { pid: number }[]).map(({ pid }) => pid);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    const settled = await Promise.allSettled(
      stores.map(
        (store, id): Promise<unknown> =>
          id % 2 === 0 ? store.write(create("s")) : store.read("s"),
      ),
    );
    for (const pid of pids) process.kill(pid, "SIGCONT");
    for (const result of settled) {
      expect(result).toMatchObject(
        result.status === "rejected"
          ? { reason: { code: "unavailable" } }
          : { value: { outcome: "unknown" } },
      );
    }
    await expect.poll(() => stores[0]?.read("stopped")).toHaveProperty("now");
  });

  test("a write that waits for a lock gives up by itself, and does not linger", async () => {
    // The server ends the wait before its client would: so nothing is done, and that is known.
    const store = open({}, { operationTimeoutMs: 2_000 });
    const stamp = await seed(store, "locked");
    const holder = await admin.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM onceproof WHERE k = $1 FOR UPDATE", [Buffer.from("locked")]);
    await expect(store.write(set("locked", stamp))).rejects.toMatchObject({ code: "unavailable" });
    await holder.query("COMMIT");
    holder.release();
    await sleep(100);
    expect((await store.read("locked")).entry?.stamp.revision).toBe(stamp.revision);
  });

  test("an entry that expired while a write waited for its lock is not renewed", async () => {
    const store = open({}, PATIENT);
    const stamp = await seed(store, "outlived", 200);
    const holder = await admin.connect();
    await holder.query("BEGIN");
    await holder.query("UPDATE onceproof SET at = 0 WHERE k = $1", [Buffer.from("outlived")]);
    const waiting = store.write(set("outlived", stamp));
    await sleep(300);
    await holder.query("ROLLBACK");
    holder.release();
    expect(await waiting).toMatchObject({ outcome: "refused", revision: stamp.revision });
    expect(await waiting).not.toHaveProperty("entry");
  });

  describe("a create that meets a live entry is refused", () => {
    /** With a transaction of somebody else's, which is rolled back. */
    async function beside(begin: string, work: (tx: pg.PoolClient) => Promise<void>) {
      const tx = await admin.connect();
      try {
        await tx.query(begin);
        await work(tx);
      } finally {
        await tx.query("ROLLBACK");
        tx.release();
      }
    }

    function openBinding(): PostgresStore {
      const client = openPool(server, { max: 1 });
      opened.push(client);
      return createPostgresStore({ client, operationTimeoutMs: 2_000 });
    }

    test("at once, though somebody is changing the entry and holds its lock", async () => {
      const store = openBinding();
      const stamp = await seed(store, "being changed");
      await beside("BEGIN", async (tx) => {
        await store.bind(tx).write(set("being changed", stamp));
        const refused = await store.write(create("being changed"));
        expect(refused).toMatchObject({ outcome: "refused", revision: stamp.revision });
      });
    });

    test("by a transaction's own snapshot, though the entry was renewed since", async () => {
      const store = openBinding();
      const stamp = await seed(store, "renewed since");
      await beside("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", async (tx) => {
        const renewed = await store.write(set("renewed since", stamp));
        expect(renewed).toMatchObject({ outcome: "applied" });
        const refused = await store.bind(tx).write(create("renewed since"));
        expect(refused).toMatchObject({ outcome: "refused", revision: stamp.revision });
      });
    });
  });

  // What a racer committed after the snapshot is seen only under the row's lock, and judged there.
  describe("a create that waits for a racer's insert", () => {
    async function race(write: Write, columns: string, opId = newOpId()): Promise<WriteResult> {
      const store = open({}, { operationTimeoutMs: 5000 });
      const racer = await admin.connect();
      await racer.query("BEGIN");
      const insert = `INSERT INTO onceproof (k, op, v, rev, at, exp) VALUES ($1, $2, ${columns})`;
      await racer.query(insert, [Buffer.from(write.key), opId]);
      const waiting = store.write(write);
      await sleep(150);
      await racer.query("COMMIT");
      racer.release();
      return waiting;
    }

    /** Lately: what is older than a tombstone's life is forgotten. */
    const AT = Date.now() * 1000;

    test("does not apply again what the racer, its own first send, had applied", async () => {
      const write = create("racer itself", 1000);
      const result = await race(write, `'v', ${AT}, ${AT}, ${AT + 1}`, write.opId);
      expect(result).toMatchObject({ outcome: "applied", revision: AT, replayed: true });
    });

    test("is refused by a revision beyond absentSince", async () => {
      const write = { ...create("racer's tombstone"), expect: { absentSince: AT - 1 } } as const;
      const result = await race(write, `NULL, ${AT}, ${AT}, NULL`);
      expect(result).toMatchObject({ outcome: "refused", revision: AT });
      expect(result).not.toHaveProperty("entry");
    });

    test("is refused by a live entry, and told of it", async () => {
      const result = await race(create("racer's entry"), "'v', 5, 5, NULL");
      expect(result).toMatchObject({ outcome: "refused", entry: { value: "v" } });
    });

    test("applies over one that has expired", async () => {
      const result = await race(create("racer's past"), `'v', ${AT}, ${AT}, ${AT + 1}`);
      expect(result).toMatchObject({ outcome: "applied", replayed: false });
    });
  });

  test("several writes that wait for their own first send are not applied again", async () => {
    const client = openPool(server, { max: 1 });
    opened.push(client);
    const store = createPostgresStore({ client, ...PATIENT });
    const writes = [create("all: first send", 1000)];
    const opId = newOpId();
    const first = await store.writeAll({ opId: newOpId(), writes });
    const [revision] = first.outcome === "applied" ? first.revisions : [];
    const holder = await admin.connect();
    await holder.query("BEGIN");
    const key = Buffer.from("all: first send");
    await holder.query("UPDATE onceproof SET v = NULL, exp = NULL WHERE k = $1", [key]);
    await holder.query("COMMIT");
    await holder.query("BEGIN");
    // The first send: applied, and over already.
    const applied =
      "UPDATE onceproof SET v = 'v', exp = at + 1, rev = rev + 1, op = $2 WHERE k = $1";
    await holder.query(applied, [key, opId]);
    const again = store.writeAll({ opId, writes });
    const waits = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted";
    await expect.poll(async () => (await admin.query(waits)).rows[0]?.n).toBeGreaterThan(0);
    await holder.query("COMMIT");
    holder.release();
    const revisions = [Number(revision) + 1];
    expect(await again).toMatchObject({ outcome: "applied", replayed: true, revisions });
  });

  test("a write to a server that is not there certainly did nothing", async () => {
    const gone = await startTcpProxy(server.port);
    const pool = openPool(server, { port: gone.port, max: 1 });
    opened.push(pool);
    const store = createPostgresStore({ client: pool, ...PATIENT });
    await store.read("refused");
    await gone.close();
    await expect.poll(() => pool.totalCount).toBe(0);
    await expect(store.write(create("refused"))).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.read("refused")).rejects.toMatchObject({ code: "unavailable" });
    expect((await open({}, PATIENT).read("refused")).entry).toBeUndefined();
  });

  test("a write that got no connection in time is never sent", async () => {
    const pool = openPool(server, { max: 1 });
    opened.push(pool);
    const store = createPostgresStore({ client: pool, operationTimeoutMs: 2_000 });
    const busy = await pool.connect();
    await expect(store.write(create("queued"))).rejects.toMatchObject({ code: "unavailable" });
    busy.release();
    await sleep(100);
    expect((await store.read("queued")).entry).toBeUndefined();
    expect(pool.idleCount).toBe(1);
  });

  // A connection that was opened for what had been given up meanwhile has to be of use to others.
  test("a client of postgres.js serves again after calls were given up while it connected", async () => {
    const settings = { max: 1, fetch_types: false, onnotice: () => {} };
    const sql = postgres({ ...server.connection, port: proxy.port, ...settings });
    const patient = createPostgresStore({ client: sql, ...PATIENT });
    const store = createPostgresStore({ client: sql, operationTimeoutMs: TIMEOUT_MS });
    await patient.read("first");
    proxy.cut();
    const lift = proxy.hold();
    const keys = Array.from({ length: 3 }, newOpId);
    const given = await Promise.all(keys.map((key) => store.write(create(key))));
    expect(given.map(({ outcome }) => outcome)).toEqual(keys.map(() => "unknown"));
    lift();
    const seen = await Promise.all(keys.map((key) => patient.read(key)));
    expect(seen.map(({ entry }) => entry)).toEqual(keys.map(() => undefined));
    await sql.end();
  });

  // postgres.js gives the answer of a query that was canceled behind another to the one behind it.
  test("what is sent through postgres.js behind a call that was given up gets its own answer", async () => {
    const sql = postgres({ ...server.connection, max: 1, onnotice: () => {} });
    const patient = createPostgresStore({ client: sql, ...PATIENT });
    const store = createPostgresStore({ client: sql, operationTimeoutMs: TIMEOUT_MS });
    const held = create(newOpId());
    await patient.write(held);
    // From here on statements are prepared, and so sent without waiting for the answer before.
    await patient.read(held.key);
    await patient.write(create(newOpId()));
    const holder = await admin.connect();
    await holder.query("SELECT pg_advisory_lock(1)");
    const own = sql.unsafe("SELECT pg_advisory_xact_lock(1)", []).execute();
    const given = store.write(create(newOpId()));
    const [fresh, late] = [create(newOpId()), { ...held, opId: newOpId() }];
    const behind = [patient.write(fresh), patient.write(late), patient.read(fresh.key)];
    expect(await given).toMatchObject({ outcome: "unknown" });
    await holder.query("SELECT pg_advisory_unlock(1)");
    holder.release();
    expect(await Promise.all(behind)).toMatchObject([
      { outcome: "applied" },
      { outcome: "refused", entry: { stamp: { opId: held.opId } } },
      { entry: { stamp: { opId: fresh.opId } } },
    ]);
    await own;
    await sql.end();
  });

  // postgres.js counts a query that it finds unfit while another is under way among those it sent.
  test("an answer that postgres.js gives to the wrong query is none", async () => {
    const sql = postgres({ ...server.connection, max: 1, onnotice: () => {} });
    const store = createPostgresStore({ client: sql, operationTimeoutMs: TIMEOUT_MS });
    const held = create(newOpId());
    await store.write(held);
    await store.read(held.key);
    await store.write(create(newOpId()));
    await store.writeAll({ opId: newOpId(), writes: [create(newOpId())] });
    const slow = sql.unsafe("SELECT pg_sleep(0.2)", []).then(ignore, ignore);
    await new Promise((resolve) => setImmediate(resolve));
    const unfit = sql`SELECT ${undefined as never}::text`.then(ignore, ignore);
    const behind = [
      store.write(create(newOpId())),
      store.write({ ...held, opId: newOpId() }),
      ...[newOpId(), newOpId()].map((opId) => store.writeAll({ opId, writes: [create(opId)] })),
    ];
    await Promise.all([slow, unfit]);
    const told = await Promise.all(behind);
    expect(told.map(({ outcome }) => outcome)).toEqual(Array(4).fill("unknown"));
    const read = store.read(held.key);
    await expect(read).rejects.toMatchObject({ code: "unavailable" });
    await sql.end({ timeout: 0 });
  });

  test("statements that a pooler lost are sent again", async () => {
    const pool = openPool(server, { max: 1 });
    opened.push(pool);
    const store = createPostgresStore({ client: pool });
    await seed(store, "prepared");
    await pool.query("DEALLOCATE ALL");
    expect(await store.write(create("prepared"))).toMatchObject({ outcome: "refused" });
    await pool.query("DEALLOCATE ALL");
    expect(await store.read("prepared")).toHaveProperty("entry");
  });

  test("a table that is not there is a certain failure that names it", async () => {
    const store = open({}, { ...PATIENT, table: "nowhere" });
    const failure = { code: "unavailable", message: expect.stringContaining("nowhere") };
    await expect(store.write(create("k"))).rejects.toMatchObject(failure);
    await expect(store.read("k")).rejects.toMatchObject(failure);
  });
});
