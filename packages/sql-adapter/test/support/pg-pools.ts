// Pools as a user would open them, on any port of this machine.
import type { PostgresServer, TcpProxy, Verdict } from "@onceproof/test-servers";
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

/**
 * A rule for the next statement that is executed, whatever its driver calls it: the message that
 * binds its parameters. Parsing alone does nothing that could be lost.
 */
export function loseNext(proxy: TcpProxy, verdict: Verdict): void {
  const lift = proxy.addRule((chunk) => {
    if (!executes(chunk)) return undefined;
    lift();
    return verdict;
  });
}

/** @see https://www.postgresql.org/docs/current/protocol-message-formats.html */
export function executes(chunk: Buffer): boolean {
  // Each message is its type and its length; the first one of a connection has no type.
  for (let at = 0; at + 5 <= chunk.length; ) {
    if (chunk[at] === "B".charCodeAt(0)) return true;
    at += 1 + chunk.readUInt32BE(at + 1);
  }
  return false;
}
