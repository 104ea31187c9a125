// Postgres as it comes, by a pool of pg.
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import { missing, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { portOf, type Row, type Statements, type StoreKind } from "./store-kind.js";

/** As all connect at once to a server that comes back: who gives up soon only asks it again. */
const CONNECT_WITHIN_MS = 10_000;
const DEADLOCK = "40P01";
const ABORTED = "25P02";

const SETTINGS = {
  // Ten processes, with pools of which each connection may be taken.
  max_connections: "300",
  // Sooner than the store gives up waiting for a lock, so that deadlocks are found.
  deadlock_timeout: "100ms",
};

const OPEN_TRANSACTIONS = `SELECT count(*) AS n FROM pg_stat_activity
  WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

function numbered(text: string): string {
  let place = 0;
  return text.replaceAll("?", () => {
    place += 1;
    return `$${place}`;
  });
}

const on =
  (client: unknown): Statements =>
  async (text, values = []) =>
    (await (client as pg.ClientBase).query(numbered(text), [...values])).rows as Row[];

/** Postgres, with its default durability. */
export const postgres: StoreKind = {
  name: "postgres",
  clients: ["pool", "small-pool"],
  faults: { terminate: "the server ends every session" },
  without: [],
  missing: () => missing("postgres"),

  async start({ clock }) {
    const settings = SETTINGS;
    const clocked = clock ? await startPostgres({ settings, clock }) : undefined;
    const server = clocked ?? (await startPostgres({ settings }));
    const asAdmin = async <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => {
      const admin = new pg.Client({
        ...server.connection,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
      });
      admin.on("error", () => {});
      try {
        await admin.connect();
        return await work(admin);
      } finally {
        await admin.end().catch(() => {});
      }
    };
    return {
      place: { port: server.port },
      server,
      clock: clocked,
      tables: {
        on: (text, values) => asAdmin((admin) => on(admin)(text, values)),
        openTransactions: () =>
          asAdmin(async (admin) => Number((await on(admin)(OPEN_TRANSACTIONS))[0]?.n)),
      },
      prepare: (space) => asAdmin((admin) => migrate(admin, { table: space })),
      async strike() {
        await asAdmin((admin) =>
          admin.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
          ),
        );
      },
      stop: () => server.stop(),
    };
  },

  async open(client, { place, space, operationTimeoutMs, tombstoneMs }) {
    const pool = new pg.Pool({
      host: "127.0.0.1",
      port: portOf(place),
      user: "postgres",
      database: "postgres",
      max: client === "small-pool" ? 2 : 6,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
    });
    pool.on("error", () => {});
    const options = { client: pool, table: space, operationTimeoutMs, tombstoneMs };
    const store = createPostgresStore(options);
    return {
      store,
      transactions: {
        store: store as typeof store & { bind(tx: unknown): typeof store },
        on,
        failure(error) {
          const { code } = Object(error) as { code?: unknown };
          if (code === DEADLOCK) return "deadlocks";
          return code === ABORTED ? "aborted" : undefined;
        },
      },
      resends: undefined,
      // A session that owes an answer would be waited for without end.
      close: async () => void pool.end().catch(() => {}),
    };
  },
};
