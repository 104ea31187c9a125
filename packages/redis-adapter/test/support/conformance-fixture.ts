// The data sets of the conformance kit on a real server or a real cluster: an own client behind
// proxies that can lose messages, and another that is not. Data sets are namespaces; the clients are
// shared until a case has struck them with a fault.
import { createRedisStore, type RedisStoreOptions } from "@onceproof/redis-adapter";
import type {
  ConformanceFixture,
  ConformanceHarness,
  Need,
} from "@onceproof/simulator/conformance";
import {
  fieldsOf,
  hurriedTime,
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

/** Half a second where the calls are to fail. */
const OPERATION_TIMEOUT_MS = 10_000;
let namespaces = 0;

/** Where the data sets are. */
interface Site {
  readonly ports: readonly number[];
  /** A client by these ports in the place of the servers' own. */
  open(through: ReadonlyMap<number, number>): Promise<OpenClient>;
  keyPrefix(namespace: number): string;
  restart(): Promise<void>;
}

/** The clients of a site, and the proxies before its servers. */
interface Wiring {
  readonly proxies: readonly TcpProxy[];
  readonly own: OpenClient;
  readonly other: OpenClient;
  close(): Promise<void>;
}

async function wire({ ports, open }: Site): Promise<Wiring> {
  const proxies = await Promise.all(ports.map((port) => startTcpProxy(port)));
  const through = new Map(ports.map((port, index) => [port, proxies[index]?.port ?? port]));
  const [own, other] = await Promise.all([open(through), open(new Map())]);
  await warmUp(createRedisStore({ client: other.client, keyPrefix: "{warm-up}" }));
  return {
    proxies,
    own,
    other,
    async close() {
      own.close();
      other.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

/** The kit's harness on a site; its `destroy` is to be called at the end. */
function harnessAt(site: Site): ConformanceHarness & { destroy(): Promise<void> } {
  let wiring: Wiring | undefined;
  const unwire = async (): Promise<void> => {
    await wiring?.close();
    wiring = undefined;
  };

  async function create(): Promise<ConformanceFixture> {
    namespaces += 1;
    const keyPrefix = site.keyPrefix(namespaces);
    wiring ??= await wire(site);
    const { proxies, own, other } = wiring;
    const { runtime, hurry } = hurriedTime(5_000);
    const open = ({ client }: OpenClient, more: Partial<RedisStoreOptions> = {}) =>
      createRedisStore({ keyPrefix, operationTimeoutMs: OPERATION_TIMEOUT_MS, ...more, client });
    const peer = open(other);
    if (proxies.length > 1) {
      // The scripts must be known where this data set is, or a lost reply may be "not known" only.
      await warmUp(peer);
    }
    const lifts = new Set<() => void>();
    let struck = false;
    // Whichever server the next call goes to.
    const once = (verdict: Verdict): void => {
      struck = true;
      hurry();
      for (const proxy of proxies) {
        const lift = proxy.addRule((request) => {
          if (!request.includes("EVALSHA")) return undefined;
          for (const each of lifts) each();
          return verdict;
        });
        lifts.add(lift);
      }
    };
    return {
      store: open(own, { runtime }),
      peer,
      otherNamespace: open(other, { keyPrefix: `${keyPrefix}-other` }),
      otherNamespaceTail: "-other",
      loseReply: () => once("loseReply"),
      loseRequest: () => once("loseRequest"),
      stall() {
        struck = true;
        const lifts = [hurry(), ...proxies.map((proxy) => proxy.hold())];
        return () => {
          for (const lift of lifts) lift();
        };
      },
      async restart() {
        struck = true;
        await site.restart();
        await warmUp(open(other));
        return peer;
      },
      async close() {
        if (struck) await unwire();
      },
    };
  }
  return { create, destroy: unwire };
}

/** The kit on one server. */
export function serverHarness(
  server: () => TestServer,
  kind: ClientKind,
): ReturnType<typeof harnessAt> {
  return harnessAt({
    get ports() {
      return [server().port];
    },
    open: (through) => kind.open(through.get(server().port) ?? server().port),
    keyPrefix: (namespace) => `conformance-${namespace}`,
    async restart() {
      server().kill("SIGKILL");
      await server().restart();
    },
  });
}

/** The kit on a cluster, each data set in the one slot that the kit's writes of several keys need. */
export function clusterHarness(
  cluster: () => RedisCluster,
  kind: GroupClientKind,
): ReturnType<typeof harnessAt> {
  return harnessAt({
    get ports() {
      return cluster().ports;
    },
    open: (through) => kind.open(cluster().ports, through),
    keyPrefix: (namespace) => `{conformance-${namespace}}`,
    async restart() {
      const [server] = cluster().masters;
      server?.kill("SIGKILL");
      await server?.restart();
      await until("the cluster serves again", async () => {
        const states = await Promise.all(
          cluster().ports.map((port) => redisCommand(port, "CLUSTER", "INFO")),
        );
        return states.every((state) => fieldsOf(state).cluster_state === "ok");
      });
    },
  });
}
