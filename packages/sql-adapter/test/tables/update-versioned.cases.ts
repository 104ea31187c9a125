// What updateVersioned states, on whatever arm.
import { createTables, type PgClient, type RowUpdateContext } from "@onceproof/sql-adapter";
import { expect, test } from "vitest";
import { LOG, type RunningArm, TABLE } from "./arm.js";
import { insertOrder, orderOf, quoted } from "./rows.js";

interface Balance {
  readonly balance: unknown;
}

const add = (amount: number) => (row: Balance) => ({ balance: Number(row.balance) + amount });
const CALLERS = 32;

export function updateVersionedCases(arm: () => RunningArm): void {
  test("of 32 callers each adds its amount exactly once, without a log", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const results = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) =>
        tables.updateVersioned(TABLE, { id, update: add(at) }),
      ),
    );
    const versions = results.map((result) => (result.outcome === "updated" ? result.version : 0));
    expect(versions.sort((a, b) => a - b)).toEqual(versions.map((_, at) => at + 1));
    const { balance } = await orderOf(arm(), id);
    expect(balance).toBe((CALLERS * (CALLERS - 1)) / 2);
  });

  test("of 32 calls with 10 request ids each request adds once, and its retries are told", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const results = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) =>
        tables.updateVersioned(TABLE, {
          id,
          update: add(1),
          requestId: `add ${at % 10}`,
          log: LOG,
        }),
      ),
    );
    const fresh = results.filter((result) => result.outcome === "updated" && !result.replayed);
    expect(fresh).toHaveLength(10);
    const replayed = results.filter((result) => result.outcome === "updated" && result.replayed);
    expect(replayed).toHaveLength(CALLERS - 10);
    expect(await orderOf(arm(), id)).toMatchObject({ balance: 10, version: 10 });
  });

  test("a request that has named a move of the row is no update that was made, nor the other way", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const wrong = { code: "optionInvalid" };
    const move = { id, from: "new", to: "paid", log: LOG } as const;
    const update = { id, update: add(1), log: LOG } as const;
    await tables.transitionRow(TABLE, { ...move, requestId: "one" });
    const updated = tables.updateVersioned(TABLE, { ...update, requestId: "one" });
    await expect(updated).rejects.toMatchObject(wrong);
    await tables.updateVersioned(TABLE, { ...update, requestId: "other" });
    const moved = tables.transitionRow(TABLE, { ...move, requestId: "other" });
    await expect(moved).rejects.toMatchObject(wrong);
    expect(await orderOf(arm(), id)).toMatchObject({ status: "paid", balance: 1, version: 2 });
  });

  test("a refusal is kept with its reason, and the row's later state does not change it", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const take = {
      id,
      requestId: "take",
      log: LOG,
      update: (row: Balance, { refuse }: RowUpdateContext) =>
        Number(row.balance) < 5 ? refuse("too little") : { balance: Number(row.balance) - 5 },
    } as const;
    const refused = { outcome: "refused", reason: "too little" };
    expect(await tables.updateVersioned(TABLE, take)).toEqual({ ...refused, replayed: false });
    await tables.updateVersioned(TABLE, { id, update: add(9) });
    expect(await tables.updateVersioned(TABLE, take)).toEqual({ ...refused, replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ balance: 9, version: 1 });
  });

  test("what the function throws is thrown on and changes nothing, but never hides a replay", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const broken = (): never => {
      throw new Error("the user's own");
    };
    const named = { id, requestId: "once", log: LOG };
    const thrown = tables.updateVersioned(TABLE, { ...named, update: broken });
    await expect(thrown).rejects.toThrow("the user's own");
    await expect(tables.updateVersioned(TABLE, { id, update: broken })).rejects.toThrow("own");
    const first = await tables.updateVersioned(TABLE, { ...named, update: add(3) });
    expect(first).toEqual({ outcome: "updated", version: 1, replayed: false });
    const again = await tables.updateVersioned(TABLE, { ...named, update: broken });
    expect(again).toEqual({ ...first, replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ balance: 3, version: 1 });
  });

  test("a call that meets another writer in every round ends as contended", async () => {
    const { pg, run } = arm();
    if (pg === undefined) return;
    const id = await insertOrder(arm());
    const raise = `UPDATE ${quoted(arm())} SET version = version + 1 WHERE id = ${id}`;
    const client: PgClient = {
      async query(statement) {
        const result = await pg.query(statement);
        // Between its reading and its writing, another one writes.
        if (statement.text.startsWith("SELECT *")) await run(raise);
        return result;
      },
    };
    let calls = 0;
    const update = () => {
      calls += 1;
      return { balance: 99 };
    };
    const options = { id, update, maxRounds: 3 };
    const result = await createTables({ client }).updateVersioned(TABLE, options);
    expect(result).toEqual({ outcome: "contended", rounds: 3 });
    expect(calls).toBe(3);
    expect(await orderOf(arm(), id)).toMatchObject({ balance: 0, version: 3 });
  });

  test("no row is told, and neither the id nor the version can be set", async () => {
    const { tables } = arm();
    const none = await tables.updateVersioned(TABLE, { id: 999_999, update: add(1) });
    expect(none).toEqual({ outcome: "notFound" });
    const id = await insertOrder(arm());
    for (const patch of [{ version: 9 }, { ID: 9 }]) {
      await expect(
        tables.updateVersioned(TABLE, { id, update: () => patch }),
      ).rejects.toMatchObject({ code: "optionInvalid" });
    }
  });

  test("in transactions that go on afterwards, balances add up exactly", async () => {
    const { tables, transaction, dialect } = arm();
    const id = await insertOrder(arm());
    const callers = dialect === "sqlite" ? 1 : 8;
    const all = Array.from({ length: callers }, (_, at) =>
      transaction(async ({ tx, run }) => {
        const within = tables.within(tx);
        await within.updateVersioned(TABLE, { id, update: add(1), requestId: `t${at}`, log: LOG });
        const again = { id, update: add(1), requestId: `t${at}`, log: LOG };
        const replayed = await within.updateVersioned(TABLE, again);
        await within.updateVersioned(TABLE, { id, update: add(10) });
        await run("SELECT 1");
        return replayed;
      }),
    );
    const results = await Promise.all(all);
    expect(results).toEqual(
      Array.from({ length: callers }, () => expect.objectContaining({ replayed: true })),
    );
    const { balance, version } = await orderOf(arm(), id);
    expect({ balance, version }).toEqual({ balance: callers * 11, version: callers * 2 });
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
    const named = { id, update: add(1), requestId: "cost", log: LOG };
    const expected = { postgres: [2, 2, 1], mysql: [2, 3, 3], sqlite: [2, 3, 1] }[dialect];
    expect([
      await cost(() => tables.updateVersioned(TABLE, { id, update: add(1) })),
      await cost(() => tables.updateVersioned(TABLE, named)),
      await cost(() => tables.updateVersioned(TABLE, named)),
    ]).toEqual(expected);
  });

  test("a lost reply is indeterminate, and the same request applies once", async () => {
    const { lossy, dialect } = arm();
    if (lossy === undefined) return;
    const { tables, lose } = await lossy();
    const id = await insertOrder(arm());
    const named = { id, requestId: "cut", log: LOG };
    await tables.updateVersioned(TABLE, { id, update: add(1) });
    // On MySQL it is a transaction, whose COMMIT may be lost. On Postgres the reading passes, and
    // what is lost is the writing's reply.
    let armed = dialect === "mysql";
    if (armed) lose("loseReply");
    const update = (row: Balance) => {
      if (!armed) lose("loseReply");
      armed = true;
      return add(5)(row);
    };
    const lost = await tables.updateVersioned(TABLE, { ...named, update });
    expect(lost.outcome).toBe("indeterminate");
    const again = await tables.updateVersioned(TABLE, { ...named, update });
    expect(again).toMatchObject({ outcome: "updated", replayed: true });
    expect(await orderOf(arm(), id)).toMatchObject({ balance: 6, version: 2 });
  });
}
