// What is particular to one database: serialization failures on Postgres, lock waits and deadlocks
// on MariaDB, and servers that are killed in the middle of commits.
import { createTransactionalDedup } from "@onceproof/core";
import { createPostgresStore } from "@onceproof/sql-adapter";
import { missing } from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "./support/pg-pools.js";
import {
  type AnyStore,
  type Driver,
  mariadb,
  mariadbPlace,
  mysql2,
  type Opened,
  type Place,
  pgPool,
  postgresJs,
  postgresPlace,
  type Row,
} from "./support/transaction-arms.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const opIdOf = (letter: string): string => letter.repeat(22);
const forever = (value: string) => ({ value, ttlMs: "never" }) as const;

function dedupOver(store: AnyStore, waitMs = 20_000) {
  return createTransactionalDedup({ store, name: "pay", onCrash: "park", waitMs });
}

async function makeAccounts(place: Place): Promise<void> {
  await place.admin("CREATE TABLE accounts (id integer PRIMARY KEY, balance integer)");
  await place.admin("CREATE TABLE transfers (k varchar(64))");
  for (let id = 0; id < 4; id += 1) {
    await place.admin("INSERT INTO accounts VALUES (?, 1000)", [id]);
  }
}

/** Moves 1 from one account to another, and writes a line of its own. */
function transfer(driver: Driver, key: string, from: number, to: number) {
  return async (tx: unknown): Promise<{ readonly moved: number }> => {
    const on = driver.on(tx);
    for (const [id, by] of [
      [from, -1],
      [to, 1],
    ]) {
      await on("UPDATE accounts SET balance = balance + ? WHERE id = ?", [by, id]);
    }
    await on("INSERT INTO transfers VALUES (?)", [key]);
    return { moved: 1 };
  };
}

/** What the accounts must hold if each of these transfers took place exactly once. */
async function expectBalances(
  place: Place,
  keys: readonly string[],
  moves: ReadonlyMap<string, readonly [number, number]>,
): Promise<void> {
  const rows = await place.admin("SELECT k FROM transfers");
  const done = rows.map(({ k }) => String(k));
  expect(done.sort()).toEqual([...keys].sort());
  const balances = [1000, 1000, 1000, 1000];
  for (const key of keys) {
    const [from, to] = moves.get(key) as readonly [number, number];
    balances[from] = (balances[from] as number) - 1;
    balances[to] = (balances[to] as number) + 1;
  }
  const found = await place.admin("SELECT balance FROM accounts ORDER BY id");
  expect(found.map(({ balance }) => Number(balance))).toEqual(balances);
}

/** Transfers between accounts at random while the server is killed; every call is asked until done. */
async function killedInTheMiddle(place: Place, driver: Driver): Promise<void> {
  const opened: Opened = await driver.open(place, { operationTimeoutMs: 1_000 });
  const dedup = dedupOver(opened.store, 3_000);
  const moves = new Map<string, readonly [number, number]>();
  let asked = 0;
  let stop = false;
  async function client(n: number): Promise<void> {
    for (let i = 0; !stop; i += 1) {
      const key = `${driver.name} ${n}.${i}`;
      const from = (n + i) % 4;
      moves.set(key, [from, (from + 1 + (i % 3)) % 4]);
      for (;;) {
        asked += 1;
        const [source, target] = moves.get(key) as readonly [number, number];
        const done = await dedup
          .attemptInTransaction(key, transfer(driver, key, source, target))
          .then(({ outcome }) => outcome === "executed" || outcome === "replayed")
          .catch(() => false);
        if (done) break;
        await sleep(20);
      }
    }
  }
  const clients = [...Array(8).keys()].map(client);
  for (let kill = 0; kill < 2; kill += 1) {
    await sleep(300);
    await place.restart?.();
  }
  await expect.poll(() => moves.size).toBeGreaterThan(16);
  stop = true;
  await Promise.all(clients);
  await expect.poll(place.openTransactions).toBe(0);
  await opened.end();
  expect(asked).toBeGreaterThan(moves.size);
  await expectBalances(place, [...moves.keys()], moves);
}

describe.skipIf(missing("postgres"))("on Postgres", () => {
  let place: Place;
  beforeAll(async () => {
    place = await postgresPlace();
    await makeAccounts(place);
  });
  afterAll(() => place.stop());

  test.each([pgPool, postgresJs])(
    "PITFALLS 36: serializable with $name: failures are retried whole, and bounded",
    async (driver) => {
      const { store, end } = await driver.open(place, { isolation: "serializable", max: 4 });
      const dedup = dedupOver(store);
      let runs = 0;
      const adding = (key: string) =>
        dedup.attemptInTransaction(key, async (tx) => {
          runs += 1;
          const on = driver.on(tx);
          // Each reads what the others write: of those at once only one can commit.
          const [row] = await on("SELECT count(*) AS n FROM transfers WHERE k LIKE 'serial%'");
          await sleep(5);
          await on("INSERT INTO transfers VALUES (?)", [`serial ${row?.n}`]);
          return Number(row?.n);
        });
      const keys = [...Array(8).keys()].map((n) => `${driver.name} serializable ${n}`);
      const results = await Promise.all(keys.map(adding));
      const values = results.map((each) => (each.outcome === "executed" ? each.value : each));
      expect(values.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(runs).toBeGreaterThan(8);
      // One whom the others always beat is told so within its time.
      const beaten = createTransactionalDedup({ store, name: "b", onCrash: "park", waitMs: 100 });
      const lost = await beaten.attemptInTransaction("beaten", async (tx) => {
        await driver.on(tx)("SELECT balance FROM accounts WHERE id = 0");
        await place.admin("UPDATE accounts SET balance = balance + 0 WHERE id = 0");
        await driver.on(tx)("UPDATE accounts SET balance = balance + 0 WHERE id = 0");
      });
      expect(lost).toMatchObject({ outcome: "contended" });
      await expect.poll(place.openTransactions).toBe(0);
      await end();
      await place.admin("DELETE FROM transfers");
    },
  );

  test("PITFALLS 43: nothing of a session outlives the transaction", async () => {
    const pool = openPool(place.postgres as never, { max: 1 });
    const store = createPostgresStore({ client: pool });
    const look = async () =>
      (
        await pool.query(
          "SELECT current_setting('lock_timeout') AS l, current_setting('idle_in_transaction_session_timeout') AS i, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS a",
        )
      ).rows;
    const before = await look();
    await store.transaction(async (tx) => {
      const { rows } = await tx.query("SHOW idle_in_transaction_session_timeout");
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: "1min" }]);
      const write = { key: "k", opId: opIdOf("A"), expect: "absent", next: forever("1") } as const;
      await store.bind(tx).write(write);
    });
    expect(await look()).toEqual(before);
    expect(before).toEqual([{ l: "0", i: "0", a: 0 }]);
    await pool.end();
  });

  test("PITFALLS 34: postgres.js commits, though a racer's insert came first within writeAll", async () => {
    const { store, end } = await postgresJs.open(place);
    const pool = openPool(place.postgres as never, { max: 1 });
    const racer = createPostgresStore({ client: pool });
    const create = { key: "racer", expect: "absent", next: forever("1") } as const;
    let inserted = (): void => {};
    const holds = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const first = racer.transaction(async (tx) => {
      await racer.bind(tx).write({ ...create, opId: opIdOf("A") });
      inserted();
      // Until the other one waits for this insert.
      const waits = "SELECT count(*) AS n FROM pg_locks WHERE NOT granted";
      await expect.poll(async () => Number((await place.admin(waits))[0]?.n)).toBeGreaterThan(0);
    });
    await holds;
    const told = await store.transaction(async (tx) => {
      const own = postgresJs.on(tx);
      await own("INSERT INTO transfers VALUES ('before the racer')");
      const all = await store.bind(tx).writeAll({ opId: opIdOf("B"), writes: [create] });
      await own("INSERT INTO transfers VALUES ('after the racer')");
      return all;
    });
    await first;
    expect(told).toMatchObject({ outcome: "refused", index: 0 });
    const rows = await place.admin("SELECT k FROM transfers WHERE k LIKE '%the racer'");
    expect(rows).toHaveLength(2);
    await place.admin("DELETE FROM transfers WHERE k LIKE '%the racer'");
    await end();
    await pool.end();
  });

  test("a function that never comes back is ended by the server, and its key is free", async () => {
    const pool = openPool(place.postgres as never, { max: 4 });
    const store = createPostgresStore({ client: pool, idleTransactionMs: 1_000 });
    const dedup = createTransactionalDedup({ store, name: "idle", onCrash: "park" });
    let late = (): void => {};
    let enter = (): void => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const stuck = dedup.attemptInTransaction("k", async (tx) => {
      await tx.query("INSERT INTO transfers VALUES ('stuck')");
      await new Promise<void>((resolve) => {
        late = resolve;
        enter();
      });
    });
    const failed = stuck.then(
      () => "answered",
      ({ code }) => code,
    );
    await entered;
    expect(await dedup.runInTransaction("k", async () => "second")).toBe("second");
    late();
    expect(await failed).toBe("unavailable");
    const { rows } = await pool.query("SELECT k FROM transfers WHERE k = 'stuck'");
    expect(rows).toEqual([]);
    await pool.end();
  });

  test("a duplicate waits also where the session's own limit for statements ends its wait", async () => {
    const settings = { statement_timeout: "50ms" };
    const pool = openPool(place.postgres as never, { max: 4, settings });
    const store = createPostgresStore({ client: pool, operationTimeoutMs: 20_000 });
    let rounds = 0;
    const counted = {
      ...store,
      transaction<T>(fn: (tx: never) => Promise<T>): Promise<T> {
        rounds += 1;
        return store.transaction(fn as never);
      },
    };
    const dedup = dedupOver(store as AnyStore);
    let second: Promise<unknown> = Promise.resolve();
    const first = dedup.runInTransaction("limited", async () => {
      second = dedupOver(counted as AnyStore).runInTransaction("limited", async () => "second");
      second.catch(() => {});
      // It has waited in vain, and waits again.
      await expect.poll(() => rounds, { timeout: 20_000 }).toBeGreaterThan(1);
      return "first";
    });
    expect(await first).toBe("first");
    expect(await second).toBe("first");
    await pool.end();
  });

  test("bind in the user's own repeatable read: a racer is a failure to retry whole", async () => {
    const pool = openPool(place.postgres as never, { max: 2 });
    const store = createPostgresStore({ client: pool });
    const write = { key: "rr", expect: "absent", next: forever("1") } as const;
    const client = await pool.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await client.query("SELECT 1");
    await store.write({ ...write, opId: opIdOf("A") });
    const bound = store.bind(client);
    const racing = { ...write, opId: opIdOf("B") };
    await expect(bound.write(racing)).rejects.toMatchObject({ code: "contended" });
    await expect(bound.read("rr")).rejects.toMatchObject({ code: "contended" });
    await client.query("ROLLBACK");
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    expect(await store.bind(client).write(racing)).toMatchObject({ outcome: "refused" });
    await client.query("COMMIT");
    client.release();
    await pool.end();
  });

  test("killed in the middle of commits: after the restart the balances add up", async () => {
    await killedInTheMiddle(place, pgPool);
  });
});

describe.skipIf(missing("mariadb"))("on MariaDB", () => {
  let place: Place;
  beforeAll(async () => {
    place = await mariadbPlace();
    await makeAccounts(place);
  });
  afterAll(() => place.stop());

  test("PITFALLS 41: a lock wait that took too long rolls the whole transaction back", async () => {
    const { store, end } = await mysql2.open(place);
    const other = await mysql.createConnection({ ...place.mariadb?.connection });
    await other.query("START TRANSACTION");
    await other.query("SELECT * FROM accounts WHERE id = 0 FOR UPDATE");
    const waiting = store.transaction(async (tx) => {
      const on = mysql2.on(tx);
      await on("INSERT INTO transfers VALUES ('waited')");
      await on(
        "SET STATEMENT innodb_lock_wait_timeout = 1 FOR UPDATE accounts SET balance = 0 WHERE id = 0",
      ).catch(() => {});
      // After a deadlock this would be a transaction of its own; it is not even sent.
      const error = await on("INSERT INTO transfers VALUES ('after')").catch((each) => each);
      expect(error).toMatchObject({ code: "contended" });
    });
    await expect(waiting).rejects.toMatchObject({ code: "contended" });
    await other.query("ROLLBACK");
    await other.end();
    await expect.poll(place.openTransactions).toBe(0);
    await end();
    expect(await place.admin("SELECT k FROM transfers")).toEqual([]);
  });

  test("what waited for a claim is judged by the time at which the wait ended", async () => {
    const { store, end } = await mariadb.open(place);
    const first = { key: "late", opId: opIdOf("A"), expect: "absent", next: forever("1") } as const;
    let second: Promise<unknown> = Promise.resolve();
    let released: Row | undefined;
    const failing = store.transaction(async (tx) => {
      await store.bind(tx).write(first);
      second = store.transaction((other) =>
        store.bind(other).write({ ...first, opId: opIdOf("B") }),
      );
      await sleep(300);
      [released] = await place.admin("SELECT UNIX_TIMESTAMP(NOW(6)) AS s");
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    const applied = (await second) as { revision: number };
    expect(applied).toMatchObject({ outcome: "applied", replayed: false });
    expect(applied.revision).toBeGreaterThanOrEqual(Math.floor(Number(released?.s) * 1e6));
    await end();
  });

  test("gates that are gone are made again", async () => {
    const { store, end } = await mysql2.open(place);
    const dedup = dedupOver(store);
    await dedup.runInTransaction("before", async () => 1);
    await place.admin("DELETE FROM onceproof");
    await expect(dedup.runInTransaction("after", async () => 2)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await dedup.runInTransaction("after", async () => 2)).toBe(2);
    // No sweep takes one for something that has expired.
    expect(await store.sweep({ limit: 10 })).toBe(0);
    await end();
  });

  test("killed in the middle of commits: after the restart the balances add up", async () => {
    await killedInTheMiddle(place, mysql2);
  });
});
