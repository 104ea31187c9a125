// The data sets of the conformance kit on a real server or a real cluster: an own client behind
// proxies that can lose messages, and others that are not.
import { createRedisStore, type RedisStoreOptions } from "@onceproof/redis-adapter";
import type { ConformanceFixture, Need } from "@onceproof/simulator/conformance";
import {
  fieldsOf,
  type RedisCluster,
  redisCommand,
  startTcpProxy,
  type TcpProxy,
  type TestServer,
  until,
  type Verdict,
} from "@onceproof/test-servers";
import type { ClientKind, GroupClientKind, OpenClient } from "./clients.js";
import { warmUp } from "./warm-up.js";

/** What Redis has no such thing as, and a clock that only a shim could drive. */
export const LACKS: readonly Need[] = ["transaction", "sweep", "advance", "stepBack"];

const OPERATION_TIMEOUT_MS = 500;
const RESTART_MS = 10_000;
let namespaces = 0;

/** Where the data sets are. */
interface Site {
  /** A proxy before each server. */
  readonly proxies: readonly TcpProxy[];
  readonly own: OpenClient;
  readonly other: OpenClient;
  readonly keyPrefix: string;
  restart(): Promise<void>;
}

async function fixtureAt(site: Site): Promise<ConformanceFixture> {
  const { proxies, own, other, keyPrefix } = site;
  const open = (client: OpenClient, more: Partial<RedisStoreOptions> = {}) =>
    createRedisStore({
      keyPrefix,
      operationTimeoutMs: OPERATION_TIMEOUT_MS,
      ...more,
      client: client.client,
    });
  const peer = open(other);
  await warmUp(peer);
  // Whichever server the next call goes to.
  const once = (verdict: Verdict): void => {
    const lifts = proxies.map((proxy) =>
      proxy.addRule((request) => {
        if (!request.includes("EVALSHA")) return undefined;
        for (const lift of lifts) lift();
        return verdict;
      }),
    );
  };
  return {
    store: open(own),
    peer,
    otherNamespace: open(other, { keyPrefix: `${keyPrefix}-other` }),
    otherNamespaceTail: "-other",
    loseReply: () => once("loseReply"),
    loseRequest: () => once("loseRequest"),
    stall() {
      const lifts = proxies.map((proxy) => proxy.hold());
      return () => {
        for (const lift of lifts) lift();
      };
    },
    async restart() {
      await site.restart();
      await warmUp(open(other, { operationTimeoutMs: RESTART_MS }));
      return peer;
    },
    async close() {
      own.close();
      other.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

/** A data set on one server. */
export async function serverFixture(
  server: TestServer,
  kind: ClientKind,
): Promise<ConformanceFixture> {
  namespaces += 1;
  const proxy = await startTcpProxy(server.port);
  return fixtureAt({
    proxies: [proxy],
    own: await kind.open(proxy.port),
    other: await kind.open(server.port),
    keyPrefix: `conformance-${namespaces}`,
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
    },
  });
}

/** A data set on a cluster, in the one slot that the kit's writes of several keys need. */
export async function clusterFixture(
  cluster: RedisCluster,
  kind: GroupClientKind,
): Promise<ConformanceFixture> {
  namespaces += 1;
  const proxies = await Promise.all(cluster.ports.map((port) => startTcpProxy(port)));
  const proxied = new Map(cluster.ports.map((port, index) => [port, proxies[index]?.port ?? port]));
  return fixtureAt({
    proxies,
    own: await kind.open(cluster.ports, proxied),
    other: await kind.open(cluster.ports),
    keyPrefix: `{conformance-${namespaces}}`,
    async restart() {
      const [server] = cluster.masters;
      server?.kill("SIGKILL");
      await server?.restart();
      await until("the cluster serves again", async () => {
        const states = await Promise.all(
          cluster.ports.map((port) => redisCommand(port, "CLUSTER", "INFO")),
        );
        return states.every((state) => fieldsOf(state).cluster_state === "ok");
      });
    },
  });
}
