// A function that gives its transaction's connection back by itself, as one does with connections of
// one's own: nobody else is lent it before the transaction has ended.
import { missing, newOpId, type ServerName } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Driver,
  mariadb,
  mariadbPlace,
  mysql2,
  mysql2Callbacks,
  type Place,
  pgPool,
  postgresPlace,
} from "./support/transaction-arms.js";

interface Releasable {
  release(destroy?: boolean): unknown;
  end(): unknown;
  destroy?(): unknown;
}

const arms: readonly {
  readonly server: ServerName;
  start(): Promise<Place>;
  readonly drivers: readonly Driver[];
  /** Gives the connection up for good. */
  discard(tx: Releasable): unknown;
}[] = [
  {
    server: "postgres",
    start: postgresPlace,
    drivers: [pgPool],
    discard: (tx) => tx.release(true),
  },
  {
    server: "mariadb",
    start: mariadbPlace,
    drivers: [mysql2, mysql2Callbacks, mariadb],
    discard: (tx) => tx.destroy?.(),
  },
];

for (const { server, start, drivers, discard } of arms) {
  describe.skipIf(missing(server))(`on a real ${server}`, () => {
    let place: Place;
    beforeAll(async () => {
      place = await start();
      await place.admin("CREATE TABLE effects (k varchar(64))");
    });
    afterAll(() => place.stop());

    describe.each(drivers)("with $name", (driver) => {
      const effects = async (key: string): Promise<number> =>
        (await place.admin("SELECT k FROM effects WHERE k = ?", [key])).length;
      const create = (key: string) =>
        ({
          key: `${driver.name} ${key}`,
          opId: newOpId(),
          expect: "absent",
          next: { value: "1", ttlMs: "never" },
        }) as const;

      test("nobody else's statements get into the transaction, and it commits at its end", async () => {
        const { store, end } = await driver.open(place, { max: 2 });
        const key = `${driver.name} committed`;
        const own = create("own");
        const answer = await store.transaction(async (tx) => {
          await driver.on(tx)("INSERT INTO effects VALUES (?)", [key]);
          await (tx as Releasable).release();
          expect(await store.write(create("beside"))).toMatchObject({ outcome: "applied" });
          // Others see nothing of it yet.
          expect(await effects(key)).toBe(0);
          await (tx as Releasable).release();
          return store.bind(tx).write(own);
        });
        expect(answer).toMatchObject({ outcome: "applied" });
        expect((await store.read(own.key)).entry?.value).toBe("1");
        expect(await effects(key)).toBe(1);
        await end();
      });

      test("what others were told stays, though the transaction is rolled back", async () => {
        const { store, end } = await driver.open(place, { max: 2 });
        const key = `${driver.name} rolled back`;
        const beside = create("stays");
        const thrown = new Error("no stock");
        const failing = store.transaction(async (tx) => {
          await driver.on(tx)("INSERT INTO effects VALUES (?)", [key]);
          await (tx as Releasable).release();
          await store.write(beside);
          throw thrown;
        });
        await expect(failing).rejects.toBe(thrown);
        expect((await store.read(beside.key)).entry?.value).toBe("1");
        expect(await effects(key)).toBe(0);
        await end();
      });

      test("a release that comes after the end takes the connection from nobody", async () => {
        const { store, end } = await driver.open(place, { max: 1 });
        let ended: Releasable | undefined;
        await store.transaction(async (tx) => {
          ended = tx as Releasable;
        });
        await store.transaction(async (tx) => {
          await driver.on(tx)("INSERT INTO effects VALUES (?)", [`${driver.name} late`]);
          await ended?.release();
          await driver.on(tx)("INSERT INTO effects VALUES (?)", [`${driver.name} late`]);
        });
        expect(await effects(`${driver.name} late`)).toBe(2);
        await end();
      });

      test("to give the connection up for good ends the transaction, and says so", async () => {
        const { store, end } = await driver.open(place, { max: 1 });
        const key = `${driver.name} discarded`;
        const failing = store.transaction(async (tx) => {
          await driver.on(tx)("INSERT INTO effects VALUES (?)", [key]);
          await discard(tx as Releasable);
        });
        await expect(failing).rejects.toMatchObject({ code: "unavailable" });
        expect(await effects(key)).toBe(0);
        expect(await store.write(create("next"))).toMatchObject({ outcome: "applied" });
        await end();
      });
    });
  });
}
