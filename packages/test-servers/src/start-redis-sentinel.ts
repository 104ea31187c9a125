// A private master with replicas, and the Sentinels that promote one of them when it fails.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findRedis } from "./find.mjs";
import { missing } from "./missing.js";
import { fieldsOf, redisCommand } from "./redis-admin.js";
import { startServer, type TestServer } from "./server.js";
import { answersPing, startRedis } from "./start-redis.js";
import { until } from "./until.js";

/** The name under which the Sentinels know the master. */
export const SENTINEL_MASTER = "onceproof";

export interface RedisSentinelOptions {
  /** @defaultValue 2 */
  readonly replicas?: number;
  /** @defaultValue 3 */
  readonly sentinels?: number;
  /** After how long a silent master counts as down. @defaultValue 500 */
  readonly downAfterMs?: number;
}

export interface RedisSentinel {
  /** The servers: the first master, then its replicas. */
  readonly servers: readonly TestServer[];
  readonly sentinelPorts: readonly number[];
  /** The master of the moment. */
  master(): Promise<TestServer>;
  /** Kills or stops the master, and resolves when another is; returns the old one. */
  failOver(signal?: "SIGKILL" | "SIGSTOP"): Promise<TestServer>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

// Sentinels look about them every second or two; a test need not wait for that.
const HASTE = ["info-period", "200", "ping-period", "100", "publish-period", "100"];

/** Starts everything and resolves when all Sentinels know all servers and each other. */
export async function startRedisSentinel({
  replicas = 2,
  sentinels = 3,
  downAfterMs = 500,
}: RedisSentinelOptions = {}): Promise<RedisSentinel> {
  const started: TestServer[] = [];
  const stop = async (): Promise<void> => {
    // Sentinels first: they would promote what is about to be stopped.
    for (const server of started.splice(0).reverse()) await server.stop();
  };
  const keep = <S extends TestServer>(server: S): S => {
    started.push(server);
    return server;
  };
  try {
    const quick = ["--repl-diskless-sync-delay", "0"];
    const master = keep(await startRedis({ args: quick }));
    const of = ["--replicaof", "127.0.0.1", String(master.port)];
    const others = await Promise.all(
      Array.from({ length: replicas }, async () =>
        keep(await startRedis({ args: [...quick, ...of] })),
      ),
    );
    await until("the replicas have the master's data", async () => {
      const all = await Promise.all(
        others.map(({ port }) => redisCommand(port, "INFO", "replication")),
      );
      return all.every((info) => fieldsOf(info).master_link_status === "up");
    });
    const quorum = Math.floor(sentinels / 2) + 1;
    const guards = await Promise.all(
      Array.from({ length: sentinels }, async () =>
        keep(await startGuard(master.port, quorum, downAfterMs)),
      ),
    );
    const sentinelPorts = guards.map(({ port }) => port);
    await until("the Sentinels know all servers and each other", async () => {
      const all = await Promise.all(sentinelPorts.map((port) => seenBy(port)));
      return all.every(
        (seen) =>
          seen["num-slaves"] === String(replicas) &&
          seen["num-other-sentinels"] === String(sentinels - 1),
      );
    });
    return sentinelOf([master, ...others], sentinelPorts, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startGuard(
  masterPort: number,
  quorum: number,
  downAfterMs: number,
): Promise<TestServer> {
  const program = findRedis();
  if (program === undefined) throw new Error(missing("redis"));
  const config = (folder: string): string => join(folder, "sentinel.conf");
  const server = await startServer({
    name: "sentinel",
    user: "self",
    stopSignal: "SIGTERM",
    prepare: (folder) =>
      writeFile(
        config(folder),
        [
          `dir ${folder}`,
          `sentinel monitor ${SENTINEL_MASTER} 127.0.0.1 ${masterPort} ${quorum}`,
          `sentinel down-after-milliseconds ${SENTINEL_MASTER} ${downAfterMs}`,
          `sentinel failover-timeout ${SENTINEL_MASTER} 1000`,
          `sentinel parallel-syncs ${SENTINEL_MASTER} 2`,
          "",
        ].join("\n"),
      ),
    command: (folder, port) => ({
      program,
      args: [config(folder), "--sentinel", "--port", String(port), "--bind", "127.0.0.1"],
    }),
    url: (port) => `redis://127.0.0.1:${port}`,
    isReady: answersPing,
  });
  await redisCommand(server.port, "SENTINEL", "DEBUG", ...HASTE);
  return server;
}

/** What a Sentinel tells of the master. */
async function seenBy(sentinelPort: number): Promise<Readonly<Record<string, string>>> {
  const flat = (await redisCommand(
    sentinelPort,
    "SENTINEL",
    "MASTER",
    SENTINEL_MASTER,
  )) as string[];
  return Object.fromEntries(
    flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : [])),
  );
}

function sentinelOf(
  servers: readonly TestServer[],
  sentinelPorts: readonly number[],
  stop: () => Promise<void>,
): RedisSentinel {
  async function master(): Promise<TestServer> {
    const seen = await seenBy(sentinelPorts[0] ?? 0);
    const found = servers.find(({ port }) => String(port) === seen.port);
    if (found === undefined) throw new Error(`no server of ours listens on port ${seen.port}`);
    return found;
  }
  return {
    servers,
    sentinelPorts,
    master,
    async failOver(signal = "SIGKILL") {
      const old = await master();
      old.kill(signal);
      await until("the Sentinels agree on another master, which takes writes", async () => {
        const ports = await Promise.all(
          sentinelPorts.map(async (port) => (await seenBy(port)).port),
        );
        if (new Set(ports).size > 1 || ports[0] === String(old.port)) return false;
        const [role] = (await redisCommand(Number(ports[0]), "ROLE")) as [string];
        return role === "master";
      });
      return old;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
