// Bad names and values are typed errors before anything is sent; good names are quoted, whatever they
// hold, and values are parameters.
import {
  createTableStateMachine,
  createTables,
  type PgClient,
  requestLogSchema,
  type Tables,
} from "@onceproof/sql-adapter";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { quoteName } from "../../src/tables/names.js";
import { render, sql } from "../../src/tables/sql.js";

const sent: string[] = [];
const client: PgClient = {
  async query({ text }) {
    sent.push(text);
    return { rows: [] };
  },
};
const tables = createTables({ client });
const bad = ["", "a\0b", "x".repeat(64), "a$1", "a?", "a:b", "\ud800", 7 as never];

beforeEach(() => void sent.splice(0));

const calls: readonly [what: string, call: (name: string, on: Tables) => Promise<unknown>][] = [
  ["insertOnce's table", (name, on) => on.insertOnce(name, { a: 1 }, { uniqueBy: ["a"] })],
  [
    "insertOnce's column",
    (name, on) => on.insertOnce("t", { [name]: 1, a: 1 }, { uniqueBy: ["a"] }),
  ],
  ["insertOnce's key", (name, on) => on.insertOnce("t", { a: 1 }, { uniqueBy: [name] })],
  ["transitionRow's table", (name, on) => on.transitionRow(name, { id: 1, from: "a", to: "b" })],
  [
    "transitionRow's column",
    (name, on) => on.transitionRow("t", { id: 1, from: "a", to: "b", columns: { status: name } }),
  ],
  [
    "transitionRow's log",
    (name, on) => on.transitionRow("t", { id: 1, from: "a", to: "b", requestId: "r", log: name }),
  ],
  [
    "updateVersioned's column",
    (name, on) => on.updateVersioned("t", { id: 1, update: () => ({}), columns: { id: name } }),
  ],
  [
    "fencedUpdate's column",
    (name, on) => on.fencedUpdate("t", { id: 1, token: 1, set: { [name]: 1 } }),
  ],
  ["lockRow's column", (name) => tables.within(client).lockRow("t", { where: { [name]: 1 } })],
  [
    "lockRow's order",
    (name) => tables.within(client).lockRow("t", { where: { a: 1 }, orderBy: name }),
  ],
];

describe("names", () => {
  test.each(calls)("%s is checked before anything is sent", async (what, call) => {
    for (const name of bad) {
      // A number is a column of its own as a key of an object.
      if (typeof name === "number" && what.endsWith("column")) continue;
      await expect(call(name, tables)).rejects.toMatchObject({ code: "optionInvalid" });
    }
    expect(sent).toEqual([]);
  });

  test("hold any other characters, and cannot end their quotes", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 15 }), (name) => {
        fc.pre(!/[\0$?:]/.test(name));
        for (const [dialect, quote] of [
          ["postgres", '"'],
          ["mysql", "`"],
        ] as const) {
          const quoted = quoteName(dialect, name, "a column");
          const inner = quoted.slice(1, -1);
          expect(inner.replaceAll(quote + quote, "")).not.toContain(quote);
          expect(inner.replaceAll(quote + quote, quote)).toBe(name);
        }
      }),
    );
  });

  test("a schema stands before its table", async () => {
    await tables.fencedUpdate('sh"op.or"ders', { id: 1, token: 1, set: { a: "'; DROP" } });
    expect(sent[0]).toContain('UPDATE "sh""op"."or""ders"');
    expect(sent.join()).not.toContain("DROP");
  });
});

describe("values", () => {
  test("are parameters, each in its place", () => {
    const part = sql`b = ${"two"} AND c = ${3n}`;
    const { statement, values } = render("postgres", sql`SELECT ${1} WHERE ${part} OR ${null}`);
    expect(statement.text).toBe("SELECT $1 WHERE b = $2 AND c = $3 OR $4");
    expect(values).toEqual([1, "two", 3n, null]);
    expect(render("mysql", part).statement.text).toBe("b = ? AND c = ?");
  });

  test("of a shape that looks like a fragment stay values", () => {
    const { statement, values } = render("mysql", sql`SELECT ${{ texts: ["x"], values: [] }}`);
    expect(statement.text).toBe("SELECT ?");
    expect(values).toHaveLength(1);
  });

  const wrong: readonly [what: string, call: () => Promise<unknown>][] = [
    ["undefined", () => tables.insertOnce("t", { a: undefined } as never, { uniqueBy: ["a"] })],
    ["NaN", () => tables.insertOnce("t", { a: Number.NaN }, { uniqueBy: ["a"] })],
    ["no unique key", () => tables.insertOnce("t", { a: 1 }, { uniqueBy: [] })],
    ["a key without a value", () => tables.insertOnce("t", { a: 1 }, { uniqueBy: ["b"] })],
    ["no state to leave", () => tables.transitionRow("t", { id: 1, from: [], to: "b" })],
    ["no id", () => tables.transitionRow("t", { id: undefined as never, from: "a", to: "b" })],
    [
      "a request without a log",
      () => tables.transitionRow("t", { id: 1, from: "a", to: "b", requestId: "r" }),
    ],
    [
      "a long request id",
      () =>
        tables.transitionRow("t", {
          id: 1,
          from: "a",
          to: "b",
          requestId: "r".repeat(192),
          log: "l",
        }),
    ],
    [
      "the state among what is set",
      () => tables.transitionRow("t", { id: 1, from: "a", to: "b", set: { STATUS: "c" } }),
    ],
    [
      "a broken version",
      () => tables.transitionRow("t", { id: 1, from: "a", to: "b", version: 1.5 }),
    ],
    ["no function", () => tables.updateVersioned("t", { id: 1, update: {} as never })],
    ["no rounds", () => tables.updateVersioned("t", { id: 1, update: () => ({}), maxRounds: 0 })],
    ["a broken token", () => tables.fencedUpdate("t", { id: 1, token: 2 ** 53, set: {} })],
    ["token 0", () => tables.fencedUpdate("t", { id: 1, token: 0, set: {} })],
    [
      "the token among what is set",
      () => tables.fencedUpdate("t", { id: 1, token: 1, set: { fencing_token: 9 } }),
    ],
    ["no row to lock", () => tables.within(client).lockRow("t", { where: {} })],
  ];
  test.each(wrong)("%s is an error before anything is sent", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: "ArgumentError" });
    expect(sent).toEqual([]);
  });
});

describe("what stands around", () => {
  test("a pool is no transaction", () => {
    const pool = { totalCount: 0, connect() {}, ...client };
    expect(() => tables.within(pool)).toThrow(/not a pool/);
    expect(() => createTables({ client: {} as never })).toThrow(/client must be/);
  });

  test("a definition is checked as core checks it", () => {
    const events = { pay: { from: ["other"], to: "paid" } };
    const definition = { initial: "new", events } as never;
    const options = { tables, table: "t", log: "l", definition };
    expect(() => createTableStateMachine(options)).toThrow(/definition/);
  });

  test("a log has a name that is one", () => {
    expect(requestLogSchema("mysql", "my log")).toContain("`my log`");
    expect(() => requestLogSchema("mysql", "a?")).toThrow(/log must be/);
    expect(() => requestLogSchema("oracle" as never, "a")).toThrow(/dialect/);
  });

  test("without an answer of a server that is gone, nothing is told as taken", async () => {
    const gone: PgClient = {
      query: () => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    };
    const row = { a: 1 };
    const result = await createTables({ client: gone }).insertOnce("t", row, { uniqueBy: ["a"] });
    expect(result).toMatchObject({ outcome: "indeterminate", cause: { message: "reset" } });
  });
});
