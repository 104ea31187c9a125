// Says why a server cannot be started here, so that its tests are skipped with that reason.
import {
  findCompiler,
  findMariadb,
  findPgbouncer,
  findPostgres,
  findRedis,
  findValkey,
} from "./find.mjs";
import { unprivilegedUser } from "./unprivileged.js";

export type ServerName = "redis" | "valkey" | "postgres" | "pgbouncer" | "mariadb" | "clock-shim";

/**
 * Names what stops `startRedis`, `startValkey`, `startPostgres`, `startPgbouncer`, `startMariadb` or an option `clock`
 * on this machine; undefined when nothing does.
 *
 * @example describe.skipIf(missing("redis"))("on a real Redis", () => { ... })
 */
export function missing(server: ServerName): string | undefined {
  switch (server) {
    case "redis":
      return findRedis() === undefined ? "redis-server is not installed" : undefined;
    case "valkey":
      return findValkey() === undefined ? "valkey-server is not installed" : undefined;
    case "postgres":
      if (findPostgres() === undefined) return "PostgreSQL 15 or newer is not installed";
      return unprivilegedUser("postgres") === "none"
        ? "PostgreSQL refuses to run as root, and there is no user postgres or no setpriv"
        : undefined;
    case "pgbouncer":
      return findPgbouncer() === undefined ? "pgbouncer is not installed" : missing("postgres");
    case "mariadb":
      if (findMariadb() === undefined) return "mariadb-server is not installed";
      return unprivilegedUser("mysql") === "none"
        ? "MariaDB refuses to run as root, and there is no user mysql or no setpriv"
        : undefined;
    case "clock-shim":
      return findCompiler() === undefined
        ? "moving a server's clock needs Linux, a C compiler and the C library's headers"
        : undefined;
  }
}
