// What each primitive costs on a real Postgres: one statement, and nothing written for a refusal.
import type { AtomicStore, Stamp } from "@onceproof/core/advanced";
import { createPostgresStore, migrate, type PgStatement } from "@onceproof/sql-adapter";
import { missing, newOpId, type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

describe.skipIf(missing("postgres"))("what a primitive costs on a real Postgres", () => {
  let server: PostgresServer;
  let client: pg.Client;
  let store: AtomicStore;
  let sent: PgStatement[] = [];

  beforeAll(async () => {
    server = await startPostgres({ settings: { autovacuum: "off" } });
    client = new pg.Client(server.connection);
    await client.connect();
    await migrate(client);
    const counting = {
      query(statement: PgStatement) {
        sent.push(statement);
        return client.query(statement);
      },
    };
    store = createPostgresStore({ client: counting });
  });
  beforeEach(() => {
    sent = [];
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  async function logBytes(): Promise<number> {
    const { rows } = await client.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS n");
    return Number((rows[0] as { n: unknown }).n);
  }

  async function create(key: string): Promise<Stamp> {
    const opId = newOpId();
    const next = { value: "v", ttlMs: 60_000 };
    const result = await store.write({ key, opId, expect: "absent", next });
    return { revision: result.outcome === "applied" ? result.revision : 0, opId };
  }

  test("every write and read is one statement, applied or refused", async () => {
    const first = await create("k");
    await create("k");
    await store.read("k");
    const opId = newOpId();
    const touch = { key: "k", opId, expect: first, next: { touch: true, ttlMs: 1000 } } as const;
    await store.write(touch);
    await store.write(touch);
    await store.write({ key: "k", opId: newOpId(), expect: first, next: "removed" });
    expect(sent).toHaveLength(6);
  });

  // S5: the latest applied opId is replayed whatever the write expects, and applies no second time.
  test("a write that expects the stamp it made itself is a replay", async () => {
    const expected = await create("own stamp");
    const { opId } = expected;
    for (const next of [{ touch: true, ttlMs: 1 }, "removed"] as const) {
      expect(await store.write({ key: "own stamp", opId, expect: expected, next })).toMatchObject({
        outcome: "applied",
        revision: expected.revision,
        replayed: true,
      });
    }
    expect((await store.read("own stamp")).entry?.stamp).toEqual(expected);
  });

  test("each text bears one name, so that it is planned once", async () => {
    await create("named");
    await create("named");
    expect(sent[0]?.name).toMatch(/^onceproof_create_/);
    expect(sent[1]).toMatchObject({ name: sent[0]?.name, text: sent[0]?.text });
  });

  test("a refusal writes nothing to the log", async () => {
    const stamp = await create("quiet");
    const other = { revision: stamp.revision, opId: newOpId() };
    const refusals = async (): Promise<void> => {
      await create("quiet");
      await store.write({ key: "quiet", opId: newOpId(), expect: other, next: "removed" });
    };
    await refusals();
    const before = await logBytes();
    for (let round = 0; round < 20; round += 1) await refusals();
    expect((await logBytes()) - before).toBeLessThan(500);
  });
});
