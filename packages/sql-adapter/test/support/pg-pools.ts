// Pools as a user would open them, on any port of this machine.
import type { PostgresServer } from "@onceproof/test-servers";
import pg from "pg";

export interface PoolOptions {
  readonly port?: number;
  readonly max?: number;
  /** Settings of each session, for example `default_transaction_isolation`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Opens a pool, by default on the server itself rather than on a proxy in front of it. */
export function openPool(server: PostgresServer, options: PoolOptions = {}): pg.Pool {
  const { port = server.port, max = 8, settings = {} } = options;
  const pool = new pg.Pool({
    ...server.connection,
    port,
    max,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
      .join(" "),
  });
  // Connections that are cut while idle are told of here; without a listener they end the process.
  pool.on("error", () => {});
  return pool;
}
