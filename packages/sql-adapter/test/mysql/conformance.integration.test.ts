// The whole conformance kit on a real MariaDB with each driver, through a proxy that can lose
// messages.
import type { ConformanceFixture, Need } from "@onceproof/simulator/conformance";
import { createMysqlStore, migrate } from "@onceproof/sql-adapter";
import {
  hurriedTime,
  type MariadbServer,
  missing,
  startMariadb,
  startTcpProxy,
} from "@onceproof/test-servers";
import mysql, { type Pool } from "mysql2/promise";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import { loseNext, type OpenMysqlPool, openMariadb, openMysql2 } from "../support/mysql-pools.js";

const TABLE = "conformance";
const OTHER = "conformance other";

/** Making a table waits for the disk; emptying one is enough for each case. */
async function fixture(
  server: MariadbServer,
  admin: Pool,
  open: OpenMysqlPool,
): Promise<ConformanceFixture> {
  for (const table of [TABLE, OTHER]) await admin.query(`DELETE FROM \`${table}\``);
  const proxy = await startTcpProxy(server.port);
  const own = open(server, { port: proxy.port });
  const direct = open(server);
  // A second where the calls are to fail.
  const options = { table: TABLE, operationTimeoutMs: 20_000 };
  const { runtime, hurry } = hurriedTime(5_000);
  const peer = createMysqlStore({ ...options, client: direct.client });
  return {
    store: createMysqlStore({ ...options, runtime, client: own.client }),
    peer,
    otherNamespace: createMysqlStore({ ...options, client: direct.client, table: OTHER }),
    otherNamespaceTail: " other",
    stall() {
      const lifts = [hurry(), proxy.hold()];
      return () => {
        for (const lift of lifts) lift();
      };
    },
    loseReply() {
      hurry();
      loseNext(proxy, "loseReply");
    },
    loseRequest() {
      hurry();
      loseNext(proxy, "loseRequest");
    },
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
      return peer;
    },
    async close() {
      await Promise.all([own.end(), direct.end()]);
      await proxy.close();
    },
  };
}

// Capabilities that it does not have, and a server's clock, which only a clock shim could drive.
const LACKS: readonly Need[] = ["watch", "advance", "stepBack"];

describe.skipIf(missing("mariadb"))("on a real MariaDB", () => {
  let server: MariadbServer;
  let admin: Pool;
  beforeAll(async () => {
    server = await startMariadb();
    admin = mysql.createPool(server.connection);
    for (const table of [TABLE, OTHER]) await migrate(admin, { table });
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  describe.each([
    { name: "mysql2", open: openMysql2 },
    { name: "mariadb", open: openMariadb },
  ])("with $name", ({ open }) => {
    registerCases({ create: () => fixture(server, admin, open) }, { lacks: LACKS });
  });
});
