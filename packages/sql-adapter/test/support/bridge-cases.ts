// What holds of a store that is bound to the transaction of a query builder, whatever builder it is.
import type { AtomicStore, MultiKeyStore } from "@onceproof/core/advanced";
import type { BridgedTransaction } from "@onceproof/sql-adapter";
import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Bound = AtomicStore & { bind(tx: BridgedTransaction): MultiKeyStore };

/** A builder's transaction, given a bridge and a statement of the user's own. */
export interface Builder {
  readonly store: Bound;
  transaction(
    fn: (bridge: BridgedTransaction, own: (key: string) => Promise<unknown>) => Promise<void>,
  ): Promise<unknown>;
  effects(key: string): Promise<number>;
  end(): Promise<unknown>;
}

export const EFFECTS = "CREATE TABLE effects (k varchar(64))";

const opIdOf = (letter: string): string => letter.repeat(22);

/** What holds of a store that is bound through any bridge. */
export function testBridge(name: string, open: () => Promise<Builder>): void {
  describe(name, () => {
    let builder: Builder;
    beforeAll(async () => {
      builder = await open();
    });
    afterAll(() => builder.end());

    test("record and effect commit together", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} \u0000 commit`;
      const value = "é\u0000\ud83d\ude00 '$1' ? \\";
      await transaction(async (bridge, own) => {
        const bound = store.bind(bridge);
        const create = { key, opId: opIdOf("A"), expect: "absent" } as const;
        const created = await bound.write({ ...create, next: { value: "1", ttlMs: 60_000 } });
        if (created.outcome !== "applied") throw new Error(`it was ${created.outcome}`);
        expect((await bound.read(key)).entry?.value).toBe("1");
        await own("commit");
        const expected = { revision: created.revision, opId: opIdOf("A") };
        const next = { value, ttlMs: "never" } as const;
        const set = await bound.write({ key, opId: opIdOf("B"), expect: expected, next });
        expect(set).toMatchObject({ outcome: "applied", replayed: false });
      });
      const { entry } = await store.read(key);
      expect([entry?.value, entry?.stamp.opId]).toEqual([value, opIdOf("B")]);
      expect(await effects("commit")).toBe(1);
    });

    test("both are rolled back together", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} rollback`;
      const thrown = new Error("no stock");
      const next = { value: "1", ttlMs: 60_000 };
      const failing = transaction(async (bridge, own) => {
        await store.bind(bridge).write({ key, opId: opIdOf("C"), expect: "absent", next });
        await own("rollback");
        throw thrown;
      });
      await expect(failing).rejects.toBe(thrown);
      expect((await store.read(key)).revision).toBeUndefined();
      expect(await effects("rollback")).toBe(0);
    });

    test("a duplicate is refused or replayed, and the transaction goes on", async () => {
      const { store, transaction, effects } = builder;
      const key = `${name} duplicate`;
      const next = { value: "first", ttlMs: 60_000 };
      const write = { key, opId: opIdOf("D"), expect: "absent", next } as const;
      await store.write(write);
      await transaction(async (bridge, own) => {
        const bound = store.bind(bridge);
        const refused = await bound.write({ ...write, opId: opIdOf("E") });
        expect(refused).toMatchObject({ outcome: "refused", entry: { value: "first" } });
        expect(await bound.write(write)).toMatchObject({ outcome: "applied", replayed: true });
        const other = { revision: 1, opId: opIdOf("H") };
        const remove = { key, opId: opIdOf("I"), expect: other, next: "removed" } as const;
        expect(await bound.write(remove)).toMatchObject({ outcome: "refused" });
        await own("duplicate");
      });
      expect(await effects("duplicate")).toBe(1);
    });

    if (/over (pg|postgres)/.test(name)) {
      test("a racer's insert and a conflict are told", async () => {
        const { store, transaction } = builder;
        const next = { value: "1", ttlMs: 60_000 };
        const racing = async (isolation: string, key: string, letter: string) => {
          let answer: unknown;
          await transaction(async (bridge) => {
            await bridge.rows(`SET TRANSACTION ISOLATION LEVEL ${isolation}`, []);
            await bridge.rows("SELECT 1", []);
            const asked = { key, expect: "absent", next } as const;
            await store.write({ ...asked, opId: opIdOf(letter) });
            const all = { opId: opIdOf("Z"), writes: [asked] };
            answer = await store.bind(bridge).writeAll(all);
          });
          return answer;
        };
        const refused = await racing("READ COMMITTED", `${name} racer`, "F");
        expect(refused).toMatchObject({ outcome: "refused", index: 0 });
        const lost = racing("REPEATABLE READ", `${name} conflict`, "G");
        await expect(lost).rejects.toMatchObject({ code: "contended" });
      });
    }
  });
}

/** The bridge to Kysely; `place` stands for a value in its dialect. */
export function kyselyTransaction(db: Kysely<unknown>, place: string): Builder["transaction"] {
  return (fn) =>
    db.transaction().execute(async (tx: Transaction<unknown>) => {
      const bridge: BridgedTransaction = {
        async rows(text, values) {
          const { rows } = await tx.executeQuery(CompiledQuery.raw(text, [...values]));
          return rows as object[];
        },
      };
      const insert = `INSERT INTO effects VALUES (${place})`;
      await fn(bridge, (key) => tx.executeQuery(CompiledQuery.raw(insert, [key])));
    });
}
