// A private Postgres, and who is compared on it.

import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import { type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { CannotMeasure, type Detail, type Ground } from "../../compare/comparison.js";
import { enqueueAgainContestant, enqueueContestant } from "../../compare/contestants.js";
import type { EnqueueUser } from "../../compare/users.js";
import { cpuUsOf } from "../cpu-of.js";
import { POSTGRES_NAMES } from "../names.js";
import { type SqlArena, sqlArena } from "../sql-arena.js";
import type { SqlSubject } from "../subject.js";
import { costsOf } from "./account.js";
import { ENQUEUE_SCHEMA, ENQUEUE_TABLES, openEnqueueUsers } from "./enqueue-users.js";
import { BYTES_PER_ROW } from "./filled-table.js";
import { measureGrowth } from "./growth.js";
import { openLockPeer, VERROU_TABLE } from "./lock-peer.js";
import { BARE_SCHEMA, BARE_TABLES, statementsOn } from "./statements.js";
import { measureSweep } from "./sweep.js";

const CLIENT = "pg 8";
const TABLE = "onceproof";
const SETTINGS = ["fsync", "synchronous_commit", "shared_buffers", "max_wal_size"] as const;

export interface PostgresArenaOptions {
  readonly concurrency: readonly number[];
  /** Of the large table; 0 leaves the growth out. */
  readonly rows: number;
}

/** Everyone who takes part. */
export interface PostgresArena extends SqlArena {
  readonly pool: pg.Pool;
  readonly enqueuers: readonly EnqueueUser[];
}

function checkRoom(rows: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
  if (rows * BYTES_PER_ROW > bavail * bsize) {
    throw new CannotMeasure(
      `${rows} rows need ${gigabytes(rows * BYTES_PER_ROW)} GB, and ${tmpdir()} has ${gigabytes(bavail * bsize)} GB left: ` +
        "give fewer --rows (0 leaves this part out), or name another folder by TMPDIR",
    );
  }
}

function subjectOn(pool: pg.Pool): SqlSubject<pg.PoolClient> {
  return {
    client: CLIENT,
    store: createPostgresStore({ client: pool, table: TABLE }),
    bare: statementsOn(pool),
    on: statementsOn,
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const result = await work(client);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

const ALL_TABLES = [TABLE, ...BARE_TABLES, ...ENQUEUE_TABLES, VERROU_TABLE] as const;

async function settingOf(pool: pg.Pool, connections: number): Promise<string> {
  const shown = SETTINGS.map((name) => `current_setting('${name}') AS ${name}`);
  const { rows } = await pool.query(
    `SELECT current_setting('server_version') AS version, ${shown.join(", ")}`,
  );
  const [row] = rows as [Record<string, string>];
  const version = row.version?.split(" ")[0];
  const settings = SETTINGS.map((name) => `${name} ${row[name]}`).join(", ");
  return `PostgreSQL ${version} on 127.0.0.1 with its default settings (${settings}); all on the same pool of ${connections} connections, verrou on one of its own`;
}

/** Starts a private Postgres and connects everyone to it. */
export async function openPostgresArena({
  concurrency,
  rows,
}: PostgresArenaOptions): Promise<PostgresArena> {
  checkRoom(rows);
  const server = await startPostgres();
  const connections = Math.max(...concurrency);
  // A connection that was closed while others had their turn would plan everything anew.
  const pool = new pg.Pool({ ...server.connection, max: connections, idleTimeoutMillis: 0 });
  pool.on("error", () => {});
  const closers: (() => Promise<unknown>)[] = [server.stop, () => pool.end()];
  const close = async (): Promise<void> => {
    for (const closer of [...closers].reverse()) {
      await closer();
    }
  };
  try {
    return await arenaOn(server, pool, connections, rows, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function arenaOn(
  server: PostgresServer,
  pool: pg.Pool,
  connections: number,
  rows: number,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<PostgresArena> {
  await migrate(pool, { table: TABLE });
  await pool.query(`${BARE_SCHEMA}; ${ENQUEUE_SCHEMA}`);
  const subject = subjectOn(pool);
  const enqueue = await openEnqueueUsers(pool, CLIENT, createPostgresStore({ client: pool }));
  closers.push(enqueue.close);
  const peer = await openLockPeer(server.connection, CLIENT, connections);
  closers.push(peer.close);
  const ground: Ground = {
    keepsRows: true,
    clear: () => pool.query(`TRUNCATE ${ALL_TABLES.join(", ")}`),
    serverCpuUs: async () => cpuUsOf(server.pid),
  };
  const enqueuers = enqueue.users;
  const growth: Detail = {
    name: POSTGRES_NAMES.growth,
    measure: (run) => measureGrowth(pool, ground, rows, run),
  };
  const arena = sqlArena(subject, {
    ...ground,
    names: POSTGRES_NAMES,
    goals: { firstRun: 0.75, replay: 0.8 },
    lockPeers: [peer.user],
    async payments() {
      const { rows: counted } = await pool.query("SELECT count(*)::int AS n FROM payments");
      return counted[0].n as number;
    },
    setting: await settingOf(pool, connections),
    senders: [{ of: pg.Client.prototype, methods: ["query"] }],
    costs: (contestant) => costsOf(pool, contestant),
    [Symbol.asyncDispose]: close,
  });
  return {
    ...arena,
    pool,
    enqueuers,
    comparisons: [
      ...arena.comparisons,
      { name: POSTGRES_NAMES.enqueue, contestants: enqueuers.map(enqueueContestant()) },
      { name: POSTGRES_NAMES.enqueueAgain, contestants: enqueuers.map(enqueueAgainContestant()) },
    ],
    details: [
      ...(rows === 0 ? [] : [growth]),
      { name: POSTGRES_NAMES.sweep, measure: (run) => measureSweep(pool, run) },
    ],
  };
}
