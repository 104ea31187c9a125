// A step of a transaction that was given up, because its answer came too late, sends nothing more:
// what it would send comes after the rollback, and would be committed by itself.
import { missing, type TcpProxy } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  mariadb,
  mariadbPlace,
  mysql2,
  type Place,
  pgPool,
  postgresPlace,
} from "./support/transaction-arms.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const create = (key: string, letter: string) =>
  ({
    ...({ key, opId: letter.repeat(22), expect: "absent" } as const),
    next: { value: letter, ttlMs: "never" },
  }) as const;

describe.each([
  { name: "MariaDB", start: mariadbPlace, drivers: [mysql2, mariadb], skip: missing("mariadb") },
  { name: "Postgres", start: postgresPlace, drivers: [pgPool], skip: missing("postgres") },
])("on $name", ({ start, drivers, skip }) => {
  let place: Place;
  beforeAll(async () => {
    if (!skip) place = await start();
  });
  afterAll(() => place?.stop());

  test.skipIf(skip).each(drivers)("with $name", async (driver) => {
    const key = `late ${driver.name}`;
    const proxy = place.proxy as TcpProxy;
    const { store, end } = await driver.open(place, {
      ...{ operationTimeoutMs: 300, port: proxy.port, max: 1 },
    });
    const reached = () => store.transaction((tx) => store.bind(tx).read(key));
    await expect.poll(reached).toHaveProperty("now");
    const late = store.transaction((tx) => {
      const lift = proxy.hold();
      setTimeout(lift, 400);
      return store.bind(tx).write(create(key, "b"));
    });
    await expect(late).rejects.toMatchObject({ code: "unavailable" });
    await sleep(500);
    await expect.poll(() => store.read(key)).toHaveProperty("now");
    expect((await store.read(key)).entry).toBeUndefined();
    await end();
  });
});
