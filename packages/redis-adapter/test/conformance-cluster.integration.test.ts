// The whole kit on a real cluster of three masters.
import { missing, type RedisCluster, startRedisCluster } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../simulator/test/support/register-cases.js";
import { ioredisClusterPlain, nodeRedisCluster6 } from "./support/clients.js";
import { clusterHarness, LACKS } from "./support/conformance-fixture.js";

describe.skipIf(missing("redis"))("on a real cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    // A node that is killed and comes back must not count as failed in between.
    cluster = await startRedisCluster({ nodeTimeoutMs: 5000 });
  });
  afterAll(() => cluster.stop());

  describe.each([ioredisClusterPlain, nodeRedisCluster6])("with $name", (kind) => {
    const harness = clusterHarness(() => cluster, kind);
    afterAll(() => harness.destroy());
    registerCases(harness, { lacks: LACKS });
  });
});
