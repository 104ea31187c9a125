// Tells the drivers of MySQL and MariaDB apart by the members of their clients.

import type { Sessions } from "../shared/session.js";
import { type MariadbConnection, type MariadbPool, mariadbSessions } from "./mariadb.js";
import {
  type Mysql2Callbacks,
  type Mysql2Connection,
  type Mysql2Pool,
  mysql2Sessions,
} from "./mysql2.js";

/** A pool or connection of mysql2, in promise or callback form, or of the mariadb driver. */
export type MysqlClient =
  | Mysql2Pool
  | Mysql2Connection
  | Mysql2Callbacks<Mysql2Pool | Mysql2Connection>
  | MariadbPool
  | MariadbConnection;

function has(client: unknown, member: string): boolean {
  return typeof (Object(client) as Record<string, unknown>)[member] === "function";
}

/** Whether a client is one of MySQL's or MariaDB's drivers. */
export function isMysqlClient(client: unknown): client is MysqlClient {
  return has(client, "promise") || has(client, "getConnection") || has(client, "execute");
}

/** The sessions of a client of either driver. */
export function mysqlSessions(client: MysqlClient, prepare: boolean): Sessions {
  if (has(client, "batch")) {
    return mariadbSessions(client as MariadbPool | MariadbConnection, prepare);
  }
  const promising = has(client, "promise")
    ? (client as Mysql2Callbacks<Mysql2Pool | Mysql2Connection>).promise()
    : (client as Mysql2Pool | Mysql2Connection);
  return mysql2Sessions(promising, prepare);
}
