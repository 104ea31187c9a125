// An answer without the row that every statement of ours gives is no answer: a driver was seen to
// resolve so when its connection was killed, and nothing may be told from it.

import type { AtomicStore } from "@onceproof/core/advanced";
import { createPostgresStore, createTables } from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { describe, expect, it } from "vitest";

const client = { query: async () => ({ rows: [] }) };

function storeOn(): AtomicStore {
  return createPostgresStore({ client, table: "entries" });
}

const create = (key: string) =>
  ({ key, expect: "absent", next: { value: "v", ttlMs: 1000 } }) as const;

describe("an answer without a row", () => {
  it("makes a read unavailable", async () => {
    await expect(storeOn().read("k")).rejects.toMatchObject({ code: "unavailable" });
  });

  it("leaves a write unknown", async () => {
    const write = { ...create("k"), opId: newOpId() };
    expect(await storeOn().write(write)).toMatchObject({ outcome: "unknown" });
  });

  it("leaves a write of several keys unknown", async () => {
    const store = createPostgresStore({ client, table: "entries" });
    const writes = ["a", "b"].map(create);
    expect(await store.writeAll({ writes, opId: newOpId() })).toMatchObject({ outcome: "unknown" });
  });

  it("makes a sweep unavailable, and not a count that is no number", async () => {
    const store = createPostgresStore({ client, table: "entries" });
    await expect(store.sweep({ limit: 10 })).rejects.toMatchObject({ code: "unavailable" });
  });

  // postgres.js leaves them before the first answer after a connection that was lost between rows.
  it("is one where it stands behind holes", async () => {
    const none = { v: null, rev: null, op: null, at: null, exp: null };
    const held = { ...none, now: "7", asked: Buffer.from("k") };
    const holes: unknown[] = Array(2);
    holes[2] = held;
    const answer = Object.assign(holes, { command: "SELECT", state: null });
    const query = Object.assign(Promise.resolve(answer), { cancel() {} });
    const sql = { unsafe: () => query, reserve: async () => sql };
    const store = createPostgresStore({ client: sql as never, table: "entries" });
    expect(await store.read("k")).toEqual({ now: 7 });
  });

  it("is no answer of postgres.js where the server had not ended it", async () => {
    const empty = Object.assign([], { command: null, state: null });
    const query = Object.assign(Promise.resolve(empty), { cancel() {} });
    const sql = { unsafe: () => query, reserve: async () => sql };
    const tables = createTables({ client: sql as never });
    const moved = await tables.transitionRow("orders", { id: 1, from: "new", to: "paid" });
    expect(moved).toMatchObject({ outcome: "indeterminate" });
  });

  // It may be another query's: what was sent may have applied, and been replaced since.
  it("is none of a write on postgres.js, whatever a second statement would tell", async () => {
    const opId = newOpId();
    const held = { v: Buffer.from("w"), rev: "5", op: newOpId(), at: "5", exp: null, now: "7" };
    const refused = { ...held, wrev: null, wat: null, wexp: null, asked: opId };
    const answers = [[], [refused]];
    const query = (text: string) => {
      // The store also asks which process answers.
      const rows = text.includes("pg_backend_pid") ? [] : answers.shift();
      const answer = Object.assign(rows ?? [refused], { command: "INSERT", state: null });
      return Object.assign(Promise.resolve(answer), { cancel() {} });
    };
    const sql = { unsafe: query, reserve: async () => sql };
    const store = createPostgresStore({ client: sql as never, table: "entries" });
    expect(await store.write({ ...create("k"), opId })).toMatchObject({ outcome: "unknown" });
  });

  it("is no answer to a bound store either", async () => {
    const store = createPostgresStore({ client, table: "entries" });
    const bound = store.bind(client as never);
    await expect(bound.read("k")).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is no answer either where its columns are not ours, and applies nothing", async () => {
    const store = createPostgresStore({ client, table: "entries" });
    const bound = store.bind({ rows: async () => [{ REV: 7 }] });
    const write = { ...create("k"), opId: newOpId() };
    await expect(bound.write(write)).rejects.toMatchObject({ code: "unavailable" });
  });
});
