// Waking waiters by notifications on a real Postgres: what is lost on the way costs time only, and
// the connection that listens goes back when the store is closed.
import type { AtomicStore } from "@onceproof/core/advanced";
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import { missing, newOpId, type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/pg-pools.js";

describe.skipIf(missing("postgres"))("watching on a real Postgres", () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    admin = openPool(server);
    await migrate(admin);
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  const write = (store: AtomicStore, key: string) =>
    store.write({ key, opId: newOpId(), expect: "absent", next: { value: "v", ttlMs: "never" } });
  const listening = async (): Promise<number[]> => {
    const text = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    return (await admin.query(text)).rows.map(({ pid }: { pid: number }) => pid);
  };

  test("a store that does not notify cannot watch, and one that does wakes by any key", async () => {
    expect(createPostgresStore({ client: admin })).not.toHaveProperty("watch");
    const pool = openPool(server, { max: 3 });
    const store = createPostgresStore({ client: pool, notify: true });
    const peer = createPostgresStore({ client: admin, notify: true });
    const { signal } = new AbortController();
    for (const key of ["short", "é".repeat(3000), "a'b\n\0"]) {
      const woken = store.watch(key, signal);
      await expect.poll(listening).toHaveLength(1);
      await write(peer, key);
      await woken;
    }
    const both = [store.watch("all a", signal), store.watch("all b", signal)];
    const writes = ["all a", "all b"].map(
      (key) => ({ key, expect: "absent", next: { value: "v", ttlMs: "never" } }) as const,
    );
    await peer.writeAll({ opId: newOpId(), writes });
    await Promise.all(both);
    await store.close();
    await pool.end();
    expect(await listening()).toEqual([]);
  });

  test("when the connection is lost waiters wake, and the next wait listens again", async () => {
    const pool = openPool(server, { max: 3 });
    const store = createPostgresStore({ client: pool, notify: true });
    const { signal } = new AbortController();
    const lost = store.watch("lost", signal);
    await expect.poll(listening).toHaveLength(1);
    const [pid] = await listening();
    await admin.query("SELECT pg_terminate_backend($1)", [pid]);
    await lost;
    const again = store.watch("lost", signal);
    await expect
      .poll(async () => (await listening()).filter((each) => each !== pid))
      .toHaveLength(1);
    await write(createPostgresStore({ client: admin, notify: true }), "lost");
    await again;
    await store.close();
    await pool.end();
  });

  test("a server that cannot be reached is no rejection", async () => {
    const pool = openPool(server, { port: 1 });
    const store = createPostgresStore({ client: pool, notify: true });
    const controller = new AbortController();
    const watch = store.watch("gone", controller.signal);
    controller.abort();
    await watch;
    await store.close();
    await pool.end();
  });

  test("a Client listens beside its statements, and stops when the store is closed", async () => {
    const client = new pg.Client(server.connection);
    await client.connect();
    const store = createPostgresStore({ client, notify: true });
    const woken = store.watch("client", new AbortController().signal);
    await expect.poll(listening).toHaveLength(1);
    await write(store, "client");
    await woken;
    await store.close();
    const heard = await client.query("SELECT count(*)::int AS n FROM pg_listening_channels()");
    expect(heard.rows).toEqual([{ n: 0 }]);
    await client.end();
  });
});
