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
  type ServerName,
  startMariadb,
  startPostgres,
  startTcpProxy,
  type TestServer,
} from "@onceproof/test-servers";
import postgres from "postgres";
import { inTurn, type Place, unreliable } from "../../../simulator/test/support/live/place.js";
import { isStatement, type OpenMysqlPool, openMariadb, openMysql2 } from "./mysql-pools.js";
import { executes, openPool } from "./pg-pools.js";
import { type Connection, driver, onlySqlite, openDatabase } from "./sqlite-driver.js";
import { newFile } from "./sqlite-files.js";

const OPERATION_TIMEOUT_MS = 1_500;

/** A database that runs. */
export interface RunningArm {
  /** Stores on connections of their own. */
  open(count: number): Promise<AtomicStore[]>;
  /** Such stores behind what loses messages. */
  place(count: number): Promise<Place>;
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
  const closers: Closer[] = [];
  return {
    async open(count) {
      const opened = await Promise.all(Array.from({ length: count }, () => open(server.port)));
      closers.push(...opened.map(([, close]) => close));
      return opened.map(([store]) => store);
    },
    async place(count) {
      const proxy = await startTcpProxy(server.port);
      const opened = await Promise.all(Array.from({ length: count }, () => open(proxy.port)));
      return {
        stores: opened.map(([store]) => store),
        lose(passages) {
          const passage = inTurn(passages);
          return proxy.addRule((chunk) => (executed(chunk) ? passage() : undefined));
        },
        async close() {
          await Promise.all(opened.map(([, close]) => close()));
          await proxy.close();
        },
      };
    },
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
    },
    async stop() {
      await Promise.all(closers.map((close) => close()));
      await server.stop();
    },
  };
}

const options = { operationTimeoutMs: OPERATION_TIMEOUT_MS } as const;

/** What arms without a server share: nothing can stand between them and their data. */
function unreliably(stores: readonly AtomicStore[]): Place {
  return {
    ...unreliable(stores, { latencyMs: 2, operationTimeoutMs: 200 }),
    close: async () => {},
  };
}

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

const sqlite: Arm = {
  name: `a SQLite file with ${driver}`,
  async start() {
    const { file, remove } = newFile();
    const opened: Connection[] = [];
    const connect = (): Connection => {
      const database = openDatabase(file);
      opened.push(database);
      return database;
    };
    await migrate(connect());
    const open = (count: number): AtomicStore[] =>
      Array.from({ length: count }, () => createSqliteStore({ ...options, database: connect() }));
    return {
      open: async (count) => open(count),
      place: async (count) => unreliably(open(count)),
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
    const open = (count: number): AtomicStore[] =>
      Array.from({ length: count }, () => createPostgresStore({ client }));
    return {
      open: async (count) => open(count),
      place: async (count) => unreliably(open(count)),
      stop: () => client.close(),
    };
  },
};

const allArms: readonly Arm[] = [
  pgPool,
  postgresJs,
  onMariadb("MariaDB with mysql2", openMysql2),
  onMariadb("MariaDB with mariadb", openMariadb),
  sqlite,
  pglite,
];

export const arms = onlySqlite ? [sqlite] : allArms;
