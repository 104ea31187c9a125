// Settings of the user's own driver that change what its answers look like: they change nothing here
// or are refused, and a statement that is too long for the server is never sent.
import {
  createMysqlStore,
  createPostgresStore,
  createTables,
  type MysqlClient,
  migrate,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  missing,
  newOpId,
  type PostgresServer,
  startMariadb,
  startPostgres,
} from "@onceproof/test-servers";
import * as mariadb from "mariadb";
import mysql from "mysql2/promise";
import pg from "pg";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

const create = (key: string) => {
  const next = { value: "v", ttlMs: 60_000 } as const;
  return { key, opId: newOpId(), expect: "absent", next } as const;
};
const unique = { uniqueBy: ["number"] } as const;

let ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

describe.skipIf(missing("mariadb"))("on MariaDB", () => {
  let server: MariadbServer;
  let admin: mysql.Pool;
  beforeAll(async () => {
    server = await startMariadb();
    admin = mysql.createPool(server.connection);
    await migrate(admin);
    await admin.query(
      "CREATE TABLE t (id bigint PRIMARY KEY, number varchar(9) UNIQUE, body longtext)",
    );
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  function open(driver: string, options: object): MysqlClient {
    const all = { ...server.connection, connectionLimit: 2, ...options };
    const client = driver === "mysql2" ? mysql.createPool(all) : mariadb.createPool(all);
    ends.push(() => client.end());
    return client;
  }

  const settings = [{ nestTables: true }, { nestTables: "_" }, { rowsAsArray: true }];
  const drivers = ["mysql2", "mariadb"];
  const cases = drivers.flatMap((driver) =>
    settings.flatMap((each) => [true, false].map((prepare) => [driver, each, prepare] as const)),
  );
  test.each(cases)("%s with %j, prepared: %s", async (driver, each, prepare) => {
    const client = open(driver, each);
    const store = createMysqlStore({ client, prepare });
    const key = JSON.stringify([driver, each, prepare]);
    const made = create(key);
    expect(await store.write(made)).toMatchObject({ outcome: "applied" });
    expect((await store.read(key)).entry).toMatchObject({ value: "v" });
    expect(await store.write(create(key))).toMatchObject({ outcome: "refused" });
    const tables = createTables({ client, prepare });
    const row = { id: cases.findIndex((one) => one[1] === each) + 1, number: "n" };
    await admin.query("DELETE FROM t");
    expect(await tables.insertOnce("t", row, unique)).toMatchObject({ outcome: "created" });
    expect(await tables.insertOnce("t", row, unique)).toMatchObject({ outcome: "exists" });
  });

  test.each(drivers)("%s: a text beyond the packet limit is not sent", async (driver) => {
    const [[before]] = await admin.query<mysql.RowDataPacket[]>("SELECT @@max_allowed_packet AS n");
    await admin.query("SET GLOBAL max_allowed_packet = 65536");
    try {
      const failure = { code: "unavailable", message: expect.stringContaining("max_allowed_pack") };
      for (const prepare of [true, false]) {
        const tables = createTables({ client: open(driver, {}), prepare });
        const long = { id: 9, number: "long", body: "é".repeat(40_000) };
        await expect(tables.insertOnce("t", long, unique)).rejects.toMatchObject(failure);
        // Each of these takes two bytes where it stands in the statement's text.
        const quotes = { ...long, body: "'".repeat(40_000) };
        const sent = tables.insertOnce("t", quotes, { ...unique, content: [] });
        if (prepare) expect(await sent).toMatchObject({ outcome: "created" });
        else await expect(sent).rejects.toMatchObject(failure);
        await admin.query("DELETE FROM t");
      }
    } finally {
      await admin.query(`SET GLOBAL max_allowed_packet = ${before?.n}`);
    }
  });
});

describe.skipIf(missing("postgres"))("on Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    const admin = new pg.Client(server.connection);
    await admin.connect();
    await migrate(admin);
    await admin.query("CREATE TABLE t (id bigint PRIMARY KEY, number text UNIQUE, version bigint)");
    await admin.end();
  });
  afterAll(() => server.stop());

  function open(options: postgres.Options<Record<string, never>>): postgres.Sql {
    const client = postgres({ ...server.connection, max: 2, onnotice: () => {}, ...options });
    ends.push(() => client.end({ timeout: 1 }));
    return client;
  }

  const parsers = { number: Number, bigint: BigInt, text: (text: string) => text };
  test.each(Object.entries(parsers))(
    "pg that hands over whole numbers as %s",
    async (name, parse) => {
      const boolean = (text: string) => (name === "text" ? text : text === "t");
      const getTypeParser = (oid: number, format?: never) =>
        ({ 16: boolean, 20: parse })[oid] ?? pg.types.getTypeParser(oid, format);
      const client = new pg.Pool({ ...server.connection, types: { getTypeParser } as never });
      client.on("error", () => {});
      ends.push(() => client.end());
      const store = createPostgresStore({ client });
      const made = await store.write(create(name));
      const revision = made.outcome === "applied" ? made.revision : 0;
      expect((await store.read(name)).entry?.stamp.revision).toBe(revision);
      expect(await store.write(create(name))).toMatchObject({ outcome: "refused", revision });
      const tables = createTables({ client });
      const row = { id: name.charCodeAt(0), number: name, version: 0 };
      const answers = [
        await tables.insertOnce("t", row, unique),
        await tables.insertOnce("t", row, unique),
        await tables.insertOnce("t", { ...row, id: 9 }, unique),
      ];
      expect(answers.map(({ outcome }) => outcome)).toEqual(["created", "exists", "conflict"]);
      const update = { id: row.id, update: () => ({ number: name }) };
      expect(await tables.updateVersioned("t", update)).toMatchObject({ version: 1 });
    },
  );

  test("the names that postgres.js' own transforms change are none of the store's", async () => {
    for (const [name, transform] of Object.entries({
      camel: postgres.camel,
      kebab: postgres.kebab,
    })) {
      const store = createPostgresStore({ client: open({ transform }) });
      expect(await store.write(create(name))).toMatchObject({ outcome: "applied" });
      expect((await store.read(name)).entry).toMatchObject({ value: "v" });
      const opId = newOpId();
      const { key, expect: absent, next } = create(name);
      const all = await store.writeAll({ opId, writes: [{ key, expect: absent, next }] });
      expect(all).toMatchObject({ outcome: "refused", index: 0 });
    }
  });

  test("whatever would change our names, values or rows is refused before anything is sent", () => {
    const refused = expect.objectContaining({ code: "optionInvalid" });
    const upper = { column: { from: postgres.toPascal } };
    const values = { value: { from: (value: unknown) => String(value) } };
    for (const transform of [upper, values]) {
      expect(() => createPostgresStore({ client: open({ transform }) })).toThrow(refused);
    }
    // The tables' own names have underscores, as those of many users do.
    for (const transform of [postgres.camel, upper, values]) {
      expect(() => createTables({ client: open({ transform }) })).toThrow(refused);
    }
    expect(() => createTables({ client: open({ transform: { undefined: null } }) })).not.toThrow();
  });
});
