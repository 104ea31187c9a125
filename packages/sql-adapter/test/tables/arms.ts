// Every dialect with every driver as places where the same tests of the user's own tables run: the
// tables, the user's own transactions, what counts statements and what loses messages.
import { PGlite } from "@electric-sql/pglite";
import { createTables, type Row } from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  type PostgresServer,
  startMariadb,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@onceproof/test-servers";
import * as mariadb from "mariadb";
import mysql from "mysql2/promise";
import type pg from "pg";
import postgres from "postgres";
import { loseNext as loseNextMysql } from "../support/mysql-pools.js";
import { loseNext as loseNextPg, openPool } from "../support/pg-pools.js";
import { driver, onlySqlite, openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";
import {
  type Arm,
  listenIn,
  taking,
  type UserTransaction,
  userTransaction,
  withSchema,
} from "./arm.js";

const POOL = 16;
const TIMEOUT = { operationTimeoutMs: 8000 } as const;

let postgresServer: Promise<PostgresServer> | undefined;
let mariadbServer: Promise<MariadbServer> | undefined;
let proxies: TcpProxy[] = [];

async function proxyOf(server: PostgresServer | MariadbServer): Promise<TcpProxy> {
  const proxy = await startTcpProxy(server.port);
  proxies.push(proxy);
  return proxy;
}

/** Ends the servers that the arms share. */
export async function stopServers(): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  proxies = [];
  await (await postgresServer)?.stop();
  await (await mariadbServer)?.stop();
}

const pgPool: Arm = {
  name: "Postgres with pg",
  server: "postgres",
  async start() {
    postgresServer ??= startPostgres();
    const server = await postgresServer;
    const texts: string[] = [];
    const pool = openPool(server, { max: POOL });
    const closers: (() => Promise<unknown>)[] = [() => pool.end()];
    pool.on("connect", (client) => listenIn(client, "query", texts, ({ text }) => text));
    const run = async (text: string): Promise<Row[]> => (await pool.query({ text })).rows;
    return withSchema({
      dialect: "postgres",
      tables: createTables({ client: pool, ...TIMEOUT }),
      run,
      transaction: (work) =>
        userTransaction(
          async () => {
            const tx = await pool.connect();
            await tx.query({ text: "BEGIN" });
            return { tx, run: async (text) => (await tx.query({ text })).rows };
          },
          ({ tx }) => (tx as pg.PoolClient).release(),
          work,
        ),
      sent: taking(texts),
      pg: { query: (statement) => pool.query(statement) },
      separate: true,
      async outside(work) {
        const tx = await pool.connect();
        return work(tx).finally(() => tx.release());
      },
      async lossy() {
        const proxy = await proxyOf(server);
        const client = openPool(server, { port: proxy.port, max: 2 });
        closers.push(() => client.end());
        const tables = createTables({ client, operationTimeoutMs: 1000 });
        return { tables, lose: (verdict) => loseNextPg(proxy, verdict) };
      },
      stop: () => Promise.all(closers.map((close) => close())),
    });
  },
};

const postgresJs: Arm = {
  name: "Postgres with postgres.js",
  server: "postgres",
  async start() {
    postgresServer ??= startPostgres();
    const { connection } = await postgresServer;
    const client = postgres({ ...connection, max: POOL, fetch_types: false, onnotice: () => {} });
    const run = async (text: string): Promise<Row[]> => [...(await client.unsafe(text))];
    return withSchema({
      dialect: "postgres",
      tables: createTables({ client, ...TIMEOUT }),
      run,
      transaction: <T>(work: (user: UserTransaction) => Promise<T>) =>
        client.begin((tx) =>
          work({ tx, run: async (text) => [...(await tx.unsafe(text))] }),
        ) as Promise<T>,
      separate: true,
      stop: () => client.end({ timeout: 1 }),
    });
  },
};

const pglite: Arm = {
  name: "PGlite",
  async start() {
    const client = await PGlite.create();
    const run = async (text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
    return withSchema({
      dialect: "postgres",
      tables: createTables({ client, ...TIMEOUT }),
      run,
      transaction: <T>(work: (user: UserTransaction) => Promise<T>) =>
        client.transaction((tx) =>
          work({ tx: tx as never, run: async (text) => (await tx.query<Row>(text)).rows }),
        ),
      separate: false,
      stop: () => client.close(),
    });
  },
};

const mysql2: Arm = {
  name: "MariaDB with mysql2",
  server: "mariadb",
  async start() {
    mariadbServer ??= startMariadb();
    const server = await mariadbServer;
    const texts: string[] = [];
    const pool = mysql.createPool({ ...server.connection, connectionLimit: POOL });
    const closers: (() => Promise<unknown>)[] = [() => pool.end()];
    pool.on("connection", (connection: object) => {
      for (const method of ["query", "execute"]) {
        // The limits that stand before each statement are no statement of their own.
        const text = (sent: string | { readonly sql?: string }) =>
          (typeof sent === "string" ? sent : `${sent.sql}`).replace(/^SET STATEMENT .*? FOR /, "");
        listenIn(connection, method, texts, text);
      }
    });
    const run = async (text: string): Promise<Row[]> => (await pool.query(text))[0] as Row[];
    return withSchema({
      dialect: "mysql",
      tables: createTables({ client: pool, ...TIMEOUT }),
      run,
      transaction: (work) =>
        userTransaction(
          async () => {
            const tx = await pool.getConnection();
            await tx.query("START TRANSACTION");
            return { tx, run: async (text) => (await tx.query(text))[0] as Row[] };
          },
          ({ tx }) => (tx as mysql.PoolConnection).release(),
          work,
        ),
      separate: true,
      async outside(work) {
        const tx = await pool.getConnection();
        return work(tx).finally(() => tx.release());
      },
      sent: taking(texts),
      async lossy() {
        const proxy = await proxyOf(server);
        const options = { ...server.connection, port: proxy.port, connectionLimit: 2 };
        const client = mysql.createPool(options);
        closers.push(() => client.end());
        const tables = createTables({ client, operationTimeoutMs: 1000 });
        return { tables, lose: (verdict) => loseNextMysql(proxy, verdict) };
      },
      stop: () => Promise.all(closers.map((close) => close())),
    });
  },
};

const mariadbDriver: Arm = {
  name: "MariaDB with mariadb",
  server: "mariadb",
  async start() {
    mariadbServer ??= startMariadb();
    const { connection } = await mariadbServer;
    const pool = mariadb.createPool({ ...connection, connectionLimit: POOL });
    const run = async (text: string): Promise<Row[]> => pool.query(text);
    return withSchema({
      dialect: "mysql",
      tables: createTables({ client: pool, ...TIMEOUT }),
      run,
      transaction: (work) =>
        userTransaction(
          async () => {
            const tx = await pool.getConnection();
            await tx.query("START TRANSACTION");
            return { tx, run: async (text) => tx.query(text) };
          },
          ({ tx }) => (tx as mariadb.PoolConnection).release(),
          work,
        ),
      separate: true,
      stop: () => pool.end(),
    });
  },
};

const sqlite: Arm = {
  name: `a SQLite file with ${driver}`,
  async start() {
    const { file, remove } = newFile();
    const texts: string[] = [];
    const database = openDatabase(file);
    const others = [database];
    const run = async (text: string): Promise<Row[]> => {
      if (/^SELECT/.test(text)) return database.prepare(text).all() as Row[];
      database.exec(text);
      return [];
    };
    const arm = await withSchema({
      dialect: "sqlite",
      tables: createTables({ client: database, ...TIMEOUT }),
      run,
      transaction: (work) =>
        userTransaction(
          async () => {
            const own = openDatabase(file);
            others.push(own);
            own.exec("BEGIN IMMEDIATE");
            const send = async (text: string): Promise<Row[]> => {
              if (/^SELECT/.test(text)) return own.prepare(text).all() as Row[];
              own.exec(text);
              return [];
            };
            return { tx: own, run: send };
          },
          () => {},
          work,
        ),
      separate: false,
      outside: async (work) => work(database),
      sent: taking(texts),
      async stop() {
        for (const each of others) each.close();
        remove();
      },
    });
    listenIn(database, "prepare", texts, (text) => text);
    return arm;
  },
};

const allArms: readonly Arm[] = [pgPool, postgresJs, pglite, mysql2, mariadbDriver, sqlite];

export const arms = onlySqlite ? [sqlite] : allArms;
