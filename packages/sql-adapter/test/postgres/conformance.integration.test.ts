// The whole conformance kit on a real Postgres with each driver, through a proxy that can lose
// messages.
import type { ConformanceFixture, Need } from "@onceproof/simulator/conformance";
import { createPostgresStore, migrate, type PostgresClient } from "@onceproof/sql-adapter";
import {
  hurriedTime,
  missing,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
} from "@onceproof/test-servers";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import { loseNext, openPool } from "../support/pg-pools.js";

const TABLE = "conformance";
const OTHER = "conformance other";

interface Opened {
  readonly client: PostgresClient;
  end(): Promise<unknown>;
}
type Opener = (port: number) => Promise<Opened>;

/** Making a table waits for the disk; emptying one is enough for each case. */
async function fixture(
  server: PostgresServer,
  admin: pg.Pool,
  open: Opener,
  { notify, losing }: { readonly notify: boolean; readonly losing: boolean },
): Promise<ConformanceFixture> {
  for (const table of [TABLE, OTHER]) await admin.query(`DELETE FROM "${table}"`);
  const proxy = await startTcpProxy(server.port);
  const own = await open(proxy.port);
  // Half a second where the calls are to fail.
  const options = { table: TABLE, operationTimeoutMs: 10_000, notify };
  const { runtime, hurry } = hurriedTime(5_000);
  const store = createPostgresStore({ ...options, runtime, client: own.client });
  // It never listens, so it takes none of this pool's connections for long.
  const peer = createPostgresStore({ ...options, client: admin });
  return {
    store,
    peer,
    otherNamespace: createPostgresStore({ ...options, client: admin, table: OTHER }),
    otherNamespaceTail: " other",
    stall() {
      const lifts = [hurry(), proxy.hold()];
      return () => {
        for (const lift of lifts) lift();
      };
    },
    ...(losing && {
      loseReply() {
        hurry();
        loseNext(proxy, "loseReply");
      },
      loseRequest() {
        hurry();
        loseNext(proxy, "loseRequest");
      },
    }),
    async restart() {
      server.kill("SIGKILL");
      await server.restart();
      return peer;
    },
    async close() {
      // The connection that listens goes back.
      await store.close();
      await own.end();
      await proxy.close();
    },
  };
}

describe.skipIf(missing("postgres"))("on a real Postgres", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: "200" } });
    admin = openPool(server);
    for (const table of [TABLE, OTHER]) await migrate(admin, { table });
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  const pool: Opener = async (port) => {
    const client = openPool(server, { port });
    return { client, end: () => client.end() };
  };
  const one: Opener = async (port) => {
    const options = "-c default_transaction_isolation=serializable";
    const client = new pg.Client({ ...server.connection, port, options });
    client.on("error", () => {});
    await client.connect();
    return { client, end: () => client.end() };
  };
  const postgresJs: Opener = async (port) => {
    // Before its first statement it asks for types; if that is lost, the process ends.
    const options = { max: 8, fetch_types: false, onnotice: () => {} };
    const client = postgres({ ...server.connection, port, ...options });
    return { client, end: () => client.end({ timeout: 1 }) };
  };
  // A server's clock could only be driven by a clock shim.
  const never: readonly Need[] = ["advance", "stepBack"];

  describe.each([
    { name: "a pg Pool that notifies", open: pool, notify: true, losing: true },
    { name: "postgres.js that notifies", open: postgresJs, notify: true, losing: true },
    // A connection that is cut is of no use to a Client, which does not connect again.
    { name: "a serializable pg Client", open: one, notify: false, losing: false },
  ])("with $name", ({ open, ...how }) => {
    const lacks: Need[] = [...never];
    if (!how.notify) lacks.push("watch");
    if (!how.losing) lacks.push("loseReply", "loseRequest");
    registerCases({ create: () => fixture(server, admin, open, how) }, { lacks });
  });
});
