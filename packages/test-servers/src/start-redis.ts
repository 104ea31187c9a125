// A private Redis whose every write is on disk before it is answered.
import { type ClockControl, createClockShim, withClock } from "./clock-shim.js";
import { findRedis } from "./find.mjs";
import { firstReply } from "./first-reply.js";
import { missing } from "./missing.js";
import { type ServerKind, startServer, type TestServer } from "./server.js";

export interface RedisOptions {
  /** Further command-line arguments; they come last, so they win. @defaultValue none */
  readonly args?: readonly string[];
  /** The server program. @defaultValue redis-server */
  readonly program?: string;
  /** Whether its clock can be moved: see `missing("clock-shim")`. @defaultValue false */
  readonly clock?: boolean;
}

/** Starts a Redis on a free port of 127.0.0.1 and resolves when it answers PING. */
export function startRedis(
  options: RedisOptions & { readonly clock: true },
): Promise<TestServer & ClockControl>;
export function startRedis(options?: RedisOptions): Promise<TestServer>;
export async function startRedis({
  args = [],
  clock = false,
  program = findRedis(),
}: RedisOptions = {}): Promise<TestServer> {
  if (program === undefined) throw new Error(missing("redis"));
  const shim = clock ? createClockShim() : undefined;
  const kind: ServerKind = {
    name: "redis",
    user: "self",
    stopSignal: "SIGTERM",
    prepare: async (folder) => shim?.prepare(folder),
    env: (folder) => shim?.env(folder) ?? {},
    command: (folder, port) => ({
      program,
      args: [
        ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
        ...["--save", "", "--appendonly", "yes", "--appendfsync", "always"],
        ...args,
      ],
    }),
    url: (port) => `redis://127.0.0.1:${port}`,
    isReady: answersPing,
  };
  const server = await startServer(kind);
  return shim === undefined ? server : withClock(server, shim);
}

/** Whether a server on this port is ready to serve. */
export function answersPing(port: number): Promise<boolean> {
  // While it loads its data it answers -LOADING.
  return firstReply(port, (reply) => reply.toString().startsWith("+PONG"), "PING\r\n");
}
