// The whole conformance kit on a real Redis, with each client, through a proxy that can lose
// messages.
import { createRedisStore } from "@onceproof/redis-adapter";
import type { ConformanceFixture, Need } from "@onceproof/simulator/conformance";
import { missing, startRedis, startTcpProxy, type TestServer } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../simulator/test/support/register-cases.js";
import { type ClientKind, ioredisPlain, nodeRedis } from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const OPERATION_TIMEOUT_MS = 500;
let namespaces = 0;

async function fixture(server: TestServer, kind: ClientKind): Promise<ConformanceFixture> {
  namespaces += 1;
  const keyPrefix = `conformance-${namespaces}`;
  const proxy = await startTcpProxy(server.port);
  const open = [await kind.open(proxy.port), await kind.open(server.port)] as const;
  const [own, other] = open;
  const options = { keyPrefix, operationTimeoutMs: OPERATION_TIMEOUT_MS };
  const peer = createRedisStore({ ...options, client: other.client });
  await warmUp(peer);
  return {
    store: createRedisStore({ ...options, client: own.client }),
    peer,
    otherNamespace: createRedisStore({
      ...options,
      client: other.client,
      keyPrefix: `${keyPrefix}-other`,
    }),
    otherNamespaceTail: "-other",
    loseReply: () => proxy.once("loseReply", "EVALSHA"),
    loseRequest: () => proxy.once("loseRequest", "EVALSHA"),
    stall: () => proxy.hold(),
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
      await warmUp(createRedisStore({ client: other.client, operationTimeoutMs: 5000 }));
      return peer;
    },
    async close() {
      for (const { close } of open) {
        close();
      }
      await proxy.close();
    },
  };
}

// Capabilities to come, and a server's clock, which only a clock shim could drive.
const LACKS: readonly Need[] = ["transaction", "sweep", "advance", "stepBack"];

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describe.each([ioredisPlain, nodeRedis])("with $name", (kind) => {
    registerCases({ create: () => fixture(server, kind) }, { lacks: LACKS });
  });
});
