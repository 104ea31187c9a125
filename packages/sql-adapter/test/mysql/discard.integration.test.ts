// A connection of the mariadb driver that owes an answer is given up without a KILL: the driver sends
// it through a connection of its own, and a failure of it would end the process.
import { createMysqlStore, migrate } from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  missing,
  newOpId,
  startMariadb,
  startTcpProxy,
  until,
} from "@onceproof/test-servers";
import * as mariadb from "mariadb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseNext } from "../support/mysql-pools.js";

describe.skipIf(missing("mariadb"))("on a real MariaDB", () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server.stop());

  test("an answer that is overdue costs the connection, and nothing that nobody can catch", async () => {
    const proxy = await startTcpProxy(server.port);
    const settings = { port: proxy.port, connectionLimit: 1, acquireTimeout: 5_000 };
    const pool = mariadb.createPool({ ...server.connection, ...settings });
    pool.on("error" as "release", () => {});
    await migrate(pool);
    const store = createMysqlStore({ client: pool, operationTimeoutMs: 500 });
    const write = { opId: newOpId(), expect: "absent" } as const;
    const next = { value: "1", ttlMs: "never" } as const;
    await store.write({ ...write, key: "before", next });
    let kills = 0;
    proxy.addRule((chunk) => {
      if (!chunk.includes("KILL ")) return undefined;
      kills += 1;
      return "loseRequest";
    });
    loseNext(proxy, "swallowReply");
    const overdue = { ...write, key: "overdue", next };
    expect(await store.write(overdue)).toMatchObject({ outcome: "unknown" });
    await until("its place is free", async () => pool.activeConnections() === 0);
    expect(await store.write(overdue)).toMatchObject({ outcome: "applied", replayed: true });
    expect(pool.totalConnections()).toBe(1);
    expect(kills).toBe(0);
    await pool.end();
    await proxy.close();
  });
});
