// What each primitive costs on a real MariaDB, in statements.
import type { Stamp } from "@onceproof/core/advanced";
import { createMysqlStore, type MysqlStore, migrate } from "@onceproof/sql-adapter";
import { type MariadbServer, missing, newOpId, startMariadb } from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

describe.skipIf(missing("mariadb"))("what a primitive costs on a real MariaDB", () => {
  let server: MariadbServer;
  let connection: mysql.Connection;
  let store: MysqlStore;
  let sent: string[] = [];

  beforeAll(async () => {
    server = await startMariadb();
    connection = await mysql.createConnection(server.connection);
    await migrate(connection);
    const counting = {
      execute(query: mysql.QueryOptions, values: never) {
        sent.push(query.sql);
        return connection.execute(query, values) as Promise<[unknown, unknown]>;
      },
      query(query: mysql.QueryOptions, values: never) {
        sent.push(query.sql);
        return connection.query(query, values) as Promise<[unknown, unknown]>;
      },
    };
    store = createMysqlStore({ client: counting });
    await store.read("the connection has been looked at");
  });
  beforeEach(() => {
    sent = [];
  });
  afterAll(async () => {
    await connection.end();
    await server.stop();
  });

  const next = { value: "v", ttlMs: 60_000 } as const;
  async function create(key: string): Promise<Stamp> {
    const opId = newOpId();
    const result = await store.write({ key, opId, expect: "absent", next });
    return { revision: result.outcome === "applied" ? result.revision : 0, opId };
  }
  /** The statements that the calls took. */
  async function cost(...calls: (() => Promise<unknown>)[]): Promise<number[]> {
    const costs: number[] = [];
    for (const call of calls) {
      sent = [];
      await call();
      costs.push(sent.length);
    }
    return costs;
  }

  test("a read is 1; a create 1, refused 2; a change 1, refused 2; over a tombstone 3", async () => {
    let stamp = { revision: 0, opId: "" };
    const change = (then: typeof next | "removed" | { touch: true; ttlMs: 1000 }) => async () => {
      const opId = newOpId();
      const write = { key: "k", opId, expect: stamp, next: then } as const;
      const result = await store.write(write);
      if (result.outcome === "applied") stamp = { revision: result.revision, opId };
      return result;
    };
    const made = async () => {
      stamp = await create("k");
    };
    const stale = async () => {
      const other = { revision: 1, opId: newOpId() };
      await store.write({ key: "k", opId: newOpId(), expect: other, next: "removed" });
    };
    const costs = await cost(
      () => store.read("k"),
      made,
      () => create("k"),
      change(next),
      change({ touch: true, ttlMs: 1000 }),
      stale,
      change("removed"),
      () => create("k"),
    );
    expect(costs).toEqual([1, 1, 2, 1, 1, 2, 1, 3]);
  });

  test("where creates mostly meet rows, one is 1 refused, 2 over a tombstone and 2 without a row", async () => {
    const key = (name: string): string => `3:pay5:dedup${name.length}:${name}`;
    const stamp = await create(key("k"));
    const again = () => create(key("k"));
    const remove = () =>
      store.write({ key: key("k"), opId: newOpId(), expect: stamp, next: "removed" });
    const anew = (name: string) => () => create(key(name));
    const costs = await cost(again, again, again, remove, again, anew("l"), anew("m"), anew("n"));
    expect(costs).toEqual([2, 2, 1, 1, 2, 2, 2, 1]);
  });

  test("what keeps its expiry is 2, refused 1", async () => {
    const stamp = await create("keep");
    const keep = { value: "w", ttlMs: "keep" } as const;
    const set = () => store.write({ key: "keep", opId: newOpId(), expect: stamp, next: keep });
    expect(await cost(set, set)).toEqual([2, 1]);
  });

  test("writeAll is 5, and 1 for each row that was there and 1 for all that are new", async () => {
    const stamp = await create("all");
    const set = { key: "all", expect: stamp, next } as const;
    const fresh = (key: string) => ({ key, expect: "absent", next }) as const;
    const send = (...writes: (typeof set | ReturnType<typeof fresh>)[]) => {
      const opId = newOpId();
      return () => store.writeAll({ opId, writes });
    };
    const applied = send(set, fresh("all a"), fresh("all b"));
    const costs = await cost(applied, applied, send(fresh("all a"), fresh("all c")));
    expect(costs).toEqual([7, 5, 6]);
  });

  test("a sweep that finds nothing is 1 for each stretch", async () => {
    expect(await cost(() => store.sweep({ limit: 10 }))).toEqual([1]);
  });

  test("the server limits each statement by itself, and sessions stay as they are", async () => {
    await store.read("limited");
    expect(sent[0]).toMatch(
      /^SET STATEMENT max_statement_time = 1.600, innodb_lock_wait_timeout = 1 FOR/,
    );
    const [rows] = await connection.query("SELECT @@innodb_lock_wait_timeout AS wait");
    expect(rows).toEqual([{ wait: 50 }]);
  });
});
