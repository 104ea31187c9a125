// Postgres as it comes, by a pool of pg.
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import { missing, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import type { StoreKind } from "./store-kind.js";

const CONNECT_WITHIN_MS = 1_000;

/** Postgres, with its default durability. */
export const postgres: StoreKind = {
  name: "postgres",
  clients: ["pool", "small-pool"],
  faults: { terminate: "the server ends every session" },
  missing: () => missing("postgres"),

  async start({ clock }) {
    const clocked = clock ? await startPostgres({ clock }) : undefined;
    const server = clocked ?? (await startPostgres());
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
      server,
      clock: clocked,
      prepare: (space) => asAdmin((admin) => migrate(admin, { table: space })),
      async strike() {
        await asAdmin((admin) =>
          admin.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
          ),
        );
      },
    };
  },

  async open(client, { port, space, operationTimeoutMs, tombstoneMs }) {
    const pool = new pg.Pool({
      host: "127.0.0.1",
      port,
      user: "postgres",
      database: "postgres",
      max: client === "small-pool" ? 2 : 6,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
    });
    pool.on("error", () => {});
    const options = { client: pool, table: space, operationTimeoutMs, tombstoneMs };
    return {
      store: createPostgresStore(options),
      resends: undefined,
      // A session that owes an answer would be waited for without end.
      close: async () => void pool.end().catch(() => {}),
    };
  },
};
