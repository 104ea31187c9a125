// A private Redis Cluster. At least three masters: a single node takes keys of several slots in one
// script, which no real cluster does.
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./free-port.js";
import { fieldsOf, redisCommand } from "./redis-admin.js";
import type { TestServer } from "./server.js";
import { startRedis } from "./start-redis.js";
import { until } from "./until.js";

export interface RedisClusterOptions {
  /** @defaultValue 3 */
  readonly masters?: number;
  /** How many replicas each master has. @defaultValue 0 */
  readonly replicasEach?: number;
  /** After how long a silent node counts as failed. @defaultValue 1_000 */
  readonly nodeTimeoutMs?: number;
  /** The server program. @defaultValue redis-server */
  readonly program?: string;
}

/** One node and its id in the cluster. */
export interface ClusterNode extends TestServer {
  readonly id: string;
}

export interface RedisCluster {
  /** The masters as they were at the start, with the slots in their order. */
  readonly masters: readonly ClusterNode[];
  readonly replicas: readonly ClusterNode[];
  readonly ports: readonly number[];
  /** Which node serves a slot, as the first node that is up sees it. */
  ownerOf(slot: number): Promise<ClusterNode>;
  /** Moves a slot with its keys, one after the other, while the cluster serves. */
  moveSlot(slot: number, to: ClusterNode, pauseMs?: number): Promise<void>;
  /** Kills the master of a slot and resolves when another node serves it; returns what was killed. */
  failOver(slot: number): Promise<ClusterNode>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const SLOTS = 16_384;

/** Starts the nodes and resolves when all agree that every slot is served. */
export async function startRedisCluster({
  masters = 3,
  replicasEach = 0,
  nodeTimeoutMs = 1_000,
  program,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const count = masters * (1 + replicasEach);
  const started = await Promise.allSettled(
    Array.from({ length: count }, () => startNode(nodeTimeoutMs, program)),
  );
  const nodes = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const failed = started.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
    await join(nodes, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  return clusterOf(nodes, masters, stop);
}

interface BusNode extends ClusterNode {
  readonly busPort: number;
}

async function startNode(nodeTimeoutMs: number, program?: string): Promise<BusNode> {
  const busPort = await freePort();
  const args = ["--cluster-enabled", "yes", "--cluster-port", String(busPort)];
  const server = await startRedis({
    args: [
      ...args,
      ...["--cluster-node-timeout", String(nodeTimeoutMs)],
      // A replica takes over however long it was cut off, and does not change sides.
      ...["--cluster-replica-validity-factor", "0", "--cluster-allow-replica-migration", "no"],
      ...["--repl-diskless-sync-delay", "0"],
    ],
    ...(program === undefined ? undefined : { program }),
  });
  const id = String(await redisCommand(server.port, "CLUSTER", "MYID"));
  // Defined on the server itself: a copy would freeze the pid.
  return Object.assign(server, { id, busPort });
}

async function join(nodes: readonly BusNode[], masters: number): Promise<void> {
  const [first] = nodes;
  for (const [index, node] of nodes.entries()) {
    await redisCommand(node.port, "CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
    if (first !== undefined && node !== first) {
      const at = [first.port, first.busPort].map(String);
      await redisCommand(node.port, "CLUSTER", "MEET", "127.0.0.1", ...at);
    }
    if (index < masters) {
      const from = Math.floor((index * SLOTS) / masters);
      const to = Math.floor(((index + 1) * SLOTS) / masters) - 1;
      await redisCommand(node.port, "CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
    }
  }
  const agree = (extra: (node: BusNode) => Promise<boolean>) => async (): Promise<boolean> => {
    const answers = await Promise.all(
      nodes.map(async (node) => {
        const info = fieldsOf(await redisCommand(node.port, "CLUSTER", "INFO"));
        const known = info.cluster_known_nodes === String(nodes.length);
        return info.cluster_state === "ok" && known && (await extra(node));
      }),
    );
    return answers.every(Boolean);
  };
  await until(
    "the nodes know each other",
    agree(async () => true),
  );
  for (const [index, node] of nodes.entries()) {
    const master = nodes[index % masters];
    if (index >= masters && master !== undefined) {
      await redisCommand(node.port, "CLUSTER", "REPLICATE", master.id);
    }
  }
  await until(
    "every replica has its master's data",
    agree(async (node) => {
      if (nodes.indexOf(node) < masters) return true;
      return (
        fieldsOf(await redisCommand(node.port, "INFO", "replication")).master_link_status === "up"
      );
    }),
  );
  // And every node knows which is whose, or a client that asks it early misses replicas.
  await until(
    "all nodes tell the same of the cluster",
    agree(async (node) => {
      const lines = String(await redisCommand(node.port, "CLUSTER", "NODES"))
        .trim()
        .split("\n");
      return lines.filter((line) => line.includes("slave")).length === nodes.length - masters;
    }),
  );
}

function clusterOf(
  nodes: readonly BusNode[],
  masters: number,
  stop: () => Promise<void>,
): RedisCluster {
  const down = new Set<BusNode>();
  const up = (): readonly BusNode[] => nodes.filter((node) => !down.has(node));

  async function ownerSeenBy(node: BusNode, slot: number): Promise<BusNode | undefined> {
    const ranges = (await redisCommand(node.port, "CLUSTER", "SLOTS")) as [
      from: number,
      to: number,
      master: [host: string, port: number],
    ][];
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    return nodes.find((each) => each.port === port);
  }

  async function ownerOf(slot: number): Promise<BusNode> {
    const [asked] = up();
    const owner = asked && (await ownerSeenBy(asked, slot));
    if (owner === undefined) throw new Error(`no node serves slot ${slot}`);
    return owner;
  }

  async function mastersNow(): Promise<readonly BusNode[]> {
    const roles = await Promise.all(up().map(({ port }) => redisCommand(port, "ROLE")));
    return up().filter((_, index) => (roles[index] as unknown[])[0] === "master");
  }

  return {
    masters: nodes.slice(0, masters),
    replicas: nodes.slice(masters),
    ports: nodes.map(({ port }) => port),
    ownerOf,
    async moveSlot(slot, to, pauseMs = 0) {
      const from = await ownerOf(slot);
      const set = (node: TestServer, ...state: string[]): Promise<unknown> =>
        redisCommand(node.port, "CLUSTER", "SETSLOT", String(slot), ...state);
      await set(to, "IMPORTING", from.id);
      await set(from, "MIGRATING", to.id);
      for (;;) {
        await delay(pauseMs);
        const keys = (await redisCommand(
          from.port,
          ...["CLUSTER", "GETKEYSINSLOT", String(slot), "1"],
        )) as string[];
        if (keys.length === 0) break;
        const at = ["127.0.0.1", String(to.port), "", "0", "5000"];
        await redisCommand(from.port, "MIGRATE", ...at, "KEYS", ...keys);
      }
      for (const node of [to, from, ...(await mastersNow())]) await set(node, "NODE", to.id);
    },
    async failOver(slot) {
      const killed = await ownerOf(slot);
      down.add(killed);
      killed.kill("SIGKILL");
      await until("another node serves the slot", async () => {
        const seen = await Promise.all(
          up().map(async (node) => {
            const { cluster_state } = fieldsOf(await redisCommand(node.port, "CLUSTER", "INFO"));
            return cluster_state === "ok" ? ownerSeenBy(node, slot) : undefined;
          }),
        );
        return seen.every((owner) => owner !== undefined && owner !== killed);
      });
      return killed;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
