// The whole conformance kit on a real Redis with both clients, through a proxy that can lose
// messages.
import { missing, startRedis, type TestServer } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../simulator/test/support/register-cases.js";
import { ioredisPlain, nodeRedis } from "./support/clients.js";
import { LACKS, serverHarness } from "./support/conformance-fixture.js";

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describe.each([ioredisPlain, nodeRedis])("with $name", (kind) => {
    const harness = serverHarness(() => server, kind);
    afterAll(() => harness.destroy());
    registerCases(harness, { lacks: LACKS });
  });
});
