// A private PgBouncer in front of a Postgres of ours: to its clients it looks like that server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPgbouncer } from "./find.mjs";
import { missing } from "./missing.js";
import { type ServerKind, startServer } from "./server.js";
import { acceptsSessions, type PostgresServer } from "./start-postgres.js";
import { unprivilegedUser } from "./unprivileged.js";

export interface PgbouncerOptions {
  /** For how long a client keeps a connection to the server. */
  readonly pool: "session" | "transaction";
  /** Further settings, for example `{ server_round_robin: "1" }`. @defaultValue the program's own */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a PgBouncer on a free port of 127.0.0.1 and resolves when it lends sessions. */
export async function startPgbouncer(
  server: PostgresServer,
  { pool, settings = {} }: PgbouncerOptions,
): Promise<PostgresServer> {
  const program = findPgbouncer();
  // It refuses to run as root, as Postgres does, and Debian runs it as the same user.
  const user = unprivilegedUser("postgres");
  if (program === undefined || user === "none") throw new Error(missing("pgbouncer"));
  const { connection } = server;
  const kind: ServerKind = {
    name: "pgbouncer",
    user,
    stopSignal: "SIGTERM",
    prepare: async () => {},
    command(folder, port) {
      // The port can be said in this file only.
      const file = join(folder, "pgbouncer.ini");
      writeFileSync(file, iniOf(connection, port, { pool_mode: pool, ...settings }));
      return { program, args: [file] };
    },
    url: (port) => `postgres://${connection.user}@127.0.0.1:${port}/${connection.database}`,
    isReady: acceptsSessions,
  };
  const started = await startServer(kind);
  // Defined on the server itself: a copy would freeze the pid.
  return Object.assign(started, { connection: { ...connection, port: started.port } });
}

/** @see https://www.pgbouncer.org/config.html */
function iniOf(
  { host, port, user }: PostgresServer["connection"],
  ownPort: number,
  settings: Readonly<Record<string, string>>,
): string {
  const own = {
    listen_addr: "127.0.0.1",
    listen_port: String(ownPort),
    unix_socket_dir: "",
    auth_type: "any",
    max_client_conn: "200",
    // After a server that was away it waits 15 s by default before it tries again.
    server_login_retry: "0.1",
    ...settings,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`);
  return `[databases]
* = host=${host} port=${port} user=${user}
[pgbouncer]
${lines.join("\n")}
`;
}
