// What fencedUpdate states, on whatever arm.
import { expect, test } from "vitest";
import { type RunningArm, TABLE } from "./arm.js";
import { insertOrder, orderOf } from "./rows.js";

// As large as the revisions of a store are: microseconds since 1970.
const BASE = 1_790_000_000_000_000;

export function fencedUpdateCases(arm: () => RunningArm): void {
  test("of 32 holders in any order the row ends with the newest, and refuses every older one", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const tokens = Array.from({ length: 32 }, (_, at) => BASE + ((at * 29) % 32));
    const told: { readonly token: number; readonly outcome: string }[] = [];
    await Promise.all(
      tokens.map(async (token) => {
        const set = { balance: token - BASE };
        const result = await tables.fencedUpdate(TABLE, { id, token, set });
        told.push({ token, outcome: result.outcome });
        if (result.outcome === "stale") expect(result.newest).toBeGreaterThan(token);
      }),
    );
    expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(["applied", "stale"]));
    expect(told.find(({ token }) => token === BASE + 31)?.outcome).toBe("applied");
    expect(await orderOf(arm(), id)).toMatchObject({ token: BASE + 31, balance: 31 });
    for (const token of tokens.filter((each) => each < BASE + 31)) {
      const late = await tables.fencedUpdate(TABLE, { id, token, set: { balance: -1 } });
      expect(late).toEqual({ outcome: "stale", newest: BASE + 31 });
    }
    expect((await orderOf(arm(), id)).balance).toBe(31);
  });

  test("takes an equal token again, whatever a driver's flags make of an unchanged row", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const update = { id, token: BASE, set: { balance: 5 } };
    expect(await tables.fencedUpdate(TABLE, update)).toEqual({ outcome: "applied" });
    expect(await tables.fencedUpdate(TABLE, update)).toEqual({ outcome: "applied" });
    expect(await orderOf(arm(), id)).toMatchObject({ token: BASE, balance: 5 });
  });

  test("the largest token is exact, and a missing row is not found", async () => {
    const { tables } = arm();
    const id = await insertOrder(arm());
    const token = Number.MAX_SAFE_INTEGER;
    await tables.fencedUpdate(TABLE, { id, token, set: {} });
    const stale = await tables.fencedUpdate(TABLE, { id, token: token - 1, set: { balance: 1 } });
    expect(stale).toEqual({ outcome: "stale", newest: token });
    const none = await tables.fencedUpdate(TABLE, { id: 999_999, token, set: { balance: 1 } });
    expect(none).toEqual({ outcome: "notFound" });
  });

  test("inside a transaction it applies and refuses, and the transaction goes on", async () => {
    const { tables, transaction } = arm();
    const id = await insertOrder(arm());
    const told = await transaction(async ({ tx, run }) => {
      const within = tables.within(tx);
      const first = await within.fencedUpdate(TABLE, { id, token: 7, set: { balance: 7 } });
      const stale = await within.fencedUpdate(TABLE, { id, token: 6, set: { balance: 6 } });
      const equal = await within.fencedUpdate(TABLE, { id, token: 7, set: { balance: 8 } });
      const none = await within.fencedUpdate(TABLE, { id: 999_999, token: 6, set: { balance: 6 } });
      await run("SELECT 1");
      return [first, stale, equal, none];
    });
    expect(told).toEqual([
      { outcome: "applied" },
      { outcome: "stale", newest: 7 },
      { outcome: "applied" },
      { outcome: "notFound" },
    ]);
    expect(await orderOf(arm(), id)).toMatchObject({ token: 7, balance: 8 });
  });

  test("costs what it says", async () => {
    const { tables, sent, dialect } = arm();
    if (sent === undefined) return;
    const id = await insertOrder(arm());
    sent();
    await tables.fencedUpdate(TABLE, { id, token: 2, set: { balance: 2 } });
    const applied = sent().filter((text) => text.startsWith("UPDATE"));
    expect(applied).toHaveLength(1);
    await tables.fencedUpdate(TABLE, { id, token: 1, set: { balance: 1 } });
    const stale = sent().filter((text) => /^(UPDATE|SELECT)/.test(text));
    expect(stale).toHaveLength(dialect === "mysql" ? 1 : 2);
  });

  test("a lost reply is indeterminate, and the same token may ask again", async () => {
    const { lossy } = arm();
    if (lossy === undefined) return;
    const { tables, lose } = await lossy();
    const id = await insertOrder(arm());
    await tables.fencedUpdate(TABLE, { id, token: 1, set: { balance: 1 } });
    lose("loseReply");
    const update = { id, token: 2, set: { balance: 2 } };
    expect((await tables.fencedUpdate(TABLE, update)).outcome).toBe("indeterminate");
    expect(await tables.fencedUpdate(TABLE, update)).toEqual({ outcome: "applied" });
  });
}
