// What transitionRow and the state machine over a table state, on whatever arm.
import { createTableStateMachine, type TransitionRowResult } from "@onceproof/sql-adapter";
import { expect, test } from "vitest";
import { LOG, type RunningArm, TABLE } from "./arm.js";
import { insertOrder, orderOf } from "./rows.js";

const CALLERS = 32;

function countOf(results: readonly TransitionRowResult[], outcome: string, replayed?: boolean) {
  return results.filter(
    (result) =>
      result.outcome === outcome &&
      (replayed === undefined || ("replayed" in result && result.replayed === replayed)),
  ).length;
}

export function transitionRowCases(arm: () => RunningArm): void {
  test("of 32 callers one moves the row, and the others are told that it is there", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const results = await Promise.all(
      Array.from({ length: CALLERS }, () =>
        tables.transitionRow(TABLE, { id, from: ["new", "lost"], to: "paid" }),
      ),
    );
    expect(countOf(results, "moved")).toBe(1);
    expect(countOf(results, "alreadyThere")).toBe(CALLERS - 1);
    expect(results).toContainEqual(
      expect.objectContaining({ outcome: "moved", from: "new", to: "paid", version: 1 }),
    );
    expect(await orderOf(arm(), id)).toMatchObject({ status: "paid", version: 1 });
  });

  test("A→B→A→B moves once for each request, whatever the order of 32 callers", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const move = (requestId: string, from: string, to: string) =>
      tables.transitionRow(TABLE, { id, from, to, requestId, log: LOG });
    expect(await move("there", "new", "paid")).toMatchObject({ outcome: "moved", replayed: false });
    expect(await move("back", "paid", "new")).toMatchObject({ outcome: "moved", version: 2 });
    // The row is where the first request found it: only the log knows that it has run.
    const late = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) =>
        at % 4 === 0 ? move("again", "new", "paid") : move("there", "new", "paid"),
      ),
    );
    expect(countOf(late, "moved", false)).toBe(1);
    expect(countOf(late, "moved", true)).toBe(CALLERS - 1);
    expect(await orderOf(arm(), id)).toMatchObject({ status: "paid", version: 3 });
  });

  test("32 callers with one request move the row once, and get one answer", async () => {
    const { tables } = arm();
    const ids = await Promise.all([insertOrder(arm()), insertOrder(arm()), insertOrder(arm())]);
    const results = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) => {
        const id = ids[at % 3] ?? 0;
        return tables.transitionRow(TABLE, {
          id,
          from: "new",
          to: "paid",
          requestId: "one",
          log: LOG,
          set: { note: `c${at % 9}` },
        });
      }),
    );
    expect(countOf(results, "moved", false)).toBe(3);
    expect(countOf(results, "moved", true)).toBe(CALLERS - 3);
    for (const id of ids) expect((await orderOf(arm(), id)).version).toBe(1);
  });

  test("32 callers with requests of their own move the row once, and the others are refused", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const move = { id, from: "new", to: "paid", log: LOG };
    const results = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) =>
        tables.transitionRow(TABLE, { ...move, requestId: `own ${at}` }),
      ),
    );
    expect(countOf(results, "moved", false)).toBe(1);
    expect(countOf(results, "refused", false)).toBe(CALLERS - 1);
    expect((await orderOf(arm(), id)).version).toBe(1);
  });

  test("a refusal tells the state, changes nothing, and is answered again as it was", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const send = { id, from: "paid", to: "sent" } as const;
    expect(await tables.transitionRow(TABLE, send)).toMatchObject({
      outcome: "refused",
      status: "new",
      version: 0,
    });
    const named = { ...send, requestId: "send", log: LOG };
    const refused = { outcome: "refused", status: "new", version: 0 };
    expect(await tables.transitionRow(TABLE, named)).toMatchObject({ ...refused, replayed: false });
    await tables.transitionRow(TABLE, { id, from: "new", to: "paid" });
    expect(await tables.transitionRow(TABLE, named)).toMatchObject({ ...refused, replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ status: "paid", version: 1 });
  });

  test("another version than the one that is asked for refuses", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const move = { id, from: "new", to: "paid" } as const;
    const refused = await tables.transitionRow(TABLE, { ...move, version: 7 });
    expect(refused).toMatchObject({ outcome: "refused", status: "new", version: 0 });
    const moved = await tables.transitionRow(TABLE, { ...move, version: 0 });
    expect(moved).toMatchObject({ outcome: "moved", version: 1 });
  });

  test("without a row it is not found, and the same request may move it later", async () => {
    const { tables } = arm();
    const move = { id: 999_999, from: "new", to: "paid" } as const;
    expect(await tables.transitionRow(TABLE, move)).toEqual({ outcome: "notFound" });
    const named = { ...move, requestId: "early", log: LOG };
    expect(await tables.transitionRow(TABLE, named)).toEqual({ outcome: "notFound" });
  });

  test("a table without versions moves too", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const columns = { version: null };
    const move = { id, from: ["lost", "new"], to: "paid", columns };
    const moved = await tables.transitionRow(TABLE, move);
    expect(moved).toMatchObject({ outcome: "moved", from: "new", version: null });
    const named = { ...move, from: "paid", to: "new", requestId: "back", log: LOG };
    const back = await tables.transitionRow(TABLE, named);
    expect(back).toMatchObject({ outcome: "moved", from: "paid", version: null });
    expect(await tables.transitionRow(TABLE, named)).toEqual({ ...back, replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ status: "new", version: 0 });
  });

  test("inside a transaction it moves, replays and refuses, and a rollback undoes it and its log", async () => {
    const { tables, transaction } = arm();
    const id = await insertOrder(arm());
    const move = { id, from: "new", to: "paid", requestId: "pay", log: LOG };
    const undone = transaction(async ({ tx }) => {
      expect((await tables.within(tx).transitionRow(TABLE, move)).outcome).toBe("moved");
      throw new Error("the user's own");
    });
    await expect(undone).rejects.toThrow("the user's own");
    expect(await orderOf(arm(), id)).toMatchObject({ status: "new", version: 0 });
    const told = await transaction(async ({ tx, run }) => {
      const within = tables.within(tx);
      const first = await within.transitionRow(TABLE, move);
      const second = await within.transitionRow(TABLE, move);
      const plain = await within.transitionRow(TABLE, { id, from: "paid", to: "sent" });
      const refused = await within.transitionRow(TABLE, { id, from: "paid", to: "new" });
      await run("SELECT 1");
      return [first, second, plain, refused];
    });
    expect(told).toMatchObject([
      { outcome: "moved", replayed: false },
      { outcome: "moved", replayed: true },
      { outcome: "moved", version: 2 },
      { outcome: "refused", status: "sent" },
    ]);
  });

  test("costs what it says", async () => {
    const { tables, sent, dialect } = arm();
    if (sent === undefined) return;
    const id = await insertOrder(arm());
    const cost = async (work: () => Promise<unknown>): Promise<number> => {
      sent();
      await work();
      return sent().filter((text) => !/^(BEGIN|START|COMMIT|ROLLBACK|SET TRANS)/.test(text)).length;
    };
    const move = (requestId?: string) => {
      const log = requestId === undefined ? {} : { requestId, log: LOG };
      return () => tables.transitionRow(TABLE, { id, from: "new", to: "paid", ...log });
    };
    const expected = {
      postgres: [1, 1, 1, 2],
      mysql: [2, 1, 2, 3],
      sqlite: [2, 1, 2, 3],
    }[dialect];
    expect([
      await cost(move()),
      await cost(move()),
      await cost(move("cost")),
      await cost(move("cost")),
    ]).toEqual(expected);
  });

  test("a lost reply is indeterminate, and the same request is told what came of it", async () => {
    const { lossy } = arm();
    if (lossy === undefined) return;
    const { tables, lose } = await lossy();
    const id = await insertOrder(arm());
    const move = (requestId: string) => ({ id, from: "new", to: "paid", requestId, log: LOG });
    await tables.transitionRow(TABLE, { id, from: "sent", to: "lost" });
    lose("loseReply");
    const lost = await tables.transitionRow(TABLE, move("cut"));
    expect(lost.outcome).toBe("indeterminate");
    const again = await tables.transitionRow(TABLE, move("cut"));
    expect(again).toMatchObject({ outcome: "moved", replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ status: "paid", version: 1 });
  });

  test("core's definition runs over the table, with core's results", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const machine = createTableStateMachine({
      tables,
      table: TABLE,
      log: LOG,
      definition: {
        initial: "new",
        events: {
          pay: { from: ["new"], to: "paid" },
          refund: { from: ["paid"], to: "new" },
          send: { from: ["paid"], to: "sent" },
        },
      },
    });
    const early = await machine.fire(id, "send", { requestId: "s1" });
    expect(early).toEqual({ outcome: "refused", event: "send", state: "new", replayed: false });
    const results = await Promise.all(
      Array.from({ length: 32 }, () => machine.fire(id, "pay", { requestId: "p1" })),
    );
    const first = { outcome: "moved", event: "pay", from: "new", to: "paid", replayed: false };
    expect(results.filter((result) => "replayed" in result && !result.replayed)).toEqual([
      { ...first, atMs: expect.any(Number) },
    ]);
    expect(await machine.fire(id, "pay")).toEqual({
      outcome: "alreadyThere",
      event: "pay",
      state: "paid",
    });
    await machine.fire(id, "refund", { requestId: "r1" });
    expect(await machine.fire(id, "pay", { requestId: "p1" })).toMatchObject({ replayed: true });
    expect(await machine.fire(id, "send", { requestId: "s1" })).toEqual({
      ...early,
      replayed: true,
    });
    expect(await orderOf(arm(), id)).toMatchObject({ status: "new", version: 2 });
    expect(await machine.history(id)).toMatchObject([
      { event: "pay", from: "new", to: "paid", requestId: "p1" },
      { event: "refund", from: "paid", to: "new", requestId: "r1" },
    ]);
    await expect(machine.fire(id, "ship" as "pay")).rejects.toMatchObject({
      code: "optionInvalid",
    });
  });
}
