// Every dialect with every driver as places where the same tests of the user's own tables run: the
// tables, the user's own transactions, what counts statements and what loses messages.
import { PGlite } from "@electric-sql/pglite";
import {
  type ClientTables,
  createTables,
  type PgClient,
  type Row,
  requestLogSchema,
  type TransactionHandle,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  type PostgresServer,
  type ServerName,
  startMariadb,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
  type Verdict,
} from "@onceproof/test-servers";
import Database from "libsql";
import * as mariadb from "mariadb";
import mysql from "mysql2/promise";
import type pg from "pg";
import postgres from "postgres";
import { loseNext as loseNextMysql } from "../support/mysql-pools.js";
import { loseNext as loseNextPg, openPool } from "../support/pg-pools.js";
import { newFile } from "../support/sqlite-files.js";

/** A transaction of the user's: its handle, and how the user sends statements of their own. */
export interface UserTransaction {
  readonly tx: TransactionHandle;
  run(text: string): Promise<Row[]>;
}

export interface RunningArm {
  readonly dialect: "postgres" | "mysql" | "sqlite";
  readonly tables: ClientTables;
  run(text: string): Promise<Row[]>;
  /** Commits what `work` does, or rolls back what it throws from. */
  transaction<T>(work: (user: UserTransaction) => Promise<T>): Promise<T>;
  /** Whether transactions run beside each other; PGlite and this process' SQLite have one at a time. */
  readonly separate: boolean;
  /** A connection without a transaction, where there can be one. */
  outside?<T>(work: (tx: TransactionHandle) => Promise<T>): Promise<T>;
  /** The driver's pool as a client, for what stands between it and the helpers. */
  readonly pg?: PgClient;
  /** The texts of the statements that were sent since it was asked before; not by all drivers. */
  sent?(): string[];
  /** Tables behind a proxy, and what loses the next message that may apply something. */
  lossy?(): Promise<{ tables: ClientTables; lose(verdict: Verdict): void }>;
  stop(): Promise<unknown>;
}

export interface Arm {
  readonly name: string;
  readonly server?: ServerName;
  start(): Promise<RunningArm>;
}

const KEYS = `number varchar(20) NOT NULL, provider varchar(20) NOT NULL, payment varchar(20) NOT NULL,
  request varchar(40), balance bigint NOT NULL DEFAULT 0, note varchar(5), version bigint NOT NULL DEFAULT 0,
  fencing_token bigint, UNIQUE (number), UNIQUE (provider, payment), UNIQUE (request)`;
const STATES = "('new', 'paid', 'sent', 'lost')";

/** The user's tables: with a name and columns of their own, and states that are no plain text. */
export const TABLE = "shop orders";
export const LOG = "order log";

function schemaOf(dialect: RunningArm["dialect"]): string[] {
  const log = requestLogSchema(dialect, LOG);
  switch (dialect) {
    case "postgres":
      return [
        'DROP TABLE IF EXISTS "shop orders", "order log"',
        "DROP TYPE IF EXISTS state",
        `CREATE TYPE state AS ENUM ${STATES}`,
        `CREATE TABLE "shop orders" (id bigserial PRIMARY KEY, status state NOT NULL DEFAULT 'new', ${KEYS})`,
        log,
      ];
    case "mysql":
      return [
        "DROP TABLE IF EXISTS `shop orders`, `order log`",
        `CREATE TABLE \`shop orders\` (id bigint AUTO_INCREMENT PRIMARY KEY,
          status ENUM ${STATES} NOT NULL DEFAULT 'new', ${KEYS}) ENGINE = InnoDB`,
        log,
      ];
    case "sqlite":
      return [
        `CREATE TABLE "shop orders" (id INTEGER PRIMARY KEY, status TEXT NOT NULL DEFAULT 'new', ${KEYS})`,
        log,
      ];
  }
}

async function withSchema(arm: RunningArm): Promise<RunningArm> {
  for (const text of schemaOf(arm.dialect)) await arm.run(text);
  return arm;
}

/** Keeps the texts that pass through a method. */
function listenIn(
  target: object,
  method: string,
  texts: string[],
  text: (a: never) => string,
): void {
  const members = target as Record<string, (...args: unknown[]) => unknown>;
  const original = members[method] as (...args: unknown[]) => unknown;
  members[method] = function (this: unknown, ...args) {
    texts.push(text(args[0] as never));
    return original.apply(this, args);
  };
}

function taking(texts: string[]): () => string[] {
  return () => texts.splice(0);
}

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

async function userTransaction<T>(
  begin: () => Promise<UserTransaction>,
  end: (user: UserTransaction) => unknown,
  work: (user: UserTransaction) => Promise<T>,
): Promise<T> {
  const user = await begin();
  try {
    const result = await work(user);
    await user.run("COMMIT");
    return result;
  } catch (error) {
    await user.run("ROLLBACK");
    throw error;
  } finally {
    await end(user);
  }
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

const libsql: Arm = {
  name: "a SQLite file with libsql",
  async start() {
    const { file, remove } = newFile();
    const texts: string[] = [];
    const database = new Database(file);
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
            const own = new Database(file);
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

export const arms: readonly Arm[] = [pgPool, postgresJs, pglite, mysql2, mariadbDriver, libsql];
