// Every dialect with every driver, as places where the same tests run: a fresh database, stores on
// connections of their own and, where there is a server, what loses messages and kills it.
import { PGlite } from "@electric-sql/pglite";
import type { AtomicStore } from "@onceproof/core/advanced";
import {
  createMysqlStore,
  createPostgresStore,
  createSqliteStore,
  migrate,
} from "@onceproof/sql-adapter";
import {
  type Rule,
  type ServerName,
  startMariadb,
  startPostgres,
  startTcpProxy,
  type TestServer,
} from "@onceproof/test-servers";
import postgres from "postgres";
import { isStatement, type OpenMysqlPool, openMariadb, openMysql2 } from "./mysql-pools.js";
import { executes, openPool } from "./pg-pools.js";
import { type Connection, newFile, openLibsql } from "./sqlite-files.js";

const OPERATION_TIMEOUT_MS = 1_500;

/** A database that runs. */
export interface RunningArm {
  /** Stores on connections of their own; `lossy` ones are behind a proxy. */
  open(count: number, lossy?: boolean): Promise<AtomicStore[]>;
  /** Loses every seventh statement or its reply until lifted. */
  loseSome?(): () => void;
  /** Kills the server and starts it again. */
  restart?(): Promise<void>;
  stop(): Promise<void>;
}

export interface Arm {
  readonly name: string;
  readonly server?: ServerName;
  start(): Promise<RunningArm>;
}

type Closer = () => Promise<unknown>;
type OpenStore = (port: number) => Promise<readonly [AtomicStore, Closer]>;

/** What all arms with a server share. */
async function onServer(
  server: TestServer,
  executed: (chunk: Buffer) => boolean,
  open: OpenStore,
): Promise<RunningArm> {
  const proxy = await startTcpProxy(server.port);
  const closers: Closer[] = [];
  return {
    async open(count, lossy = false) {
      const port = lossy ? proxy.port : server.port;
      const opened = await Promise.all(Array.from({ length: count }, () => open(port)));
      closers.push(...opened.map(([, close]) => close));
      return opened.map(([store]) => store);
    },
    loseSome() {
      let statements = 0;
      const rule: Rule = (chunk) => {
        if (!executed(chunk)) return undefined;
        statements += 1;
        if (statements % 7 !== 0) return "pass";
        return statements % 2 === 0 ? "loseReply" : "loseRequest";
      };
      return proxy.addRule(rule);
    },
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
    },
    async stop() {
      await Promise.all(closers.map((close) => close()));
      await proxy.close();
      await server.stop();
    },
  };
}

const options = { operationTimeoutMs: OPERATION_TIMEOUT_MS } as const;

const pgPool: Arm = {
  name: "Postgres with a pg Pool",
  server: "postgres",
  async start() {
    const server = await startPostgres({ settings: { max_connections: "150" } });
    const admin = openPool(server);
    await migrate(admin);
    await admin.end();
    return onServer(server, executes, async (port) => {
      const client = openPool(server, { port, max: 3 });
      return [createPostgresStore({ ...options, client }), () => client.end()];
    });
  },
};

const postgresJs: Arm = {
  name: "Postgres with postgres.js",
  server: "postgres",
  async start() {
    const server = await startPostgres({ settings: { max_connections: "150" } });
    const admin = openPool(server);
    await migrate(admin);
    await admin.end();
    return onServer(server, executes, async (port) => {
      const settings = { max: 3, fetch_types: false, onnotice: () => {} };
      const client = postgres({ ...server.connection, port, ...settings });
      return [createPostgresStore({ ...options, client }), () => client.end({ timeout: 1 })];
    });
  },
};

function onMariadb(name: string, openClient: OpenMysqlPool): Arm {
  return {
    name,
    server: "mariadb",
    async start() {
      const server = await startMariadb();
      const admin = openMysql2(server);
      await migrate(admin.client);
      await admin.end();
      return onServer(server, isStatement, async (port) => {
        const { client, end } = openClient(server, { port, max: 3 });
        return [createMysqlStore({ ...options, client }), end];
      });
    },
  };
}

const libsql: Arm = {
  name: "a SQLite file with libsql",
  async start() {
    const { file, remove } = newFile();
    const opened: Connection[] = [];
    const connect = (): Connection => {
      const database = openLibsql(file);
      opened.push(database);
      return database;
    };
    await migrate(connect());
    return {
      open: async (count) =>
        Array.from({ length: count }, () => createSqliteStore({ ...options, database: connect() })),
      async stop() {
        for (const database of opened) database.close();
        remove();
      },
    };
  },
};

const pglite: Arm = {
  name: "PGlite",
  async start() {
    const client = await PGlite.create();
    await migrate(client);
    return {
      open: async (count) => Array.from({ length: count }, () => createPostgresStore({ client })),
      stop: () => client.close(),
    };
  },
};

export const arms: readonly Arm[] = [
  pgPool,
  postgresJs,
  onMariadb("MariaDB with mysql2", openMysql2),
  onMariadb("MariaDB with mariadb", openMariadb),
  libsql,
  pglite,
];
