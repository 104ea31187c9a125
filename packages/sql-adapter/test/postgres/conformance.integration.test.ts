// The whole conformance kit on a real Postgres, through a proxy that can lose messages.
import type { ConformanceFixture, Need } from "@onceproof/simulator/conformance";
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import {
  missing,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
} from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import { openPool } from "../support/pg-pools.js";

let tables = 0;

type Opener = (port: number) => Promise<pg.Pool | pg.Client>;

async function fixture(server: PostgresServer, open: Opener): Promise<ConformanceFixture> {
  tables += 1;
  const table = `conformance ${tables}`;
  const other = `conformance ${tables} other`;
  const proxy = await startTcpProxy(server.port);
  const own = await open(proxy.port);
  const pool = openPool(server);
  await migrate(pool, { table });
  await migrate(pool, { table: other });
  const options = { table, operationTimeoutMs: 1_000 };
  const peer = createPostgresStore({ ...options, client: pool });
  return {
    store: createPostgresStore({ ...options, client: own }),
    peer,
    otherNamespace: createPostgresStore({ ...options, client: pool, table: other }),
    otherNamespaceTail: " other",
    stall: () => proxy.hold(),
    // A connection that is cut is of no use to a Client, which does not connect again.
    ...(own instanceof pg.Pool && {
      loseReply: () => proxy.once("loseReply", "onceproof_"),
      loseRequest: () => proxy.once("loseRequest", "onceproof_"),
    }),
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
      return peer;
    },
    async close() {
      await Promise.all([own.end(), pool.end()]);
      await proxy.close();
    },
  };
}

// Capabilities to come, and a server's clock, which only a clock shim could drive.
const LACKS: readonly Need[] = ["writeAll", "transaction", "watch", "sweep", "advance", "stepBack"];

describe.skipIf(missing("postgres"))("on a real Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const pool: Opener = async (port) => openPool(server, { port });
  const client: Opener = async (port) => {
    const options = "-c default_transaction_isolation=serializable";
    const opened = new pg.Client({ ...server.connection, port, options });
    opened.on("error", () => {});
    await opened.connect();
    return opened;
  };

  describe.each([
    { name: "a Pool", open: pool, lacks: [] },
    {
      name: "a Client that is serializable by default",
      open: client,
      lacks: ["loseReply", "loseRequest"] as const,
    },
  ])("with $name", ({ open, lacks }) => {
    registerCases({ create: () => fixture(server, open) }, { lacks: [...LACKS, ...lacks] });
  });
});
