// Every driver's transactions as places where the same tests run: a store on connections of its own,
// the user's own statements in its transactions, and what the database tells of what is left open.
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import type { MultiKeyStore, SweepableStore } from "@onceproof/core/advanced";
import {
  createMysqlStore,
  createPostgresStore,
  createSqliteStore,
  type MysqlClient,
  migrate,
  type PostgresClient,
  type SqlTransactions,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  type PostgresServer,
  startMariadb,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@onceproof/test-servers";
import type { Connection as MariadbConnection } from "mariadb";
import mysql, { type Connection as Mysql2Connection } from "mysql2/promise";
import pg from "pg";
import postgres, { type TransactionSql } from "postgres";
import { openMariadb, openMysql2, openMysql2Callbacks } from "./mysql-pools.js";
import { openPool } from "./pg-pools.js";
import { type Connection, driver, openDatabase } from "./sqlite-driver.js";
import { newFile } from "./sqlite-files.js";

/** InnoDB renews its table of transactions only once nobody has read it for so long. */
const INNODB_TRX_CACHE_MS = 100;

export type Row = Record<string, unknown>;

/** A statement of the user's own, with `?` for its values, on whatever the driver handed over. */
export type Statements = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A store whose handle is only ever given to `on`. */
export type AnyStore = MultiKeyStore & SweepableStore & SqlTransactions<unknown>;

export interface OpenOptions {
  readonly port?: number;
  readonly operationTimeoutMs?: number;
  /** The isolation level that its sessions have by default. */
  readonly isolation?: string;
  readonly max?: number;
}

export interface Opened {
  readonly store: AnyStore;
  end(): Promise<unknown>;
}

/** One driver of a database. */
export interface Driver {
  readonly name: string;
  /** Another form of a driver that is tried in full: what they share is not tried twice. */
  readonly variant?: true;
  open(place: Place, options?: OpenOptions): Promise<Opened>;
  /** Statements inside the transaction of this handle. */
  on(tx: unknown): Statements;
}

/** A database that runs. */
export interface Place {
  readonly admin: Statements;
  /** Transactions that are open now. */
  openTransactions(): Promise<number>;
  deadlocks(): Promise<number>;
  /** A way to the server that can lose messages; none where there is no server. */
  readonly proxy?: TcpProxy;
  restart?(): Promise<void>;
  stop(): Promise<void>;
  readonly postgres?: PostgresServer;
  readonly mariadb?: MariadbServer;
  readonly pglite?: PGlite;
  readonly file?: string;
}

function numbered(text: string): string {
  let place = 0;
  return text.replaceAll("?", () => `$${++place}`);
}

const onPg =
  (client: unknown): Statements =>
  async (text, values = []) =>
    (await (client as pg.ClientBase).query(numbered(text), [...values])).rows as Row[];

/** For calls that are to be answered, however busy the machine is. */
const OPTIONS = { operationTimeoutMs: 20_000 };

async function admin(server: PostgresServer): Promise<pg.Pool> {
  const pool = openPool(server, { max: 3 });
  await migrate(pool);
  return pool;
}

/** How a place with a server is restarted, and ends. */
function lifeOf(
  server: PostgresServer | MariadbServer,
  proxy: TcpProxy,
  pool: { end(): Promise<void> },
): Pick<Place, "restart" | "stop"> {
  return {
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
    },
    async stop() {
      await proxy.close();
      await pool.end();
      await server.stop();
    },
  };
}

/** A private Postgres. */
export async function postgresPlace(): Promise<Place> {
  const server = await startPostgres({
    settings: { max_connections: "150", deadlock_timeout: "100ms" },
  });
  const pool = await admin(server);
  const proxy = await startTcpProxy(server.port);
  const statements = onPg(pool);
  return {
    admin: statements,
    postgres: server,
    proxy,
    async openTransactions() {
      const [row] = await statements(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
      );
      return Number(row?.n);
    },
    async deadlocks() {
      const [row] = await statements("SELECT sum(deadlocks) AS n FROM pg_stat_database");
      return Number(row?.n);
    },
    ...lifeOf(server, proxy, pool),
  };
}

/** A private MariaDB. */
export async function mariadbPlace(): Promise<Place> {
  const server = await startMariadb();
  const pool = mysql.createPool({ ...server.connection, connectionLimit: 3 });
  await migrate(pool);
  const proxy = await startTcpProxy(server.port);
  const statements: Statements = async (text, values = []) =>
    (await pool.query(text, [...values]))[0] as Row[];
  return {
    admin: statements,
    mariadb: server,
    proxy,
    async openTransactions() {
      await sleep(INNODB_TRX_CACHE_MS + 50);
      const [row] = await statements("SELECT count(*) AS n FROM information_schema.innodb_trx");
      return Number(row?.n);
    },
    async deadlocks() {
      const [row] = await statements("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
      return Number(row?.Value);
    },
    ...lifeOf(server, proxy, pool),
  };
}

/** A file, or a PGlite, in this process: nothing is left open and nothing deadlocks there. */
const inProcess = { openTransactions: async () => 0, deadlocks: async () => 0 } as const;

function onSqlite(tx: unknown): Statements {
  return async (text, values = []) => {
    const statement = (tx as Connection).prepare(text);
    if (/^\s*SELECT/i.test(text)) return statement.all(...(values as never[])) as Row[];
    statement.run(...(values as never[]));
    return [];
  };
}

export async function sqlitePlace(): Promise<Place> {
  const { file, remove } = newFile();
  const database = openDatabase(file);
  await migrate(database);
  return {
    admin: onSqlite(database),
    file,
    ...inProcess,
    async stop() {
      database.close();
      remove();
    },
  };
}

function onPglite(tx: unknown): Statements {
  return async (text, values = []) =>
    (await (tx as PGlite).query(numbered(text), [...values])).rows as Row[];
}

export async function pglitePlace(): Promise<Place> {
  const pglite = await PGlite.create();
  await migrate(pglite);
  return { admin: onPglite(pglite), pglite, ...inProcess, stop: () => pglite.close() };
}

function settings({ isolation }: OpenOptions): Record<string, string> {
  return isolation === undefined ? {} : { default_transaction_isolation: isolation };
}

function onPostgres(client: PostgresClient, options: OpenOptions): AnyStore {
  const { operationTimeoutMs = OPTIONS.operationTimeoutMs } = options;
  return createPostgresStore({ client, operationTimeoutMs }) as AnyStore;
}

const server = (place: Place): PostgresServer => place.postgres as PostgresServer;

export const pgPool: Driver = {
  name: "a pg Pool",
  async open(place, options = {}) {
    const { port, max = 8 } = options;
    const pool = openPool(server(place), {
      settings: settings(options),
      max,
      ...(port && { port }),
    });
    return { store: onPostgres(pool, options), end: () => pool.end() };
  },
  on: onPg,
};

export const pgClient: Driver = {
  name: "a single pg Client",
  variant: true,
  async open(place, options = {}) {
    const { port = server(place).port } = options;
    const client = new pg.Client({ ...server(place).connection, port });
    client.on("error", () => {});
    await client.connect();
    return { store: onPostgres(client, options), end: () => client.end() };
  },
  on: onPg,
};

export const postgresJs: Driver = {
  name: "postgres.js",
  async open(place, options = {}) {
    const { port = server(place).port, max = 8 } = options;
    const sql = postgres({
      ...server(place).connection,
      ...{ port, max, fetch_types: false, onnotice: () => {}, connection: settings(options) },
    });
    return { store: onPostgres(sql, options), end: () => sql.end({ timeout: 1 }) };
  },
  on: (tx) => async (text, values) =>
    (await (tx as TransactionSql).unsafe(numbered(text), values as never)) as unknown as Row[],
};

export const pglite: Driver = {
  name: "PGlite",
  async open(place, options = {}) {
    return { store: onPostgres(place.pglite as PGlite, options), end: async () => {} };
  },
  on: onPglite,
};

function mysqlDriver(name: string, open: typeof openMysql2, on: Driver["on"]): Driver {
  return {
    name,
    async open(place, options = {}) {
      const { operationTimeoutMs = OPTIONS.operationTimeoutMs, port, max } = options;
      const { client, end } = open(place.mariadb as MariadbServer, {
        ...(port && { port }),
        ...(max && { max }),
      });
      const store = createMysqlStore({ client: client as MysqlClient, operationTimeoutMs });
      return { store: store as AnyStore, end };
    },
    on,
  };
}

const onMysql2: Driver["on"] =
  (tx) =>
  async (text, values = []) =>
    (await (tx as Mysql2Connection).query(text, [...values]))[0] as Row[];

export const mysql2 = mysqlDriver("mysql2", openMysql2, onMysql2);
export const mysql2Callbacks: Driver = {
  ...mysqlDriver("mysql2 with callbacks", openMysql2Callbacks, onMysql2),
  variant: true,
};
export const mariadb = mysqlDriver(
  "mariadb",
  openMariadb,
  (tx) =>
    (text, values = []) =>
      (tx as MariadbConnection).query(text, [...values]),
);

export const sqlite: Driver = {
  name: driver,
  async open(place, options = {}) {
    const { operationTimeoutMs = OPTIONS.operationTimeoutMs } = options;
    const database = openDatabase(place.file as string);
    const store = createSqliteStore({ database, operationTimeoutMs });
    return { store: store as AnyStore, end: async () => database.close() };
  },
  on: onSqlite,
};
