// What each primitive costs on a real Postgres: one statement, a second one where it comes otherwise than
// the last ones did, and nothing written for a refusal.
import type { Stamp, StampedWrite } from "@onceproof/core/advanced";
import {
  createPostgresStore,
  migrate,
  type PgStatement,
  type PostgresStore,
} from "@onceproof/sql-adapter";
import { missing, newOpId, type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const NEXTS: readonly StampedWrite["next"][] = [
  ...[60_000, "keep" as const].map((ttlMs) => ({ value: "w", ttlMs })),
  ...([{ touch: true, ttlMs: 60_000 }, "removed"] as const),
];

describe.skipIf(missing("postgres"))("what a primitive costs on a real Postgres", () => {
  let server: PostgresServer;
  let client: pg.Client;
  let store: PostgresStore;
  let sent: PgStatement[] = [];
  let underWay = 0;
  let mostUnderWay = 0;

  beforeAll(async () => {
    server = await startPostgres({ settings: { autovacuum: "off" } });
    client = new pg.Client(server.connection);
    await client.connect();
    await migrate(client);
    const counting = {
      async query(statement: PgStatement) {
        sent.push(statement);
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        const result = await client.query(statement);
        underWay -= 1;
        return result;
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

  /** The first words of what is sent meanwhile. */
  async function wordsOf(work: () => Promise<unknown>): Promise<string[]> {
    sent = [];
    await work();
    return sent.map(({ text }) => text.split(/\s/)[0] ?? "");
  }

  test("a read is one statement, and so is a write where nothing is in its way", async () => {
    let stamp: Stamp = { revision: 0, opId: "" };
    const then = async (next: StampedWrite["next"]): Promise<void> => {
      const opId = newOpId();
      const result = await store.write({ key: "way", opId, expect: stamp, next });
      stamp = { revision: result.outcome === "applied" ? result.revision : 0, opId };
    };
    const calls = [
      async () => {
        stamp = await create("way");
      },
      () => store.read("way"),
      () => then({ value: "w", ttlMs: 60_000 }),
      () => then({ value: "w", ttlMs: "keep" }),
      () => then({ touch: true, ttlMs: 60_000 }),
      () => then("removed"),
    ];
    const sentBy: string[] = [];
    for (const call of calls) sentBy.push(...(await wordsOf(call)));
    expect(sentBy).toEqual(["INSERT", "SELECT", "UPDATE", "UPDATE", "UPDATE", "UPDATE"]);
  });

  test("a write that comes otherwise than the last ones is two, and one once it is expected", async () => {
    const key = (name: string): string => `3:pay5:dedup${name.length}:${name}`;
    await create(key("k"));
    await create(key("l"));
    const first = await wordsOf(() => create(key("k")));
    const second = await wordsOf(() => create(key("k")));
    const third = await wordsOf(() => create(key("k")));
    expect([first, second, third]).toEqual([["INSERT", "WITH"], ["INSERT", "WITH"], ["WITH"]]);
    // What it has learned is of these keys, and of creating.
    expect(await wordsOf(() => create("4:else4:lock1:k"))).toEqual(["INSERT"]);
    const refused = { key: key("k"), opId: newOpId(), expect: { revision: 1, opId: newOpId() } };
    const remove = () => store.write({ ...refused, next: "removed" });
    expect(await wordsOf(remove)).toEqual(["UPDATE", "WITH"]);
    const later = async () => {
      for (const name of ["m", "n", "o"]) await create(key(name));
    };
    expect(await wordsOf(later)).toEqual(["WITH", "WITH", "INSERT"]);
  });

  test("several writes are one statement, applied, refused or replayed", async () => {
    const taken = await create("all taken");
    const next = { value: "v", ttlMs: "never" } as const;
    const set = { key: "all taken", expect: taken, next } as const;
    const all = {
      opId: newOpId(),
      writes: [
        set,
        ...["a", "b"].map((key) => ({ key: `all ${key}`, expect: "absent", next }) as const),
      ],
    };
    sent = [];
    expect(await store.writeAll(all)).toMatchObject({ outcome: "applied", replayed: false });
    expect(await store.writeAll(all)).toMatchObject({ outcome: "applied", replayed: true });
    expect(await store.writeAll({ ...all, opId: newOpId() })).toMatchObject({ outcome: "refused" });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ name }) => name)).size).toBe(1);
  });

  test("a sweep of a small table is one statement", async () => {
    await store.sweep({ limit: 10 });
    expect(sent).toHaveLength(1);
  });

  test("a Client is given one statement at a time", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, id) => create(`turn ${id}`)));
    expect([sent.length, mostUnderWay]).toEqual([20, 1]);
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

  // S0: only a live entry bears a stamp.
  test("the stamp of a removal is nobody's", async () => {
    const expected = await create("removed");
    const opId = newOpId();
    const gone = await store.write({ key: "removed", opId, expect: expected, next: "removed" });
    const stamp = { revision: gone.outcome === "applied" ? gone.revision : 0, opId };
    for (const next of [{ value: "v", ttlMs: "keep" }, "removed"] as const) {
      const write = { key: "removed", opId: newOpId(), expect: stamp, next };
      expect(await store.write(write)).toMatchObject({ outcome: "refused" });
    }
  });

  // S3: as after the server's clock stepped back by ten minutes.
  test("revisions go on from one that is ahead of the clock", async () => {
    const key = "ahead";
    let { revision, opId } = await create(key);
    revision += 600_000_000;
    await client.query("UPDATE onceproof SET rev = $1 WHERE k = $2", [revision, Buffer.from(key)]);
    const next = { value: "v", ttlMs: 60_000 };
    const nexts = [next, { touch: true, ttlMs: 1000 }, { value: "kept", ttlMs: "keep" }] as const;
    for (const then of [...nexts, "removed", "created"] as const) {
      const expected = { revision, opId };
      opId = newOpId();
      const result = await (then === "created"
        ? store.write({ key, opId, expect: "absent", next })
        : store.write({ key, opId, expect: expected, next: then }));
      expect(result).toMatchObject({ outcome: "applied", revision: revision + 1 });
      revision += 1;
      expect((await store.read(key)).revision).toBe(revision);
    }
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
      const next = { value: "v", ttlMs: "never" } as const;
      const writes = [{ key: "quiet", expect: "absent", next }] as const;
      await store.writeAll({ opId: newOpId(), writes });
      await store.write({ key: "quiet", opId: newOpId(), expect: other, next: "removed" });
    };
    await refusals();
    const before = await logBytes();
    for (let round = 0; round < 20; round += 1) await refusals();
    expect((await logBytes()) - before).toBeLessThan(500);
  });

  test("no statement looks through a big table, however it was planned", async () => {
    await client.query(`INSERT INTO onceproof (k, v, rev, op, at)
      SELECT int4send(n), 'v', n, 'op', n FROM generate_series(1, 50000) n`);
    await client.query("ANALYZE onceproof");
    // Refused, so that both are sent; keys of factories of their own, of which nothing is known.
    await create("1:a4:plan1:k");
    await create("1:a4:plan1:k");
    for (const [n, next] of NEXTS.entries()) {
      const other = { revision: 1, opId: newOpId() };
      await store.write({ key: `1:${n}4:plan1:k`, opId: newOpId(), expect: other, next });
    }
    const named = `SELECT name, cardinality(parameter_types) AS n FROM pg_prepared_statements
      WHERE name LIKE 'onceproof%' AND name NOT LIKE 'onceproof_sweep%'`;
    const { rows } = await client.query<{ name: string; n: number }>(named);
    const kinds = ["create", "replace", "keep", "touch", "remove"];
    expect(rows.map(({ name }) => name.slice("onceproof_".length, -17))).toEqual(
      expect.arrayContaining(kinds.flatMap((kind) => [kind, `${kind}_short`])),
    );
    for (const mode of ["force_generic_plan", "force_custom_plan"]) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      for (const { name, n } of rows) {
        const parameters = Array(n).fill("'1'").join(", ");
        const plan = await client.query(`EXPLAIN EXECUTE "${name}" (${parameters})`);
        expect(JSON.stringify(plan.rows), name).not.toMatch(/Seq Scan/);
      }
    }
    await client.query("RESET plan_cache_mode");
  });
});
