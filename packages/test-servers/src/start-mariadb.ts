// A private MariaDB, its data made afresh, whose root needs no password. Its every commit is on disk
// before it is answered, as is its default.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClockControl, createClockShim, withClock } from "./clock-shim.js";
import { makeData } from "./data-template.js";
import { findMariadb } from "./find.mjs";
import { firstReply } from "./first-reply.js";
import { missing } from "./missing.js";
import { type ServerKind, startServer, type TestServer } from "./server.js";
import { unprivilegedUser } from "./unprivileged.js";

export interface MariadbOptions {
  /** Further command-line arguments; they come last, so they win. @defaultValue none */
  readonly args?: readonly string[];
  /** Whether its clock can be moved: see `missing("clock-shim")`. @defaultValue false */
  readonly clock?: boolean;
}

/** A MariaDB server and what a client needs to connect to it. */
export interface MariadbServer extends TestServer {
  readonly connection: {
    readonly host: "127.0.0.1";
    readonly port: number;
    readonly user: "root";
    readonly database: "app";
  };
}

const DATABASE = "app";
const INIT = "init.sql";

/** Starts a MariaDB on a free port of 127.0.0.1 and resolves when it accepts sessions. */
export function startMariadb(
  options: MariadbOptions & { readonly clock: true },
): Promise<MariadbServer & ClockControl>;
export function startMariadb(options?: MariadbOptions): Promise<MariadbServer>;
export async function startMariadb({
  args = [],
  clock = false,
}: MariadbOptions = {}): Promise<MariadbServer> {
  const programs = findMariadb();
  const user = unprivilegedUser("mysql");
  if (programs === undefined || user === "none") throw new Error(missing("mariadb"));
  const shim = clock ? createClockShim() : undefined;
  const kind: ServerKind = {
    name: "mariadb",
    user,
    stopSignal: "SIGTERM",
    async prepare(folder) {
      const flags = ["--auth-root-authentication-method=normal", "--skip-test-db"];
      await makeData(folder, {
        ...{ server: programs.server, user, program: programs.install },
        args: (own) => [
          ...["--no-defaults", `--datadir=${join(own, "data")}`, `--tmpdir=${own}`],
          ...flags,
        ],
      });
      // The database that `connection` names is there before the first session.
      writeFileSync(join(folder, INIT), `CREATE DATABASE IF NOT EXISTS ${DATABASE};\n`);
      shim?.prepare(folder);
    },
    env: (folder) => shim?.env(folder) ?? {},
    command: (folder, port) => ({
      program: programs.server,
      args: [
        ...["--no-defaults", `--datadir=${join(folder, "data")}`, `--port=${port}`],
        ...["--bind-address=127.0.0.1", `--socket=${join(folder, "s.sock")}`],
        ...[`--pid-file=${join(folder, "m.pid")}`, "--skip-name-resolve", `--tmpdir=${folder}`],
        `--init-file=${join(folder, INIT)}`,
        ...args,
      ],
    }),
    url: (port) => `mysql://root@127.0.0.1:${port}/${DATABASE}`,
    isReady: greets,
  };
  const server = await startServer(kind);
  const { host, port } = server;
  // Defined on the server itself: a copy would freeze the pid.
  const connected = Object.assign(server, {
    connection: { host, port, user: "root", database: DATABASE },
  } as const);
  return shim === undefined ? connected : withClock(connected, shim);
}

/** A server that is ready greets whoever connects, with protocol version 10. */
function greets(port: number): Promise<boolean> {
  return firstReply(port, (greeting) => greeting[4] === 10);
}
