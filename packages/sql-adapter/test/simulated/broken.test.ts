// Broken variants of the SQLite store, as they are really written: the simulated run notices each, by a
// guarantee of its own. So it would notice such a mistake in the store that ships.
import type { MultiKeyStore, Write } from "@onceproof/core/advanced";
import { type ProfileId, scenarioOf } from "@onceproof/simulator";
import type { SqliteDatabase, SqliteStore } from "@onceproof/sql-adapter";
import { describe, expect, test } from "vitest";
import { type Alterations, inMemory } from "./sqlite.ts";
import { surprisesOf, violatedBy } from "./support.ts";

type Store = SqliteStore<SqliteDatabase>;

interface Variant {
  readonly title: string;
  readonly alterations: Alterations;
  readonly scenario: string;
  readonly profile: ProfileId;
  /** By which guarantee it is noticed first. */
  readonly by: string;
}

const altered = (of: RegExp, from: string | RegExp, to: string): Alterations => ({
  sql: (text) => (of.test(text) ? text.replace(from, to) : text),
});

/** The store with other steps inside its transactions. */
const rebound = (store: Store, bind: (tx: SqliteDatabase) => MultiKeyStore): Store => ({
  ...store,
  bind: bind as Store["bind"],
});

/** A create replaces what is there. */
const createsOver = (store: Store): Store =>
  rebound(store, (tx) => {
    const bound = store.bind(tx);
    return {
      ...bound,
      async write(write) {
        const { entry } = await bound.read(write.key);
        const { key, opId, expect, next } = write;
        return typeof expect === "string" && entry !== undefined && typeof next === "object"
          ? bound.write({ key, opId, expect: entry.stamp, next })
          : bound.write(write);
      },
    };
  });

/** What a transaction writes to the store is written when it has committed. */
function recordsAfterwards(store: Store): Store {
  const later = new WeakMap<object, Write[]>();
  return {
    ...rebound(store, (tx) => {
      const bound = store.bind(tx);
      return {
        ...bound,
        async write(write) {
          const { entry, now } = await bound.read(write.key);
          if (entry !== undefined && typeof write.expect === "string") {
            return { outcome: "refused", entry, revision: entry.stamp.revision, now };
          }
          later.get(tx)?.push(write);
          return { outcome: "applied", revision: now, writtenAt: now, now, replayed: false };
        },
      };
    }),
    async transaction(fn) {
      const writes: Write[] = [];
      const result = await store.transaction((tx) => {
        later.set(tx, writes);
        return fn(tx);
      });
      for (const write of writes) await store.write(write);
      return result;
    },
  };
}

const IN_TRANSACTION = { scenario: "dedup/transaction", profile: "transactional" } as const;
const BY_ITSELF = { scenario: "contract/store", profile: "durable" } as const;

const VARIANTS: readonly Variant[] = [
  {
    title: "a create that does not look whether the entry is alive",
    alterations: { store: createsOver },
    ...IN_TRANSACTION,
    by: "dedup/transaction-once",
  },
  {
    title: "a row that is committed before the record",
    alterations: {
      insert(tx, add) {
        tx.exec("COMMIT");
        add();
        tx.exec("BEGIN IMMEDIATE");
      },
    },
    ...IN_TRANSACTION,
    by: "dedup/transaction-once",
  },
  {
    title: "a record that is written after the commit",
    alterations: { store: recordsAfterwards },
    ...IN_TRANSACTION,
    by: "dedup/transaction-once",
  },
  {
    title: "a transaction that is committed where it should be rolled back",
    alterations: altered(/^ROLLBACK$/, "ROLLBACK", "COMMIT"),
    ...IN_TRANSACTION,
    by: "dedup/transaction-told-is-committed",
  },
  {
    title: "a commit that changes nothing",
    alterations: altered(/^COMMIT$/, "COMMIT", "ROLLBACK"),
    ...IN_TRANSACTION,
    by: "dedup/transaction-told-is-committed",
  },
  {
    title: "a transaction that is left open when it fails",
    alterations: altered(/^ROLLBACK$/, "ROLLBACK", "SELECT 1"),
    ...IN_TRANSACTION,
    by: "dedup/transaction-settles",
  },
  {
    title: "an insert that changes nothing where a row is left of an entry that is over",
    alterations: altered(/^INSERT INTO/, /DO UPDATE[\s\S]*/, "DO NOTHING"),
    ...BY_ITSELF,
    by: "contract/linearizable",
  },
  {
    title: "a renewal that keeps the opId of the write before",
    alterations: altered(/^UPDATE/, "op = ?", "op = coalesce(op, ?)"),
    ...BY_ITSELF,
    by: "contract/linearizable",
  },
  {
    title: "a sweep that frees what was removed at once",
    alterations: altered(/^SELECT rowid/, "max(coalesce(exp, 0), max(at, rev) + ?)", "0 * ?"),
    ...BY_ITSELF,
    by: "contract/tombstone-kept",
  },
];

describe("the simulated run notices", () => {
  test.each(VARIANTS)("$title", async ({ alterations, scenario, profile, by }) => {
    const { found } = await surprisesOf(scenarioOf(scenario), inMemory(alterations), {
      profile,
      oneIn: 5,
      first: true,
    });
    const [surprise] = found;
    expect(found.map(({ guarantee }) => guarantee)).toContain(by);
    // And what ships holds in the very same run.
    expect(await violatedBy(surprise!.spec, inMemory())).toEqual([]);
  });

  test("a store that asks the machine for the time", async () => {
    const asking = (store: Store): Store => ({
      ...store,
      read(key) {
        Date.now();
        return store.read(key);
      },
    });
    const sample = { ...BY_ITSELF, oneIn: 1 };
    await expect(
      surprisesOf(scenarioOf(BY_ITSELF.scenario), inMemory({ store: asking }), sample),
    ).rejects.toThrow("Date.now() was touched during a run");
  });
});
