// Bad arguments are refused before anything is sent, each with a code.
import {
  createMysqlStore,
  createPostgresStore,
  createSqliteStore,
  createTables,
  type MysqlClient,
  migrate,
  openSqlite,
  type PgClient,
  preflight,
  type SqliteDatabase,
  schema,
} from "@onceproof/sql-adapter";
import { expect, test } from "vitest";

const client: PgClient = { query: () => Promise.reject(new Error("nothing may be sent")) };

test.each([
  ["a client that is none", { client: {} as PgClient }],
  ["no client", { client: undefined as unknown as PgClient }],
  ["an empty table", { client, table: "" }],
  ["a table of three parts", { client, table: "a.b.c" }],
  ["an empty schema", { client, table: ".a" }],
  ["a name that Postgres would cut", { client, table: "n".repeat(64) }],
  ["U+0000 in a name", { client, table: "a\0b" }],
])("%s is no option", (_, options) => {
  expect(() => createPostgresStore(options)).toThrow(
    expect.objectContaining({ code: "optionInvalid" }),
  );
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5" as unknown as number])(
  "%s is no duration",
  (ms) => {
    for (const name of ["operationTimeoutMs", "tombstoneMs"]) {
      expect(() => createPostgresStore({ client, [name]: ms })).toThrow(
        expect.objectContaining({ code: "durationInvalid" }),
      );
    }
  },
);

test("a misspelt option, and a client in the options' place, are told", async () => {
  const misspelt = { client, tabel: "mine" };
  const unknown = /there is no option tabel: there are .*\btable\b/;
  expect(() => createPostgresStore(misspelt)).toThrow(unknown);
  const mysql = { execute: client.query, query: client.query } as unknown as MysqlClient;
  expect(() => createMysqlStore({ ...misspelt, client: mysql })).toThrow(unknown);
  const database = { prepare() {}, exec() {} } as unknown as SqliteDatabase;
  expect(() => createSqliteStore({ database, ...{ tabel: "mine" } })).toThrow(unknown);
  await expect(openSqlite(":memory:", { table: "t", ...{ tabel: "mine" } })).rejects.toThrow(
    unknown,
  );
  expect(() => createTables({ client, ...{ table: "mine" } })).toThrow(/no option table/);

  const given: readonly [(options: never) => unknown, unknown, string][] = [
    [createPostgresStore, client, "createPostgresStore({ client })"],
    [createMysqlStore, mysql, "createMysqlStore({ client })"],
    [createSqliteStore, database, "createSqliteStore({ database })"],
    [createTables, client, "createTables({ client })"],
  ];
  for (const [create, bareClient, text] of given) {
    expect(() => create(bareClient as never)).toThrow(text);
    expect(() => create(undefined as never)).toThrow(/takes an object of options/);
  }
});

test("each dialect tells a client of another one", () => {
  const optionInvalid = expect.objectContaining({ code: "optionInvalid" });
  expect(() => createMysqlStore({ client: client as unknown as MysqlClient })).toThrow(
    optionInvalid,
  );
  expect(() => createMysqlStore({ client: undefined as unknown as MysqlClient })).toThrow(
    optionInvalid,
  );
  const database = client as unknown as SqliteDatabase;
  expect(() => createSqliteStore({ database })).toThrow(optionInvalid);
});

test.each(["", "a.b.c", "n".repeat(59), "a\0b", "\ud800"])("%j is no table of MySQL", (table) => {
  const mysql = { execute: client.query, query: client.query } as unknown as MysqlClient;
  expect(() => createMysqlStore({ client: mysql, table })).toThrow(
    expect.objectContaining({ code: "optionInvalid" }),
  );
});

test("a client of no driver is refused by migrate and preflight", async () => {
  const optionInvalid = { code: "optionInvalid" };
  await expect(migrate({} as PgClient)).rejects.toMatchObject(optionInvalid);
  await expect(preflight({} as PgClient)).rejects.toMatchObject(optionInvalid);
  const durability = "eternal" as "durable";
  await expect(preflight(client, { durability })).rejects.toMatchObject(optionInvalid);
  expect(() => createPostgresStore({ client, durability })).toThrow(
    expect.objectContaining(optionInvalid),
  );
});

test.each([0, -1, 1.5, Number.NaN, "5" as unknown as number])(
  "%s is no limit of a sweep",
  async (limit) => {
    const store = createPostgresStore({ client });
    await expect(store.sweep({ limit })).rejects.toMatchObject({ code: "optionInvalid" });
  },
);

test("an unknown dialect is named", () => {
  expect(() => schema("oracle" as "postgres")).toThrow(/oracle/);
});

test("a table that is no name is not migrated", async () => {
  const unused = { query: () => Promise.reject(new Error("nothing may be sent")) };
  await expect(migrate(unused, { table: "a.b.c" })).rejects.toMatchObject({
    code: "optionInvalid",
  });
});

test("bad keys and writes are told before anything is sent", async () => {
  const store = createPostgresStore({ client });
  await expect(store.read("")).rejects.toMatchObject({ code: "keyEmpty" });
  const next = { value: "v", ttlMs: -1 };
  const write = { key: "k", opId: "a".repeat(22), expect: "absent", next } as const;
  await expect(store.write(write)).rejects.toMatchObject({ code: "durationInvalid" });
});
