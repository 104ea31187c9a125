// Pools and connections of both MySQL drivers as a user would open them, on any port of this
// machine, and what loses the messages that they send.
import type { MysqlClient } from "@onceproof/sql-adapter";
import type { MariadbServer, Rule, TcpProxy, Verdict } from "@onceproof/test-servers";
import * as mariadb from "mariadb";
import mysqlCallbacks from "mysql2";
import mysql from "mysql2/promise";

/** A client of some driver, and what closes it. */
export interface OpenMysql {
  readonly client: MysqlClient;
  end(): Promise<unknown>;
}

export interface PoolOptions {
  readonly port?: number;
  readonly max?: number;
  /** Whether affected rows count the rows found, or those changed. @defaultValue the driver's own */
  readonly foundRows?: boolean;
}

export type OpenMysqlPool = (server: MariadbServer, options?: PoolOptions) => OpenMysql;

function flags(foundRows: boolean | undefined): { flags?: string[] } {
  return foundRows === undefined ? {} : { flags: [foundRows ? "FOUND_ROWS" : "-FOUND_ROWS"] };
}

export const openMysql2: OpenMysqlPool = (server, options = {}) => {
  const { port = server.port, max = 8, foundRows } = options;
  const limit = { connectionLimit: max, ...flags(foundRows) };
  const client = mysql.createPool({ ...server.connection, port, ...limit });
  return { client, end: () => client.end() };
};

/** mysql2's callback form, of which `promise()` is used. */
export const openMysql2Callbacks: OpenMysqlPool = (
  server,
  { port = server.port, max = 8 } = {},
) => {
  const client = mysqlCallbacks.createPool({ ...server.connection, port, connectionLimit: max });
  return { client, end: () => client.promise().end() };
};

export const openMariadb: OpenMysqlPool = (server, options = {}) => {
  const { port = server.port, max = 8, foundRows } = options;
  const limit = {
    connectionLimit: max,
    acquireTimeout: 5000,
    ...(foundRows !== undefined && { foundRows }),
  };
  const client = mariadb.createPool({ ...server.connection, port, ...limit });
  client.on("error" as "release", () => {});
  return { client, end: () => client.end() };
};

const COM_QUERY = 3;
const COM_STMT_PREPARE = 0x16;
const COM_STMT_EXECUTE = 0x17;

/**
 * A rule for the next message that may apply something: a statement in a transaction of its own, or
 * the COMMIT of a longer one.
 */
function nextWrite(verdict: Verdict, lift: () => void): Rule {
  let inTransaction = false;
  return (chunk) => {
    // A command is the first message of an exchange; the login is not.
    const command = chunk[3] === 0 ? chunk[4] : undefined;
    if (command === COM_QUERY && chunk.includes("START TRANSACTION")) inTransaction = true;
    const commits = command === COM_QUERY && chunk.toString("latin1", 5).startsWith("COMMIT");
    // Some drivers send what they prepare together with its first use.
    const more = chunk.length > 4 + chunk.readUIntLE(0, 3);
    const executes = command === COM_STMT_EXECUTE || (command === COM_STMT_PREPARE && more);
    if (!commits && (inTransaction || !executes)) return undefined;
    lift();
    return verdict;
  };
}

/** Applies once, to the next message that may apply something. */
export function loseNext(proxy: TcpProxy, verdict: Verdict): void {
  const lift = proxy.addRule(nextWrite(verdict, () => lift()));
}

/** Whether a message is a statement with parameters, as all of the store's own are. */
export function isStatement(chunk: Buffer): boolean {
  return chunk[4] === COM_STMT_EXECUTE;
}
