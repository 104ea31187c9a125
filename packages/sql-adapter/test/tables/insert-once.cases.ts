// What insertOnce states, on whatever arm.
import { expect, test } from "vitest";
import { type RunningArm, TABLE } from "./arm.js";
import { order, quoted } from "./rows.js";

const uniqueBy = {
  orders_number: "number",
  orders_payment: ["provider", "payment"],
  orders_request: "request",
} as const;

export function insertOnceCases(arm: () => RunningArm): void {
  test("of 32 callers with one row one is told created, and there is one row", async () => {
    const { tables, run } = arm();
    const { request: _, ...row } = order();
    const options = { uniqueBy: ["number", ["provider", "payment"]] };
    const results = await Promise.all(
      Array.from({ length: 32 }, () => tables.insertOnce(TABLE, row, options)),
    );
    const outcomes = results.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(["created", ...Array(31).fill("exists")]);
    const rows = await run(`SELECT id FROM ${quoted(arm())} WHERE number = '${row.number}'`);
    expect(rows).toHaveLength(1);
  });

  test("of 32 callers whose rows share one key or the other one is created, and the others conflict", async () => {
    const { tables, run } = arm();
    const { number, payment } = order();
    const callers = Array.from({ length: 32 }, (_, at) => {
      const row = at % 2 === 0 ? order({ number }) : order({ payment });
      return tables.insertOnce(TABLE, row, { uniqueBy, requestId: "request" });
    });
    const results = await Promise.all(callers);
    const created = results.filter(({ outcome }) => outcome === "created");
    const text = `SELECT id FROM ${quoted(arm())} WHERE number = '${number}' OR payment = '${payment}'`;
    const rows = await run(text);
    // A row of each kind may stand, as they share no key with each other; never two of one kind.
    expect(created.length).toBe(2);
    expect(rows).toHaveLength(2);
    expect(results.filter(({ outcome }) => outcome === "conflict")).toHaveLength(30);
  });

  test("the creator is recognised, though the row has changed since", async () => {
    const { tables, run } = arm();
    const row = order({ note: "a" });
    const options = { uniqueBy, requestId: "request" };
    const created = await tables.insertOnce(TABLE, row, options);
    expect(created).toMatchObject({ outcome: "created", row: { number: row.number, note: "a" } });
    await run(`UPDATE ${quoted(arm())} SET note = 'b' WHERE number = '${row.number}'`);
    const again = await tables.insertOnce(TABLE, row, options);
    expect(again).toMatchObject({ outcome: "replayed", row: { note: "b" } });
    const retryWithNewNumber = { ...row, number: `other${row.number}` };
    const retried = await tables.insertOnce(TABLE, retryWithNewNumber, options);
    expect(retried).toMatchObject({ outcome: "replayed", row: { number: row.number } });
  });

  test("tells exists from conflict by the content, and the constraint by its name", async () => {
    const { tables } = arm();
    const row = order({ note: "a" });
    const options = { uniqueBy, requestId: "request" };
    await tables.insertOnce(TABLE, row, options);
    const another = { ...row, request: `another${row.request}` };
    expect((await tables.insertOnce(TABLE, another, options)).outcome).toBe("exists");
    expect(await tables.insertOnce(TABLE, { ...another, note: "b" }, options)).toMatchObject({
      outcome: "conflict",
      constraint: "orders_number",
      columns: ["number"],
    });
    expect(await tables.insertOnce(TABLE, order({ payment: row.payment }), options)).toMatchObject({
      outcome: "conflict",
      constraint: "orders_payment",
      columns: ["provider", "payment"],
      row: { number: row.number },
    });
    const unnamed = { uniqueBy: ["number", ["provider", "payment"], "request"] };
    const conflict = await tables.insertOnce(TABLE, order({ payment: row.payment }), unnamed);
    expect(conflict).toMatchObject({ outcome: "conflict", constraint: "provider,payment" });
  });

  test("a text that differs by case or by blanks at its end is no equal row", async () => {
    const { tables } = arm();
    const row = order({ note: "a" });
    const options = { uniqueBy, requestId: "request" };
    await tables.insertOnce(TABLE, row, options);
    for (const note of ["A", "a "]) {
      const other = { ...row, request: `${row.request}${note.length}`, note };
      expect((await tables.insertOnce(TABLE, other, options)).outcome).toBe("conflict");
    }
  });

  test("what is too long is an error, and no false duplicate", async () => {
    const { tables, dialect } = arm();
    if (dialect === "sqlite") return;
    const row = order({ note: "longer than five" });
    const options = { uniqueBy, requestId: "request" };
    await expect(tables.insertOnce(TABLE, row, options)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect((await tables.insertOnce(TABLE, { ...row, note: "short" }, options)).outcome).toBe(
      "created",
    );
  });

  test("what a constraint refuses is certainly not there, and an error that says so", async () => {
    const { tables } = arm();
    const row = { ...order(), status: null };
    const options = { uniqueBy, requestId: "request" };
    await expect(tables.insertOnce(TABLE, row, options)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("a unique key that is not named is an error, and not a call without end", async () => {
    const { tables } = arm();
    const row = order();
    await tables.insertOnce(TABLE, row, { uniqueBy });
    const other = order({ payment: row.payment });
    const options = { uniqueBy: ["number"] };
    await expect(tables.insertOnce(TABLE, other, options)).rejects.toMatchObject({
      code: "optionInvalid",
    });
  });

  test("a transaction goes on after conflict, replay and exists", async () => {
    const { tables, transaction, run } = arm();
    const row = order();
    await tables.insertOnce(TABLE, row, { uniqueBy, requestId: "request" });
    const later = order();
    const outcomes = await transaction(async ({ tx, run: send }) => {
      const within = tables.within(tx);
      const told: string[] = [];
      for (const each of [row, order({ number: row.number }), { ...row, request: "x" }, later]) {
        const options = { uniqueBy, requestId: "request" };
        told.push((await within.insertOnce(TABLE, each, options)).outcome);
      }
      await send(`UPDATE ${quoted(arm())} SET balance = 7 WHERE number = '${later.number}'`);
      return told;
    });
    expect(outcomes).toEqual(["replayed", "conflict", "exists", "created"]);
    const text = `SELECT balance FROM ${quoted(arm())} WHERE number = '${later.number}'`;
    const [stored] = await run(text);
    expect(Number(stored?.balance)).toBe(7);
  });

  test("a racer that waits for another's transaction is told what that came to", async () => {
    const { tables, transaction, dialect } = arm();
    if (dialect === "sqlite") return;
    const row = order();
    const options = { uniqueBy, requestId: "request" };
    const waiting: Promise<unknown>[] = [];
    const rolledBack = transaction(async ({ tx }) => {
      await tables.within(tx).insertOnce(TABLE, row, options);
      waiting.push(tables.insertOnce(TABLE, { ...row, request: "waits" }, options));
      throw new Error("the user's own");
    });
    await expect(rolledBack).rejects.toThrow("the user's own");
    expect(await waiting[0]).toMatchObject({ outcome: "created", row: { request: "waits" } });
  });

  test("costs what it says", async () => {
    const { tables, sent, dialect } = arm();
    if (sent === undefined) return;
    const row = order();
    await tables.insertOnce(TABLE, order(), { uniqueBy });
    sent();
    await tables.insertOnce(TABLE, row, { uniqueBy });
    expect(sent()).toHaveLength(dialect === "mysql" ? 2 : 1);
    await tables.insertOnce(TABLE, row, { uniqueBy });
    expect(sent()).toHaveLength(2);
  });

  test("a lost reply is never told as taken, and asking again tells", async () => {
    const { lossy } = arm();
    if (lossy === undefined) return;
    const { tables, lose } = await lossy();
    const options = { uniqueBy, requestId: "request" };
    await tables.insertOnce(TABLE, order(), options);
    const row = order();
    lose("loseReply");
    expect((await tables.insertOnce(TABLE, row, options)).outcome).toBe("indeterminate");
    expect((await tables.insertOnce(TABLE, row, options)).outcome).toBe("replayed");
    const other = order();
    lose("loseRequest");
    expect((await tables.insertOnce(TABLE, other, options)).outcome).toBe("indeterminate");
    expect((await tables.insertOnce(TABLE, other, options)).outcome).toBe("created");
  });
}
