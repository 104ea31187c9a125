// MariaDB as it comes, by the pools of both drivers that people use with it.
import { createMysqlStore, type MysqlClient, migrate } from "@onceproof/sql-adapter";
import { missing, startMariadb } from "@onceproof/test-servers";
import { type Connection as MariadbConnection, createPool as mariadbPool } from "mariadb";
import mysql, { type Connection as Mysql2Connection } from "mysql2/promise";
import { portOf, type Row, type Statements, type StoreKind } from "./store-kind.js";

/** As all connect at once to a server that comes back: who gives up soon only asks it again. */
const CONNECT_WITHIN_MS = 10_000;
const CONNECTIONS = 6;
const DEADLOCK = 1213;
const DATABASE = "app";

interface OpenPool {
  readonly client: MysqlClient;
  readonly on: (tx: unknown) => Statements;
  end(): Promise<void>;
}

const onMysql2 =
  (tx: unknown): Statements =>
  async (text, values = []) =>
    (await (tx as Mysql2Connection).query(text, [...values]))[0] as Row[];

const onMariadb =
  (tx: unknown): Statements =>
  (text, values = []) =>
    (tx as MariadbConnection).query(text, [...values]);

function openMysql2(port: number): OpenPool {
  const client = mysql.createPool({
    ...{ host: "127.0.0.1", port, user: "root", database: DATABASE },
    ...{ connectionLimit: CONNECTIONS, connectTimeout: CONNECT_WITHIN_MS },
  });
  return { client, on: onMysql2, end: () => client.end() };
}

function openMariadb(port: number): OpenPool {
  const client = mariadbPool({
    ...{ host: "127.0.0.1", port, user: "root", database: DATABASE },
    ...{ connectionLimit: CONNECTIONS, connectTimeout: CONNECT_WITHIN_MS },
    acquireTimeout: CONNECT_WITHIN_MS,
  });
  client.on("error" as "release", () => {});
  return { client, on: onMariadb, end: () => client.end() };
}

/** MariaDB, with its default durability. */
export const mariadb: StoreKind = {
  name: "mariadb",
  clients: ["mysql2", "mariadb"],
  faults: { terminate: "the server ends every session" },
  without: [],
  missing: () => missing("mariadb"),

  async start({ clock }) {
    const args = ["--max-connections=400"];
    const clocked = clock ? await startMariadb({ args, clock }) : undefined;
    const server = clocked ?? (await startMariadb({ args }));
    const asAdmin = async <T>(work: (admin: Mysql2Connection) => Promise<T>): Promise<T> => {
      const admin = await mysql.createConnection({
        ...server.connection,
        connectTimeout: CONNECT_WITHIN_MS,
      });
      admin.on("error", () => {});
      try {
        return await work(admin);
      } finally {
        admin.destroy();
      }
    };
    return {
      place: { port: server.port },
      server,
      clock: clocked,
      tables: {
        on: (text, values) => asAdmin((admin) => onMysql2(admin)(text, values)),
        openTransactions: () =>
          asAdmin(async (admin) => {
            const rows = await onMysql2(admin)(
              "SELECT count(*) AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> 0",
            );
            return Number(rows[0]?.n);
          }),
      },
      prepare: (space) => asAdmin((admin) => migrate(admin, { table: space })),
      async strike() {
        await asAdmin(async (admin) => {
          const sessions = await onMysql2(admin)(
            "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root'",
          );
          for (const { id } of sessions) await admin.query(`KILL ${Number(id)}`).catch(() => {});
        });
      },
      stop: () => server.stop(),
    };
  },

  async open(client, { place, space, operationTimeoutMs, tombstoneMs }) {
    const port = portOf(place);
    const pool = client === "mysql2" ? openMysql2(port) : openMariadb(port);
    const options = { client: pool.client, table: space, operationTimeoutMs, tombstoneMs };
    const store = createMysqlStore(options);
    return {
      store,
      transactions: {
        store: store as typeof store & { bind(tx: unknown): typeof store },
        on: pool.on,
        failure: (error) =>
          (Object(error) as { errno?: unknown }).errno === DEADLOCK ? "deadlocks" : undefined,
      },
      resends: undefined,
      // A session that owes an answer would be waited for without end.
      close: async () => void pool.end().catch(() => {}),
    };
  },
};
