// A bound store in a transaction that may only read: it reads, by the time of the call and not of
// the transaction's start, and a write says why it is refused.
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { createPostgresStore } from "@onceproof/sql-adapter";
import { missing, newOpId, type ServerName, until } from "@onceproof/test-servers";
import mariadbDriver from "mariadb";
import mysql from "mysql2/promise";
import postgresDriver from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "./support/pg-pools.js";
import { onlySqlite, openDatabase } from "./support/sqlite-driver.js";
import {
  type AnyStore,
  type Driver,
  mariadb,
  mariadbPlace,
  mysql2,
  type Place,
  pglite,
  pglitePlace,
  pgPool,
  postgresJs,
  postgresPlace,
  sqlite,
  sqlitePlace,
} from "./support/transaction-arms.js";

interface Arm {
  readonly name: string;
  readonly server?: ServerName;
  readonly driver: Driver;
  start(): Promise<Place>;
  /** Runs `work` in a transaction of the driver's own that may only read. */
  reading(place: Place, work: (tx: unknown) => Promise<void>): Promise<unknown>;
}

const sqliteArm: Arm = {
  name: "SQLite",
  driver: sqlite,
  start: sqlitePlace,
  async reading(place, work) {
    const database = openDatabase(place.file as string);
    database.exec("PRAGMA query_only = ON; BEGIN");
    await work(database);
    database.exec("ROLLBACK");
    database.close();
  },
};

const allArms: readonly Arm[] = [
  {
    name: "Postgres with pg",
    server: "postgres",
    driver: pgPool,
    start: postgresPlace,
    async reading(place, work) {
      const pool = openPool(place.postgres as never, { max: 1 });
      const client = await pool.connect();
      await client.query("BEGIN READ ONLY");
      await work(client);
      await client.query("ROLLBACK");
      client.release();
      await pool.end();
    },
  },
  {
    name: "Postgres with postgres.js",
    server: "postgres",
    driver: postgresJs,
    start: postgresPlace,
    async reading(place, work) {
      const sql = postgresDriver({ ...place.postgres?.connection, max: 1, fetch_types: false });
      // It holds a failed statement against the transaction, though `work` has caught it.
      await sql.begin("read only", work).catch(() => {});
      await sql.end();
    },
  },
  {
    name: "PGlite",
    driver: pglite,
    start: pglitePlace,
    async reading({ pglite: database }, work) {
      const run = database?.transaction(async (tx) => {
        await tx.query("SET TRANSACTION READ ONLY");
        await work(tx);
      });
      await run?.catch(() => {});
    },
  },
  {
    name: "MariaDB with mysql2",
    server: "mariadb",
    driver: mysql2,
    start: mariadbPlace,
    async reading(place, work) {
      const connection = await mysql.createConnection({ ...place.mariadb?.connection });
      await connection.query("START TRANSACTION READ ONLY");
      await work(connection);
      await connection.end();
    },
  },
  {
    name: "MariaDB with mariadb",
    server: "mariadb",
    driver: mariadb,
    start: mariadbPlace,
    async reading(place, work) {
      const connection = await mariadbDriver.createConnection({ ...place.mariadb?.connection });
      await connection.query("START TRANSACTION READ ONLY");
      await work(connection);
      await connection.end();
    },
  },
  sqliteArm,
];

const arms = onlySqlite ? [sqliteArm] : allArms;

const places = new Map<Arm["start"], Promise<Place>>();

/** One of each database serves all its drivers. */
function placeOf(start: Arm["start"]): Promise<Place> {
  const place = places.get(start) ?? start();
  places.set(start, place);
  return place;
}

afterAll(async () => {
  for (const place of places.values()) await (await place).stop();
});

describe.each(arms)("on $name", ({ server, driver, start, reading }) => {
  describe.skipIf(server && missing(server))("in a transaction that may only read", () => {
    let place: Place;
    let store: AnyStore;
    let end: () => Promise<unknown>;
    beforeAll(async () => {
      place = await placeOf(start);
      ({ store, end } = await driver.open(place));
    });
    afterAll(() => end());

    const own = (key: string): string => `${driver.name} ${key}`;
    const create = (key: string, ttlMs: number | "never" = "never") =>
      ({ key: own(key), opId: newOpId(), expect: "absent", next: { value: "1", ttlMs } }) as const;
    const within = (work: (bound: MultiKeyStore) => Promise<void>): Promise<unknown> =>
      reading(place, (tx) => work(store.bind(tx)));

    test("it reads what stands there and what does not", async () => {
      const stored = create("stored");
      await store.write(stored);
      await within(async (bound) => {
        const { entry, revision, now } = await bound.read(own("stored"));
        expect(entry).toMatchObject({ value: "1", stamp: { opId: stored.opId } });
        expect(now).toBeGreaterThanOrEqual(revision as number);
        expect((await bound.read(own("missing"))).entry).toBeUndefined();
      });
      expect.assertions(3);
    });

    test("a write is refused by what says why", async () => {
      await within(async (bound) => {
        await expect(bound.write(create("written"))).rejects.toMatchObject({
          code: "unavailable",
          message: expect.stringMatching(/read.?only/i),
        });
      });
      expect((await store.read(own("written"))).revision).toBeUndefined();
      expect.assertions(2);
    });

    // PGlite and the SQLite store have nobody else who could tell that the time has come.
    if (server !== undefined) {
      test("what expires while it is open has expired in it", async () => {
        await store.write(create("short", 300));
        await within(async (bound) => {
          const { entry, now } = await bound.read(own("short"));
          if (entry !== undefined) expect(now).toBeLessThan(entry.expiresAt ?? 0);
          await until("expired", async () => (await store.read(own("short"))).entry === undefined);
          expect((await bound.read(own("short"))).entry).toBeUndefined();
        });
      });
    }
  });
});

if (!onlySqlite) {
  test.skipIf(missing("postgres"))(
    "on Postgres it is judged by a clock that came before",
    async () => {
      const place = await placeOf(postgresPlace);
      const pool = openPool(place.postgres as never, { max: 2 });
      const store = createPostgresStore({ client: pool });
      const next = { value: "1", ttlMs: 60_000 };
      await store.write({ key: "clock", opId: newOpId(), expect: "absent", next });
      const client = await pool.connect();
      await client.query("BEGIN READ ONLY");
      const answers: { now?: unknown }[] = [];
      const bound = store.bind({
        async rows(text, values) {
          const { rows } = await client.query(text, [...values]);
          answers.push(rows[0]);
          return rows;
        },
      });
      const { entry, now } = await bound.read("clock");
      expect(entry?.value).toBe("1");
      expect(answers).toHaveLength(2);
      expect(now).toBe(Number(answers[0]?.now));
      await client.query("COMMIT");
      client.release();
      await pool.end();
    },
  );
}
