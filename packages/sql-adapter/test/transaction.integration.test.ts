// Record and effect in one transaction, on every dialect with every driver: a concurrent duplicate
// waits for the first and replays it, a rollback frees the key, nothing deadlocks, nothing is left
// open, and a COMMIT whose answer is lost is settled by reading.
import { createTransactionalDedup, type TransactionalDedup } from "@onceproof/core";
import type { TransactionalStore } from "@onceproof/core/advanced";
import { missing, type ServerName, type Verdict } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onlySqlite } from "./support/sqlite-driver.js";
import {
  type AnyStore,
  type Driver,
  mariadb,
  mariadbPlace,
  mysql2,
  mysql2Callbacks,
  type Opened,
  type OpenOptions,
  type Place,
  pgClient,
  pglite,
  pglitePlace,
  pgPool,
  postgresJs,
  postgresPlace,
  sqlite,
  sqlitePlace,
} from "./support/transaction-arms.js";

interface Arm {
  readonly database: string;
  readonly server?: ServerName;
  start(): Promise<Place>;
  readonly drivers: readonly Driver[];
}

const sqliteArm: Arm = { database: "a SQLite file", start: sqlitePlace, drivers: [sqlite] };

const allArms: readonly Arm[] = [
  {
    database: "Postgres",
    server: "postgres",
    start: postgresPlace,
    drivers: [pgPool, pgClient, postgresJs],
  },
  {
    database: "MariaDB",
    server: "mariadb",
    start: mariadbPlace,
    drivers: [mysql2, mysql2Callbacks, mariadb],
  },
  sqliteArm,
  { database: "PGlite", start: pglitePlace, drivers: [pglite] },
];

const arms = onlySqlite ? [sqliteArm] : allArms;

function dedupOver(store: AnyStore, waitMs = 20_000): TransactionalDedup<unknown> {
  const name = "pay";
  return createTransactionalDedup({
    store: store as TransactionalStore<unknown>,
    ...{ name, onCrash: "park", waitMs },
  });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function loseCommit(place: Place, verdict: Verdict): void {
  const lift = place.proxy?.addRule((chunk) => {
    // Of `autocommit` no statement of ours ends so.
    if (!/(?:^|[^a-z])commit(?:$|\0| and no chain)/i.test(chunk.toString("latin1")))
      return undefined;
    lift?.();
    return verdict;
  });
}

let keys = 0;
function freshKey(): string {
  keys += 1;
  return `order-${keys}`;
}

for (const { database, server, start, drivers } of arms) {
  describe.skipIf(server && missing(server))(`on ${database}`, () => {
    let place: Place;
    beforeAll(async () => {
      place = await start();
      await place.admin("CREATE TABLE effects (k varchar(64), who varchar(64))");
      await place.admin("CREATE TABLE taken (k varchar(64) PRIMARY KEY)");
      await place.admin("CREATE TABLE accounts (id integer PRIMARY KEY, balance integer)");
      await place.admin("INSERT INTO accounts VALUES (1, 1000), (2, 1000)");
    });
    afterAll(() => place.stop());

    async function effects(key: string): Promise<number> {
      const rows = await place.admin("SELECT who FROM effects WHERE k = ?", [key]);
      return rows.length;
    }

    describe.each(drivers)("with $name", (driver) => {
      async function within<T>(
        work: (opened: Opened) => Promise<T>,
        options?: OpenOptions,
      ): Promise<T> {
        const opened = await driver.open(place, options);
        try {
          return await work(opened);
        } finally {
          await opened.end();
        }
      }

      const insert =
        (key: string, who = "?") =>
        async (tx: unknown): Promise<{ receipt: string }> => {
          await driver.on(tx)("INSERT INTO effects VALUES (?, ?)", [key, who]);
          return { receipt: who };
        };

      test("record and effect commit together, and the result says exactly once", async () => {
        await within(async ({ store }) => {
          const dedup = dedupOver(store);
          const key = freshKey();
          const first = await dedup.attemptInTransaction(key, insert(key, "first"));
          expect(first).toEqual({
            outcome: "executed",
            value: { receipt: "first" },
            ...{ attempt: 1, exactlyOnce: true },
          });
          const again = await dedup.attemptInTransaction(key, insert(key, "again"));
          expect(again).toEqual({
            outcome: "replayed",
            value: { receipt: "first" },
            exactlyOnce: true,
          });
          expect(await effects(key)).toBe(1);
          // `run` of the same name knows it as well.
          expect(await dedup.run(key, async () => "other")).toEqual({ receipt: "first" });
        });
      });

      test("a rollback takes everything back and frees the key", async () => {
        await within(async ({ store }) => {
          const dedup = dedupOver(store);
          const key = freshKey();
          const thrown = new Error("no stock");
          const failing = dedup.runInTransaction(key, async (tx) => {
            await insert(key)(tx);
            throw thrown;
          });
          await expect(failing).rejects.toBe(thrown);
          expect(await effects(key)).toBe(0);
          await expect.poll(place.openTransactions).toBe(0);
          const { receipt } = await dedup.runInTransaction(key, insert(key, "second"));
          expect([receipt, await effects(key)]).toEqual(["second", 1]);
        });
      });

      test("a concurrent duplicate waits for the first and replays it", async () => {
        await within(async ({ store }) => {
          const dedup = dedupOver(store);
          const key = freshKey();
          let runs = 0;
          const call = (who: string): Promise<{ receipt: string }> =>
            dedup.runInTransaction(key, async (tx) => {
              runs += 1;
              const receipt = await insert(key, who)(tx);
              await sleep(300);
              return receipt;
            });
          const results = await Promise.all(["a", "b", "c"].map(call));
          expect(new Set(results.map(({ receipt }) => receipt)).size).toBe(1);
          expect([runs, await effects(key)]).toEqual([1, 1]);
        });
      });

      test("24 concurrent duplicates: one effect, no deadlock, no transaction left", async () => {
        const deadlocks = await place.deadlocks();
        const stores = await Promise.all([driver.open(place), driver.open(place)]);
        const key = freshKey();
        let fails = 3;
        const calls = [...Array(24).keys()].map(async (n) => {
          const dedup = dedupOver((stores[n % 2] as Opened).store);
          for (;;) {
            // The first ones roll back under those who wait.
            const got = await dedup.attemptInTransaction(key, async (tx) => {
              await insert(key, `${n}`)(tx);
              if (fails > 0) {
                fails -= 1;
                throw new Error("not yet");
              }
              return n;
            });
            if (got.outcome !== "threw") return got.outcome;
          }
        });
        const outcomes = await Promise.all(calls);
        expect(outcomes.filter((each) => each === "executed")).toHaveLength(1);
        expect(outcomes.filter((each) => each === "replayed")).toHaveLength(23);
        expect(await effects(key)).toBe(1);
        expect(await place.deadlocks()).toBe(deadlocks);
        await expect.poll(place.openTransactions).toBe(0);
        await Promise.all(stores.map(({ end }) => end()));
      });

      if (driver.variant) return;

      test("different keys at once all take place", async () => {
        const deadlocks = await place.deadlocks();
        await within(async ({ store }) => {
          const dedup = dedupOver(store);
          const many = [...Array(32).keys()].map(freshKey);
          await Promise.all(many.map((key) => dedup.runInTransaction(key, insert(key))));
          const counts = await Promise.all(many.map(effects));
          expect(counts).toEqual(many.map(() => 1));
        });
        expect(await place.deadlocks()).toBe(deadlocks);
      });

      test("PITFALLS 34: the user's transaction survives a duplicate in the bound store", async () => {
        await within(async ({ store }) => {
          const key = freshKey();
          const opId = "A".repeat(22);
          const write = {
            key,
            opId,
            expect: "absent",
            next: { value: "1", ttlMs: "never" },
          } as const;
          await store.write(write);
          await store.transaction(async (tx) => {
            const bound = store.bind(tx);
            const other = { ...write, opId: "B".repeat(22) };
            expect((await bound.write(other)).outcome).toBe("refused");
            const { opId: all, key: _, ...rest } = other;
            const refused = await bound.writeAll({
              opId: all,
              writes: [
                { ...rest, key: `${key} free` },
                { ...rest, key },
              ],
            });
            expect(refused).toMatchObject({ outcome: "refused", index: 1 });
            await insert(key)(tx);
          });
          expect(await effects(key)).toBe(1);
          expect((await store.read(`${key} free`)).entry).toBeUndefined();
        });
      });

      test("PITFALLS 35: expiry within a transaction is judged by a clock that moves", async () => {
        await within(async ({ store }) => {
          const key = freshKey();
          const opId = "A".repeat(22);
          const next = { value: "1", ttlMs: 60_000 };
          const made = await store.write({ key, opId, expect: "absent", next });
          const stamp = { revision: made.outcome === "applied" ? made.revision : 0, opId };
          await store.transaction(async (tx) => {
            const bound = store.bind(tx);
            expect((await bound.read(key)).entry?.value).toBe("1");
            const short = { touch: true, ttlMs: 50 } as const;
            await bound.write({ key, opId: "C".repeat(22), expect: stamp, next: short });
            await expect.poll(async () => (await bound.read(key)).entry).toBeUndefined();
            const again = { value: "2", ttlMs: 60_000 };
            const write = { key, opId: "B".repeat(22), expect: "absent", next: again } as const;
            expect(await bound.write(write)).toMatchObject({ outcome: "applied", replayed: false });
          });
          expect((await store.read(key)).entry?.value).toBe("2");
        });
      });

      test("a statement that failed is not committed, though the function swallowed it", async () => {
        // SQLite and MySQL take back the statement alone, and the rest may well be meant.
        if (!/Postgres|PGlite/.test(database)) return;
        await within(async ({ store }) => {
          const key = freshKey();
          const attempt = store.transaction(async (tx) => {
            await insert(key)(tx);
            await driver
              .on(tx)("SELECT 1 / 0")
              .catch(() => {});
          });
          await expect(attempt).rejects.toMatchObject({ code: "unavailable" });
          expect(await effects(key)).toBe(0);
          await store.transaction(insert(key));
          expect(await effects(key)).toBe(1);
        });
      });

      test.each(["COMMIT", "ROLLBACK"])(
        "who sends %s in a handler is told that nobody knows what became of it",
        async (ends) => {
          await within(async ({ store }) => {
            const key = freshKey();
            const got = await dedupOver(store).attemptInTransaction(key, async (tx) => {
              await insert(key, "inside")(tx);
              await driver.on(tx)(ends);
              return insert(key, "outside")(tx);
            });
            expect(got).toMatchObject({ outcome: "indeterminate", reason: "transactionEnded" });
            // What came after it went on without a transaction, as nobody can prevent.
            expect(await effects(key)).toBe(ends === "COMMIT" ? 2 : 1);
            await expect.poll(place.openTransactions).toBe(0);
          });
        },
      );

      test("a bound store does nothing once its transaction is over", async () => {
        await within(async ({ store }) => {
          const bound = await store.transaction(async (tx) => store.bind(tx));
          await expect(bound.read("k")).rejects.toMatchObject({ code: "unavailable" });
        });
      });

      test("a transaction that its function holds for long does not hold the others up for ever", async () => {
        await within(
          async ({ store }) => {
            let release = (): void => {};
            const held = new Promise<void>((resolve) => {
              release = resolve;
            });
            const key = freshKey();
            let enter = (): void => {};
            const entered = new Promise<void>((resolve) => {
              enter = resolve;
            });
            const first = dedupOver(store).runInTransaction(key, async (tx) => {
              await insert(key, "first")(tx);
              enter();
              await held;
              return { receipt: "first" };
            });
            await Promise.race([entered, first]);
            const second = await dedupOver(store, 200)
              .attemptInTransaction(key, insert(key, "second"))
              .catch(({ code }: { code: string }) => ({ outcome: code }));
            // Nothing was done, and it is said so: wait longer, or ask again.
            expect(["inProgress", "unavailable"]).toContain(second.outcome);
            release();
            expect(await first).toEqual({ receipt: "first" });
            expect(await effects(key)).toBe(1);
          },
          { operationTimeoutMs: 2_000 },
        );
      });

      if (server !== undefined) {
        test.each(["loseReply", "loseRequest", "swallowReply"] as const)(
          "PITFALLS 36: a lost COMMIT (%s) is settled, with one effect and a true answer",
          async (verdict) => {
            await within(
              async ({ store }) => {
                const dedup = dedupOver(store);
                const key = freshKey();
                let runs = 0;
                loseCommit(place, verdict);
                const got = await dedup.attemptInTransaction(key, async (tx) => {
                  runs += 1;
                  return insert(key, `run ${runs}`)(tx);
                });
                expect(got).toMatchObject({ outcome: "executed", exactlyOnce: true });
                const rows = await place.admin("SELECT who FROM effects WHERE k = ?", [key]);
                expect(rows).toEqual([
                  { who: (got as { value: { receipt: string } }).value.receipt },
                ]);
                const again = await dedup.runInTransaction(key, insert(key, "again"));
                expect(again).toEqual((got as { value: unknown }).value);
              },
              { port: place.proxy?.port as number, operationTimeoutMs: 700 },
            );
          },
        );

        test("the store's own transaction tells a lost COMMIT from one that was never sent", async () => {
          await within(
            async ({ store }) => {
              const key = freshKey();
              loseCommit(place, "loseReply");
              await expect(store.transaction(insert(key))).rejects.toMatchObject({
                code: "indeterminate",
              });
              expect(await effects(key)).toBe(1);
              const other = freshKey();
              const lost = store.transaction(async (tx) => {
                await insert(other)(tx);
                place.proxy?.cut();
                await sleep(50);
              });
              await expect(lost).rejects.toMatchObject({ code: "unavailable" });
              expect(await effects(other)).toBe(0);
            },
            { port: place.proxy?.port as number, operationTimeoutMs: 700 },
          );
        });
      }

      if (server !== undefined) {
        test("business rows locked in opposite orders: whole retries, and the balances add up", async () => {
          await within(async ({ store }) => {
            const dedup = dedupOver(store);
            const sum = "SELECT sum(balance) AS n FROM accounts";
            const before = Number((await place.admin(sum))[0]?.n);
            const outcomes = await Promise.all(
              [...Array(8).keys()].map(async (n) => {
                const [from, to] = n % 2 === 0 ? [1, 2] : [2, 1];
                const result = await dedup.attemptInTransaction(freshKey(), async (tx) => {
                  const on = driver.on(tx);
                  await on("UPDATE accounts SET balance = balance - 1 WHERE id = ?", [from]);
                  await sleep(5);
                  // What the function makes of a deadlock changes nothing.
                  await on("UPDATE accounts SET balance = balance + 1 WHERE id = ?", [to]).catch(
                    () => {},
                  );
                  return on("INSERT INTO effects VALUES ('storm', ?)", [`${n}`]).catch(() => "no");
                });
                return result.outcome;
              }),
            );
            expect(new Set(outcomes)).toEqual(new Set(["executed"]));
            expect(Number((await place.admin(sum))[0]?.n)).toBe(before);
            const stormed = await place.admin("SELECT who FROM effects WHERE k = 'storm'");
            expect(new Set(stormed.map(({ who }) => who)).size).toBe(8);
            expect(stormed).toHaveLength(8);
            await expect.poll(place.openTransactions).toBe(0);
            await place.admin("DELETE FROM effects WHERE k = 'storm'");
          });
        });
      }
    });
  });
}
