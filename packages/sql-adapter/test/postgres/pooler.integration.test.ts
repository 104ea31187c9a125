// Through a real PgBouncer, which lends connections by session or by transaction: what the store
// promises holds either way, prepared statements are given up where they are lost, who waits looks
// again where no notification is heard, and preflight tells which it is.
import { createDedup, createTransactionalDedup } from "@onceproof/core";
import {
  type ConformanceFixture,
  type Need,
  storeConformance,
} from "@onceproof/simulator/conformance";
import {
  createPostgresStore,
  createTables,
  migrate,
  type PostgresClient,
  type PostgresStore,
  preflight,
  type TransactionHandle,
} from "@onceproof/sql-adapter";
import {
  missing,
  newOpId,
  type PostgresServer,
  startPgbouncer,
  startPostgres,
  startTcpProxy,
} from "@onceproof/test-servers";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseNext, openPool } from "../support/pg-pools.js";

const OTHER = "onceproof other";
// No test here is about its end.
const PATIENT = { operationTimeoutMs: 10_000 } as const;
const HAS = new Set<Need>([
  ...(["peer", "otherNamespace", "otherNamespaceTail", "loseReply", "loseRequest"] as const),
  ...(["writeAll", "transaction"] as const),
]);

describe.skipIf(missing("pgbouncer"))("through a real PgBouncer", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const poolers = new Map<string, PostgresServer>();
  const through = (pool: string): PostgresServer => poolers.get(pool) as PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: "150" } });
    admin = openPool(server);
    await migrate(admin);
    await migrate(admin, { table: OTHER });
    const settings = { default_pool_size: "20" };
    poolers.set("session", await startPgbouncer(server, { pool: "session", settings }));
    // Fewer than the clients that ask at once, so that each meets several of them.
    const few = { default_pool_size: "3" };
    poolers.set(
      "transaction",
      await startPgbouncer(server, { pool: "transaction", settings: few }),
    );
    await admin.query("CREATE TABLE effects (k text); CREATE TABLE rows (id text PRIMARY KEY)");
  });
  afterAll(async () => {
    await admin.end();
    for (const pooler of poolers.values()) await pooler.stop();
    await server.stop();
  });

  interface Opened {
    readonly store: PostgresStore;
    readonly client: PostgresClient;
    /** Statements of the user's own in a transaction. */
    insert(tx: unknown, key: string): Promise<unknown>;
    end(): Promise<unknown>;
  }
  const INSERT = "INSERT INTO effects VALUES ($1)";
  const drivers = [
    {
      name: "pg",
      open(pooler: PostgresServer, max = 4, notify = false): Opened {
        const client = openPool(pooler, { max });
        const store = createPostgresStore({ ...PATIENT, client, notify: notify as true });
        return {
          ...{ client, store: store as PostgresStore },
          insert: (tx, key) => (tx as pg.PoolClient).query(INSERT, [key]),
          async end() {
            await store.close();
            await client.end();
          },
        };
      },
    },
    {
      name: "postgres.js",
      open(pooler: PostgresServer, max = 4, notify = false): Opened {
        const client = postgres({ ...pooler.connection, max, onnotice: () => {} });
        const store = createPostgresStore({ ...PATIENT, client, notify: notify as true });
        return {
          ...{ client, store: store as unknown as PostgresStore },
          insert: (tx, key) => (tx as postgres.TransactionSql).unsafe(INSERT, [key]),
          async end() {
            await store.close();
            await client.end({ timeout: 1 });
          },
        };
      },
    },
  ] as const;

  // What keys and values are made of is no matter of the connection.
  const CLAUSES = /^(S1|S4|S5|S6|S11|multiKey|transactional)\./;

  describe("by transaction, what the contract says of races, lost answers and transactions", () => {
    const cases = storeConformance({ create: fixture }).filter(
      ({ id, needs }) => CLAUSES.test(id) && needs.every((need) => HAS.has(need)),
    );
    test.each(cases)("$title", ({ run }) => run());
  });

  async function fixture(): Promise<ConformanceFixture> {
    for (const table of ["onceproof", OTHER]) await admin.query(`DELETE FROM "${table}"`);
    const proxy = await startTcpProxy(through("transaction").port);
    const own = openPool(server, { port: proxy.port, max: 8 });
    const pooled = openPool(through("transaction"));
    // A statement that got lost would be sent again, which is not the answer that is lost here.
    const options = { ...PATIENT, prepare: false };
    return {
      store: createPostgresStore({ ...options, client: own }),
      peer: createPostgresStore({ ...options, client: pooled }),
      otherNamespace: createPostgresStore({ ...options, client: pooled, table: OTHER }),
      otherNamespaceTail: " other",
      loseReply: () => loseNext(proxy, "loseReply"),
      loseRequest: () => loseNext(proxy, "loseRequest"),
      async close() {
        await own.end();
        await pooled.end();
        await proxy.close();
      },
    };
  }

  async function inTransaction(
    client: PostgresClient,
    work: (tx: TransactionHandle) => Promise<unknown>,
  ): Promise<void> {
    if ("begin" in client) {
      await (client as postgres.Sql).begin(async (tx) => void (await work(tx)));
      return;
    }
    const tx = await (client as pg.Pool).connect();
    try {
      await tx.query("BEGIN");
      await work(tx);
      await tx.query("COMMIT");
    } catch (error) {
      await tx.query("ROLLBACK");
      throw error;
    } finally {
      tx.release();
    }
  }

  describe.each(["session", "transaction"] as const)("by %s", (pool) => {
    describe.each(drivers)("with $name", ({ name, open }) => {
      const label = `${pool} ${name}`;

      test("duplicates at once take effect once, in one transaction with their record", async () => {
        const opened = [open(through(pool)), open(through(pool))];
        const keys = Array.from({ length: 4 }, (_, n) => `${label} ${n}`);
        const results = await Promise.all(
          keys.flatMap((key) =>
            opened.flatMap(({ store, insert }) => {
              const payments = createTransactionalDedup({ store, name: "p", onCrash: "park" });
              return Array.from({ length: 3 }, () =>
                payments.runInTransaction(key, async (tx) => {
                  await insert(tx, key);
                  return key;
                }),
              );
            }),
          ),
        );
        expect(results).toEqual(keys.flatMap((key) => Array(6).fill(key)));
        const { rows } = await admin.query("SELECT k FROM effects WHERE k = ANY($1) ORDER BY k", [
          keys,
        ]);
        expect(rows).toEqual(keys.map((k) => ({ k })));
        const idle = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state LIKE 'idle in%'";
        expect((await admin.query(idle)).rows).toEqual([{ n: 0 }]);
        for (const { end } of opened) await end();
      });

      test("statements are prepared, and given up where the pooler loses them", async () => {
        const opened = [open(through(pool)), open(through(pool))];
        // Ordinary dedups of many keys at once: every statement, on whatever server connection.
        const answers = await Promise.all(
          opened.flatMap(({ store }) => {
            const dedup = createDedup({ store, name: "d", onCrash: "park" });
            return Array.from({ length: 24 }, (_, n) =>
              dedup.run(`${label} ${n % 12}`, async () => n % 12),
            );
          }),
        );
        expect(answers.map(Number)).toEqual(answers.map((_, at) => at % 12));
        for (const { end } of opened) await end();
      });

      test("the helpers for own tables go on inside transactions, after one that lost a statement", async () => {
        const opened = [open(through(pool)), open(through(pool))];
        const all = opened.map(({ client }) => ({ client, tables: createTables({ client }) }));
        const id = (at: number, n: number): string => `${label} ${at} ${n}`;
        const insert = async (at: number, n: number): Promise<void> => {
          const { client, tables } = all[at] as (typeof all)[number];
          await inTransaction(client, (tx) =>
            tables.within(tx).insertOnce("rows", { id: id(at, n) }, { uniqueBy: ["id"] }),
          );
        };
        for (let n = 0; n < 12; n += 1) {
          const told = await Promise.allSettled(
            [0, 0, 0, 1, 1, 1].map((at, k) => insert(at, n * 6 + k)),
          );
          const failed = told.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
          if (n > 1) expect(failed).toEqual([]);
        }
        for (const { end } of opened) await end();
      });

      test("who waits gets the first one's answer, though no notification may be heard", async () => {
        const first = open(through(pool), 4, true);
        const second = open(through(pool), 4, true);
        const dedupOn = ({ store }: Opened) =>
          createDedup({ store, name: "w", onCrash: "park", waitMs: 25_000 });
        let finish = (): void => {};
        let enter = (): void => {};
        const entered = new Promise<void>((resolve) => {
          enter = resolve;
        });
        const running = dedupOn(first).run(label, async () => {
          enter();
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return "first";
        });
        await entered;
        const looks = countReads(second.store);
        const waiting = dedupOn({ ...second, store: looks.store }).run(label, async () => "second");
        // It has looked, found it running, and looked again: it waits.
        await expect.poll(looks.count, { timeout: 20_000 }).toBeGreaterThan(1);
        finish();
        expect(await running).toBe("first");
        expect(await waiting).toBe("first");
        await first.end();
        await second.end();
      });

      test("preflight tells how the pooler lends", async () => {
        const pair = open(through(pool), 2);
        const told = async (client: PostgresClient, notify: boolean) => {
          const { findings } = await preflight(client, { notify, durability: "durable" });
          return findings.filter(({ id }) => id.startsWith("pooler"));
        };
        const [id, severity] =
          pool === "session"
            ? ["poolerBySession", "info"]
            : (["poolerByTransaction", "fatal"] as const);
        expect(await told(pair.client, true)).toMatchObject([{ id, severity }]);
        expect(await told(pair.client, false)).toMatchObject([{ id, severity: "info" }]);
        await pair.end();
        const direct = open(server, 2);
        expect(await told(direct.client, true)).toEqual([]);
        await direct.end();
      });
    });
  });

  test("by session a watcher is woken, as on a direct connection", async () => {
    const own = open(through("session"));
    const peer = openPool(through("session"), { max: 1 });
    const store = createPostgresStore({ client: own, notify: true });
    const writer = createPostgresStore({ client: peer, notify: true });
    const woken = store.watch("woken", new AbortController().signal);
    const listening = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    await expect
      .poll(async () => (await admin.query(listening)).rows[0]?.n, { timeout: 20_000 })
      .toBeGreaterThan(0);
    const next = { value: "1", ttlMs: "never" } as const;
    await writer.write({ key: "woken", opId: newOpId(), expect: "absent", next });
    await woken;
    await store.close();
    await own.end();
    await peer.end();

    function open(pooler: PostgresServer): pg.Pool {
      return openPool(pooler, { max: 2 });
    }
  });

  test("preflight cannot tell how a pooler lends from one connection, and says so", async () => {
    const client = new pg.Client(through("transaction").connection);
    await client.connect();
    const { findings } = await preflight(client, { notify: true });
    const unclear = { id: "poolerUnclear", severity: "warning" };
    expect(findings).toContainEqual(expect.objectContaining(unclear));
    await client.end();
  });

  test("preflight tells of a pooler that hands connections out in turn", async () => {
    const settings = { default_pool_size: "3", server_round_robin: "1" };
    const pooler = await startPgbouncer(server, { pool: "transaction", settings });
    const pool = openPool(pooler, { max: 2 });
    await Promise.all([pool.query("SELECT pg_sleep(0.1)"), pool.query("SELECT pg_sleep(0.1)")]);
    const { findings } = await preflight(pool);
    expect(findings.map(({ id }) => id)).toContain("poolerByTransaction");
    await pool.end();
    await pooler.stop();
  });
});

/** The store, counting what is read of it. */
function countReads(store: PostgresStore): { readonly store: PostgresStore; count(): number } {
  let reads = 0;
  return {
    store: {
      ...store,
      async read(key) {
        reads += 1;
        return store.read(key);
      },
    },
    count: () => reads,
  };
}
