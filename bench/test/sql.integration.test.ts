// Every contestant does its job on the real databases, and costs the statements that the tables say.
// Nothing is timed here.
import { missing } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECEIPT } from "../src/compare/users.js";
import { openMariadbArena } from "../src/sql/mariadb/arena.js";
import { openPostgresArena, type PostgresArena } from "../src/sql/postgres/arena.js";
import { fillTable, keyOf } from "../src/sql/postgres/filled-table.js";
import { measureGrowth } from "../src/sql/postgres/growth.js";
import { measureSweep } from "../src/sql/postgres/sweep.js";
import type { SqlArena } from "../src/sql/sql-arena.js";
import { openSqliteArena } from "../src/sql/sqlite/arena.js";

/** The statements of each of ours, and how many the others send. */
async function callsOn(arena: SqlArena): Promise<Record<string, string>> {
  const calls: Record<string, string> = {};
  for (const { name, contestants } of arena.comparisons) {
    for (const contestant of contestants) {
      calls[`${name}: ${contestant.name}`] = (await arena.calls(contestant)).join(" ");
    }
  }
  return calls;
}

async function locksForOne({ locks, clear }: SqlArena): Promise<void> {
  for (const { name, cycle, tryHold } of locks) {
    await clear();
    await cycle("order");
    const held = [await tryHold("order"), await tryHold("order"), await tryHold("other")];
    expect(held, name).toEqual([true, false, true]);
  }
}

async function runsOnce({ dedups, clear }: SqlArena): Promise<void> {
  for (const { name, run } of dedups) {
    await clear();
    let ran = 0;
    const handler = () => {
      ran += 1;
      return RECEIPT;
    };
    expect([await run("order", handler), await run("order", handler)], name).toEqual([
      RECEIPT,
      RECEIPT,
    ]);
    expect(ran, name).toBe(1);
    await run("other", handler);
    expect(ran, name).toBe(2);
  }
}

/** How many payments two calls with one key make, by whoever makes them. */
async function paymentsOf({
  transactions,
  clear,
  payments,
}: SqlArena): Promise<Record<string, number>> {
  const paid: Record<string, number> = {};
  for (const { name, pay } of transactions) {
    await clear();
    await pay("order");
    await pay("order");
    paid[name] = await payments();
  }
  return paid;
}

const ONCE = {
  "your own BEGIN, INSERT, COMMIT": 2,
  "the same with a key, by hand": 1,
  onceproof: 1,
  "onceproof, bound to your transaction": 1,
};

describe.skipIf(missing("postgres"))("the contestants on a real Postgres", () => {
  let arena: PostgresArena;
  beforeAll(async () => {
    arena = await openPostgresArena({ concurrency: [4], rows: 0 });
  });
  afterAll(() => arena?.[Symbol.asyncDispose]());

  it("lock for one at a time, and free again once released", () => locksForOne(arena));
  it("run a request once and replay its receipt", () => runsOnce(arena));

  it("pay once for a key, but for the one that has none", async () => {
    expect(await paymentsOf(arena)).toEqual(ONCE);
  });

  it("enqueue a job once", async () => {
    expect(arena.enqueuers.length).toBe(5);
    for (const { name, enqueue } of arena.enqueuers) {
      await arena.clear();
      const told = [await enqueue("a"), await enqueue("a"), await enqueue("b")];
      expect(told, name).toEqual([true, false, true]);
    }
  });

  it("send the same statements each time, ours one for each store call", async () => {
    const calls = await callsOn(arena);
    expect(calls).toMatchObject({
      "postgres: lock, acquire and release: onceproof": "INSERT UPDATE",
      "postgres: dedup, first run: onceproof": "INSERT UPDATE",
      "postgres: dedup, replay: onceproof": "WITH",
      "postgres: record and effect in one transaction: onceproof":
        "BEGIN INSERT INSERT UPDATE COMMIT",
      "postgres: record and effect in one transaction: onceproof, bound to your transaction":
        "BEGIN INSERT INSERT UPDATE COMMIT",
      "postgres: enqueue once, first: onceproof createUniqueInsert": "INSERT",
      "postgres: enqueue once, duplicate: onceproof createUniqueInsert": "WITH",
    });
  });

  it("fill tables with records that the dedup takes for its own, and frees once they expired", async () => {
    const { store, dedup } = await fillTable(
      arena.pool,
      "filled",
      { rows: 1_000, expired: 400 },
      () => {},
    );
    let ran = 0;
    const run = (row: number) =>
      dedup.run(keyOf(row), () => {
        ran += 1;
        return { id: "another" };
      });
    expect([await run(400), await run(999)]).toEqual([RECEIPT, RECEIPT]);
    expect(ran).toBe(0);
    let freed = 0;
    for (let more = -1; more !== 0; ) {
      more = await store.sweep({ limit: 150 });
      freed += more;
    }
    expect(freed).toBe(400);
    await run(399);
    expect(ran).toBe(1);
  });

  it("are swept and used in turns, and tell both", async () => {
    const run = { timeMs: 100, seed: 1, concurrency: 4, onProgress: () => {} };
    const figures = await measureSweep(arena.pool, run, 40_000);
    expect(figures.map(({ unit }) => unit)).toEqual([
      ...["per second", "per second"],
      ...["ms", "ms", "times", "ms", "ms", "times"],
    ]);
    expect(figures[0]?.value).toBeGreaterThan(0);
  });

  it("compare each operation in a small and a large table", async () => {
    const run = { timeMs: 1, seed: 1, concurrency: 4, onProgress: () => {} };
    const figures = await measureGrowth(arena.pool, arena, 20_000, run);
    expect(figures.map(({ name }) => name)).toEqual(
      ["dedup, first run", "dedup, replay", "lock, acquire and release"].flatMap((name) => [
        `${name}: 10,000 rows`,
        `${name}: 20,000 rows`,
        `${name}: large beside small`,
      ]),
    );
    expect(figures.filter(({ goal }) => goal === 1.3).length).toBe(3);
  });
});

describe.skipIf(missing("mariadb"))("the contestants on a real MariaDB", () => {
  let arena: SqlArena;
  beforeAll(async () => {
    arena = await openMariadbArena([4]);
  });
  afterAll(() => arena?.[Symbol.asyncDispose]());

  it("lock for one at a time, and free again once released", () => locksForOne(arena));
  it("run a request once and replay its receipt", () => runsOnce(arena));
  it("pay once for a key, but for the one that has none", async () => {
    expect(await paymentsOf(arena)).toEqual(ONCE);
  });
  it("send the same statements each time", async () => {
    expect(await callsOn(arena)).toMatchObject({
      "mariadb: dedup, first run: onceproof": "INSERT UPDATE",
      "mariadb: dedup, first run: bare INSERT + UPDATE or SELECT": "INSERT UPDATE",
    });
  });
});

describe("the contestants on a SQLite file", () => {
  let arena: SqlArena;
  beforeAll(async () => {
    arena = await openSqliteArena();
  });
  afterAll(() => arena?.[Symbol.asyncDispose]());

  it("lock for one at a time, and free again once released", () => locksForOne(arena));
  it("run a request once and replay its receipt", () => runsOnce(arena));
  it("pay once for a key, but for the one that has none", async () => {
    expect(await paymentsOf(arena)).toEqual(ONCE);
  });
  it("send the same statements each time", async () => {
    const calls = await callsOn(arena);
    expect(calls).toMatchObject({
      "sqlite: dedup, replay: onceproof": "SELECT",
      "sqlite: dedup, first run: bare INSERT + UPDATE or SELECT": "INSERT UPDATE",
    });
  });
});
