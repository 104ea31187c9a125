// A private PostgreSQL cluster, made afresh, whose user postgres needs no password.
import { join } from "node:path";
import { type ClockControl, createClockShim, withClock } from "./clock-shim.js";
import { makeData } from "./data-template.js";
import { findPostgres } from "./find.mjs";
import { firstReply } from "./first-reply.js";
import { missing } from "./missing.js";
import { type ServerKind, startServer, type TestServer } from "./server.js";
import { unprivilegedUser } from "./unprivileged.js";

export interface PostgresOptions {
  /** Server settings, for example `{ max_connections: "20" }`. @defaultValue the server's own */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether its clock can be moved: see `missing("clock-shim")`. @defaultValue false */
  readonly clock?: boolean;
}

/** A Postgres server and what a client needs to connect to it. */
export interface PostgresServer extends TestServer {
  readonly connection: {
    readonly host: "127.0.0.1";
    readonly port: number;
    readonly user: "postgres";
    readonly database: "postgres";
  };
}

/** Starts a Postgres on a free port of 127.0.0.1 and resolves when it accepts sessions. */
export function startPostgres(
  options: PostgresOptions & { readonly clock: true },
): Promise<PostgresServer & ClockControl>;
export function startPostgres(options?: PostgresOptions): Promise<PostgresServer>;
export async function startPostgres({
  settings = {},
  clock = false,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  const user = unprivilegedUser("postgres");
  if (bin === undefined || user === "none") throw new Error(missing("postgres"));
  const shim = clock ? createClockShim() : undefined;
  const kind: ServerKind = {
    name: "postgres",
    user,
    // Fast shutdown: ends sessions instead of waiting for them.
    stopSignal: "SIGINT",
    async prepare(folder) {
      const flags = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"];
      await makeData(folder, {
        server: join(bin, "postgres"),
        user,
        program: join(bin, "initdb"),
        args: (own) => ["-D", join(own, "data"), ...flags],
      });
      shim?.prepare(folder);
    },
    env: (folder) => shim?.env(folder) ?? {},
    command: (folder, port) => ({
      program: join(bin, "postgres"),
      args: [
        ...["-D", join(folder, "data"), "-p", String(port)],
        ...["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`],
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
    }),
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    isReady: acceptsSessions,
  };
  const server = await startServer(kind);
  const { host, port } = server;
  // Defined on the server itself: a copy would freeze the pid.
  const connected = Object.assign(server, {
    connection: { host, port, user: "postgres", database: "postgres" },
  } as const);
  return shim === undefined ? connected : withClock(connected, shim);
}

/** Opens a session; the first byte of the reply is R (authentication) once it is accepted. */
export function acceptsSessions(port: number): Promise<boolean> {
  return firstReply(port, (reply) => reply.toString("latin1", 0, 1) === "R", startupMessage());
}

/** @see https://www.postgresql.org/docs/current/protocol-message-formats.html StartupMessage */
function startupMessage(): Buffer {
  const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0", "latin1");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(0x0003_0000, 4);
  return Buffer.concat([head, parameters]);
}
