// The whole kit with the next major of both clients: one on a real Redis, one on a real Valkey.
import { missing, startRedis, startValkey, type TestServer } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../simulator/test/support/register-cases.js";
import { ioredis6Plain, nodeRedis6 } from "./support/clients.js";
import { LACKS, serverHarness } from "./support/conformance-fixture.js";

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describe(`with ${nodeRedis6.name}`, () => {
    const harness = serverHarness(() => server, nodeRedis6);
    afterAll(() => harness.destroy());
    registerCases(harness, { lacks: LACKS });
  });
});

describe.skipIf(missing("valkey"))("on a real Valkey", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(() => server.stop());

  describe(`with ${ioredis6Plain.name}`, () => {
    const harness = serverHarness(() => server, ioredis6Plain);
    afterAll(() => harness.destroy());
    registerCases(harness, { lacks: LACKS });
  });
});
