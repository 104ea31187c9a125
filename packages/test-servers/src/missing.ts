// Says why a server cannot be started here, so that its tests are skipped with that reason.
import { findCompiler, findPostgres, findRedis } from "./find.mjs";
import { unprivilegedUser } from "./unprivileged.js";

export type ServerName = "redis" | "postgres" | "clock-shim";

/**
 * Names what stops `startRedis`, `startPostgres` or their option `clock` on this machine; undefined
 * when nothing does.
 *
 * @example describe.skipIf(missing("redis"))("on a real Redis", () => { ... })
 */
export function missing(server: ServerName): string | undefined {
  switch (server) {
    case "redis":
      return findRedis() === undefined ? "redis-server is not installed" : undefined;
    case "postgres":
      if (findPostgres() === undefined) return "PostgreSQL 15 or newer is not installed";
      return unprivilegedUser() === "none"
        ? "PostgreSQL refuses to run as root, and there is no user postgres or no setpriv"
        : undefined;
    case "clock-shim":
      return findCompiler() === undefined
        ? "moving a server's clock needs Linux, a C compiler and the C library's headers"
        : undefined;
  }
}
