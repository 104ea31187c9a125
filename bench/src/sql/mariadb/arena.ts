// A private MariaDB, and who is compared on it.

import { createRequire } from "node:module";
import { createMysqlStore, migrate } from "@onceproof/sql-adapter";
import { startMariadb } from "@onceproof/test-servers";
import mysql, { type Pool, type PoolConnection, type RowDataPacket } from "mysql2/promise";
import { runBatch } from "../../compare/batch.js";
import type { Account, Contestant } from "../../compare/comparison.js";
import { LEASE_MS, RETENTION_MS } from "../../compare/users.js";
import { cpuUsOf } from "../cpu-of.js";
import { MARIADB_NAMES } from "../names.js";
import { type SqlArena, sqlArena } from "../sql-arena.js";
import type { BareStatements, SqlSubject } from "../subject.js";

const TABLE = "onceproof";
const AT_ONCE = 16;
const ACCOUNTED = 2_000;
const SETTINGS = ["innodb_flush_log_at_trx_commit", "log_bin", "innodb_buffer_pool_size"] as const;

const SCHEMA = [
  `CREATE TABLE bare_requests (k varchar(255) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  result text, expires_at datetime(6) NOT NULL)`,
  `CREATE TABLE bare_locks (k varchar(255) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  owner char(36) NOT NULL, expires_at datetime(6) NOT NULL)`,
  `CREATE TABLE payments (id bigint AUTO_INCREMENT PRIMARY KEY, k varchar(255) NOT NULL,
  cents int NOT NULL)`,
];
const BARE_TABLES = ["bare_requests", "bare_locks", "payments"];

const later = (ms: number): string => `UTC_TIMESTAMP(6) + INTERVAL ${ms * 1000} MICROSECOND`;

/** Prepared, as ours are. */
function statementsOn(client: Pool | PoolConnection): BareStatements {
  const changed = async (text: string, ...values: string[]): Promise<number> => {
    const [result] = await client.execute(text, values);
    return (result as { affectedRows: number }).affectedRows;
  };
  return {
    claim: async (key) =>
      (await changed(
        `INSERT IGNORE INTO bare_requests (k, expires_at) VALUES (?, ${later(RETENTION_MS)})`,
        key,
      )) === 1,
    finish: (key, result) =>
      changed("UPDATE bare_requests SET result = ? WHERE k = ?", result, key),
    async find(key) {
      const text = "SELECT result FROM bare_requests WHERE k = ?";
      const [rows] = await client.execute<RowDataPacket[]>(text, [key]);
      return rows[0]?.result;
    },
    // One statement for a lock that is free; another for one that may have expired.
    take: async (key, owner) =>
      (await changed(
        `INSERT IGNORE INTO bare_locks (k, owner, expires_at) VALUES (?, ?, ${later(LEASE_MS)})`,
        key,
        owner,
      )) === 1 ||
      (await changed(
        `UPDATE bare_locks SET owner = ?, expires_at = ${later(LEASE_MS)}
WHERE k = ? AND expires_at <= UTC_TIMESTAMP(6)`,
        owner,
        key,
      )) === 1,
    drop: (key, owner) => changed("DELETE FROM bare_locks WHERE k = ? AND owner = ?", key, owner),
    pay: (key) => changed("INSERT INTO payments (k, cents) VALUES (?, 995)", key),
  };
}

function subjectOn(pool: Pool): SqlSubject<PoolConnection> {
  return {
    client: "mysql2 3",
    store: createMysqlStore({ client: pool, table: TABLE }),
    bare: statementsOn(pool),
    on: statementsOn,
    async transaction(work) {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const result = await work(connection);
        await connection.commit();
        return result;
      } catch (error) {
        await connection.rollback();
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}

/** The class under both forms of mysql2's connections. */
function connectionPrototype(): object {
  const { Connection } = createRequire(import.meta.url)("mysql2") as {
    readonly Connection: { readonly prototype: object };
  };
  let prototype = Connection.prototype;
  while (!Object.hasOwn(prototype, "execute")) {
    prototype = Object.getPrototypeOf(prototype) as object;
  }
  return prototype;
}

async function loggedBytes(pool: Pool): Promise<number> {
  const [rows] = await pool.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Innodb_lsn_current'");
  return Number(rows[0]?.Value);
}

async function costsOf(pool: Pool, contestant: Contestant): Promise<Account["costs"]> {
  const logged = await loggedBytes(pool);
  await runBatch(contestant.operate, ACCOUNTED, ACCOUNTED, AT_ONCE);
  return { "bytes of log": ((await loggedBytes(pool)) - logged) / ACCOUNTED };
}

async function settingOf(pool: Pool, connections: number): Promise<string> {
  const [rows] = await pool.query<RowDataPacket[]>(
    `SELECT version() AS version, ${SETTINGS.map((name) => `@@${name} AS ${name}`).join(", ")}`,
  );
  const settings = SETTINGS.map((name) => `${name} ${rows[0]?.[name]}`).join(", ");
  const version = String(rows[0]?.version).split("-")[0];
  return `MariaDB ${version} on 127.0.0.1 with its default settings (${settings}); all on the same pool of ${connections} connections`;
}

/** Starts a private MariaDB and connects everyone to it. */
export async function openMariadbArena(concurrency: readonly number[]): Promise<SqlArena> {
  const server = await startMariadb();
  const connections = Math.max(...concurrency);
  const pool = mysql.createPool({
    ...server.connection,
    connectionLimit: connections,
    maxIdle: connections,
    idleTimeout: 3_600_000,
  });
  const close = async (): Promise<void> => {
    await pool.end();
    await server.stop();
  };
  try {
    await migrate(pool, { table: TABLE });
    for (const text of SCHEMA) {
      await pool.query(text);
    }
    const clear = async (): Promise<void> => {
      for (const table of BARE_TABLES) {
        await pool.query(`TRUNCATE ${table}`);
      }
      // Not the gates, whose keys are no text: the store makes them once.
      await pool.query(`DELETE FROM ${TABLE} WHERE k < x'ff'`);
    };
    return sqlArena(subjectOn(pool), {
      names: MARIADB_NAMES,
      setting: await settingOf(pool, connections),
      async payments() {
        const [rows] = await pool.query<RowDataPacket[]>("SELECT count(*) AS n FROM payments");
        return Number(rows[0]?.n);
      },
      keepsRows: true,
      clear,
      serverCpuUs: async () => cpuUsOf(server.pid),
      senders: [{ of: connectionPrototype(), methods: ["query", "execute"] }],
      costs: (contestant) => costsOf(pool, contestant),
      [Symbol.asyncDispose]: close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}
