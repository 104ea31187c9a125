// What lockRow states, on whatever arm.
import { expect, test } from "vitest";
import { type RunningArm, TABLE } from "./arm.js";
import { insertOrder, order, orderOf, quoted } from "./rows.js";

export function lockRowCases(arm: () => RunningArm): void {
  test("the row is its transaction's until it ends: 12 callers read and write, and it adds up", async () => {
    const { tables, transaction, dialect } = arm();
    // One connection of a process may write at a time, and the others would wait inside SQLite.
    const callers = dialect === "sqlite" ? 1 : 12;
    const id = await insertOrder(arm());
    await Promise.all(
      Array.from({ length: callers }, () =>
        transaction(async ({ tx, run }) => {
          const locked = await tables.within(tx).lockRow(TABLE, { where: { id }, wait: 20_000 });
          if (locked.outcome !== "locked") throw new Error(locked.outcome);
          const balance = Number(locked.row.balance) + 1;
          await run(`UPDATE ${quoted(arm())} SET balance = ${balance} WHERE id = ${id}`);
        }),
      ),
    );
    expect((await orderOf(arm(), id)).balance).toBe(callers);
  });

  test("held by another it is busy, at once or after a wait that ends, and the transaction goes on", async () => {
    const { tables, transaction, separate } = arm();
    if (!separate) return;
    const id = await insertOrder(arm());
    const other = await insertOrder(arm());
    const told = await transaction(async (holder) => {
      const where = { id };
      const held = await tables.within(holder.tx).lockRow(TABLE, { where, wait: "nowait" });
      expect(held.outcome).toBe("locked");
      return transaction(async ({ tx, run }) => {
        const within = tables.within(tx);
        const outcomes: string[] = [];
        for (const wait of ["nowait", 30, "skip"] as const) {
          outcomes.push((await within.lockRow(TABLE, { where, wait })).outcome);
        }
        await run(`UPDATE ${quoted(arm())} SET balance = 3 WHERE id = ${other}`);
        return outcomes;
      });
    });
    expect(told).toEqual(["busy", "busy", "notFound"]);
    expect((await orderOf(arm(), other)).balance).toBe(3);
  });

  test("skip takes the first row that is free: 6 callers take 6 rows", async () => {
    const { tables, transaction, separate, run } = arm();
    if (!separate) return;
    const provider = order().number;
    for (let at = 0; at < 6; at += 1) {
      await tables.insertOnce(TABLE, order({ provider }), { uniqueBy: ["number"] });
    }
    const taken = await Promise.all(
      Array.from({ length: 6 }, () =>
        transaction(async ({ tx, run: send }) => {
          const where = { provider, status: "new" };
          const job = await tables
            .within(tx)
            .lockRow(TABLE, { where, orderBy: "id", wait: "skip" });
          if (job.outcome !== "locked") return job.outcome;
          const { id } = job.row;
          await send(`UPDATE ${quoted(arm())} SET status = 'sent' WHERE id = ${id}`);
          return Number(id);
        }),
      ),
    );
    const ids = taken.filter((each) => typeof each === "number");
    expect(new Set(ids).size).toBe(ids.length);
    const rows = await run(
      `SELECT id FROM ${quoted(arm())} WHERE provider = '${provider}' AND status = 'sent'`,
    );
    expect(rows).toHaveLength(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  test("waits for a holder that ends in time, by asking again or in the server's queue", async () => {
    const { tables, transaction, separate } = arm();
    if (!separate) return;
    const id = await insertOrder(arm());
    const where = { id };
    for (const wait of [20_000, "server"] as const) {
      const waiting: Promise<unknown>[] = [];
      await transaction(async (holder) => {
        await tables.within(holder.tx).lockRow(TABLE, { where, wait });
        const waits = transaction(({ tx }) => tables.within(tx).lockRow(TABLE, { where, wait }));
        waiting.push(waits);
      });
      expect(await waiting[0]).toMatchObject({ outcome: "locked" });
    }
  });

  test("a row that is not there is not waited for", async () => {
    const { tables, transaction } = arm();
    const where = { id: 999_999 };
    const none = await transaction(({ tx }) => tables.within(tx).lockRow(TABLE, { where }));
    expect(none).toEqual({ outcome: "notFound" });
  });

  test("costs what it says", async () => {
    const { tables, transaction, sent, dialect } = arm();
    if (sent === undefined || dialect === "sqlite") return;
    const where = { id: await insertOrder(arm()) };
    const costs = await transaction(async ({ tx }) => {
      sent();
      await tables.within(tx).lockRow(TABLE, { where });
      const locked = sent().length;
      const busy = await transaction(async (other) => {
        sent();
        await tables.within(other.tx).lockRow(TABLE, { where, wait: "nowait" });
        return sent().length;
      });
      return [locked, busy];
    });
    expect(costs).toEqual([3, 4]);
  });

  test("without a transaction it is an error", async () => {
    const { tables, outside } = arm();
    if (outside === undefined) return;
    const id = await insertOrder(arm());
    const failed = outside((tx) => tables.within(tx).lockRow(TABLE, { where: { id } }));
    await expect(failed).rejects.toMatchObject({ code: "optionInvalid" });
  });
}
