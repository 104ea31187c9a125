// The whole kit with the next major of both clients on a real Redis, and of one on a real Valkey.
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

  describe.each([ioredis6Plain, nodeRedis6])("with $name", (kind) => {
    const harness = serverHarness(() => server, kind);
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
