// Bad arguments are refused before anything is sent, each with a code.
import { createPostgresStore, migrate, type PgClient, schema } from "@onceproof/sql-adapter";
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
