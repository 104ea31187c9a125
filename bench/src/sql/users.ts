// Bare statements and ours, over the same connections of any SQL database.

import { randomUUID } from "node:crypto";
import { createDedup, createLock, createTransactionalDedup } from "@onceproof/core";
import { OURS } from "../compare/contestants.js";
import { type DedupUser, type LockUser, RECEIPT, type TransactionUser } from "../compare/users.js";
import type { SqlSubject } from "./subject.js";

const NAME = "bench";

/** INSERT and DELETE, and ours. */
export function lockUsers<Tx>({ client, bare, store }: SqlSubject<Tx>): readonly LockUser[] {
  const locks = createLock({ store, name: NAME });
  return [
    {
      name: "bare INSERT + DELETE",
      client,
      kind: "bare",
      lacks: "renewal, fencing token, recognising its own acquisition after a lost reply",
      async cycle(key) {
        const owner = randomUUID();
        if (await bare.take(key, owner)) {
          await bare.drop(key, owner);
        }
      },
      tryHold: (key) => bare.take(key, randomUUID()),
    },
    {
      name: OURS,
      client,
      kind: "ours",
      cycle: async (key) => (await locks.acquire(key)).release(),
      async tryHold(key) {
        const { outcome } = await locks.tryAcquire(key, { autoRenew: false });
        return outcome === "acquired";
      },
    },
  ];
}

/** INSERT and UPDATE, or INSERT and SELECT; and ours. */
export function dedupUsers<Tx>({ client, bare, store }: SqlSubject<Tx>): readonly DedupUser[] {
  const dedup = createDedup({ store, name: NAME, onCrash: "park" });
  return [
    {
      name: "bare INSERT + UPDATE or SELECT",
      client,
      kind: "bare",
      lacks: "owner check, crash handling, waiting, renewal",
      async run(key, handler) {
        if (await bare.claim(key)) {
          const receipt = handler();
          await bare.finish(key, JSON.stringify(receipt));
          return receipt;
        }
        return JSON.parse((await bare.find(key)) ?? "null");
      },
    },
    {
      name: OURS,
      client,
      kind: "ours",
      run: (key, handler) => dedup.run(key, handler),
    },
  ];
}

class AlreadyPaid extends Error {}

/** The user's own transaction, the same with a key by hand, and ours. */
export function transactionUsers<Tx>(subject: SqlSubject<Tx>): readonly TransactionUser[] {
  const { client, store, on, transaction } = subject;
  const dedup = createTransactionalDedup({ store, name: NAME, onCrash: "park" });
  return [
    {
      name: "your own BEGIN, INSERT, COMMIT",
      client,
      kind: "bare",
      lacks: "dedup: a retry pays twice",
      pay: (key) => transaction((tx) => on(tx).pay(key)),
    },
    {
      name: "the same with a key, by hand",
      client,
      kind: "peer",
      lacks: "a bound on waiting, running again after a deadlock or a lost answer to COMMIT",
      async pay(key) {
        try {
          await transaction(async (tx) => {
            const bare = on(tx);
            if (!(await bare.claim(key))) {
              throw new AlreadyPaid();
            }
            await bare.pay(key);
            await bare.finish(key, JSON.stringify(RECEIPT));
          });
          return RECEIPT;
        } catch (error) {
          if (!(error instanceof AlreadyPaid)) {
            throw error;
          }
          return JSON.parse((await subject.bare.find(key)) ?? "null");
        }
      },
    },
    {
      name: OURS,
      client,
      kind: "ours",
      pay: (key) =>
        dedup.runInTransaction(key, async (tx) => {
          await on(tx).pay(key);
          return RECEIPT;
        }),
    },
    {
      name: `${OURS}, bound to your transaction`,
      client,
      kind: "ours",
      lacks: "running again after a deadlock or a lost answer to COMMIT, which is yours to do",
      pay: (key) =>
        transaction((tx) => {
          const bound = createDedup({ store: store.bind(tx), name: NAME, onCrash: "rerun" });
          return bound.run(key, async () => {
            await on(tx).pay(key);
            return RECEIPT;
          });
        }),
    },
  ];
}
