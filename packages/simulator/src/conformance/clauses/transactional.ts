// TransactionalStore: entries that commit together with what else a transaction does, or not at
// all.

import { applied, check, refused, rejection, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

/** Of one increment among twelve. */
const ATTEMPTS = 1_000;

/** Adds one to the counter in a transaction, again if the store gave up under contention. */
async function increment(lab: Lab): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const committed = await lab.transactional
      .transaction(async (tx) => {
        const bound = lab.transactional.bind(tx);
        const { entry } = await bound.read("k");
        check(entry !== undefined, "the counter must stay");
        const value = String(Number(entry.value) + 1);
        const next = { value, ttlMs: "never" } as const;
        const result = await bound.write(lab.stampedWrite("k", entry.stamp, next));
        // A store that does not lock what it reads refuses; then the round is rolled back.
        if (result.outcome !== "applied") {
          throw new LostRound();
        }
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof LostRound || (error as { code?: unknown }).code === "contended") {
          return false;
        }
        throw error;
      });
    if (committed) {
      return;
    }
  }
  check(false, `of ${ATTEMPTS} transactions under contention none committed`);
}

class LostRound extends Error {}

export const transactional: readonly CaseDefinition[] = [
  {
    id: "transactional.1-commit",
    law: "a transaction commits all that it wrote, and returns what its function returned",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      const { stamp } = await lab.seed("set", "first");
      const returned = await store.transaction(async (tx) => {
        const bound = store.bind(tx);
        const next = { value: "second", ttlMs: "never" } as const;
        applied(await bound.write(lab.createWrite("created")), "a create in a transaction");
        applied(await bound.write(lab.stampedWrite("set", stamp, next)), "a set in one");
        return { returned: 1 };
      });
      same(returned, { returned: 1 }, "what it returned");
      same((await lab.peer.read("created")).entry?.value, "value", "the value created");
      same((await lab.peer.read("set")).entry?.value, "second", "the value set");
    },
  },
  {
    id: "transactional.2-roll-back",
    law: "a transaction whose function throws changes nothing and rejects with what it threw",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      const { stamp } = await lab.seed("set", "first");
      const thrown = new Error("thrown by the function");
      const failing = store.transaction(async (tx) => {
        const bound = store.bind(tx);
        await bound.write(lab.createWrite("created"));
        await bound.write(lab.stampedWrite("set", stamp, "removed"));
        throw thrown;
      });
      same((await rejection(failing, "it")) === thrown, true, "whether it threw the same");
      const { entry, revision } = await lab.peer.read("created");
      same([entry, revision], [undefined, undefined], "the key created");
      same((await lab.peer.read("set")).entry?.stamp, stamp, "the stamp of the other");
    },
  },
  {
    id: "transactional.3-own-writes",
    law: "a transaction reads its own writes, and judges later ones by them",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      await store.transaction(async (tx) => {
        const bound = store.bind(tx);
        const write = lab.createWrite("k", "first", 60_000);
        const { revision } = applied(await bound.write(write), "a create");
        same((await bound.read("k")).entry?.value, "first", "the value read in it");
        refused(await bound.write(lab.createWrite("k")), "a second create in it");
        const stamp = { revision, opId: write.opId };
        const next = { value: "second", ttlMs: "keep" } as const;
        const set = applied(await bound.write(lab.stampedWrite("k", stamp, next)), "a set");
        check(set.revision > revision, "revisions increase within it", set);
      });
      same((await lab.read("k")).entry?.value, "second", "the value committed");
    },
  },
  {
    id: "transactional.4-unseen",
    law: "what was rolled back is never seen by another client",
    needs: ["transaction", "peer"],
    async run(lab) {
      const store = lab.transactional;
      // Not awaited inside: a store may let the other client wait until the transaction has ended.
      let outside: Promise<unknown> = Promise.resolve();
      const failing = store.transaction(async (tx) => {
        await store.bind(tx).write(lab.createWrite("k"));
        outside = lab.peer.read("k").then(({ entry }) => entry);
        throw new Error("rolled back");
      });
      await rejection(failing, "it");
      same(await outside, undefined, "what the other client read");
    },
  },
  {
    id: "transactional.5-committed",
    law: "in a later transaction a committed opId is replayed: it was already committed",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      const write = lab.createWrite("k");
      const send = (): Promise<unknown> =>
        store.transaction(async (tx) => applied(await store.bind(tx).write(write), "it").replayed);
      same([await send(), await send()], [false, true], "whether each was a replay");
      check(applied(await lab.store.write(write), "a plain send").replayed, "so is a plain send");
    },
  },
  {
    id: "transactional.6-not-committed",
    law: "an opId that was rolled back applies when it is sent again",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      const write = lab.createWrite("k");
      const failing = store.transaction(async (tx) => {
        await store.bind(tx).write(write);
        throw new Error("rolled back");
      });
      await rejection(failing, "it");
      const { replayed } = applied(await lab.store.write(write), "the write, sent again,");
      same(replayed, false, "whether it was a replay");
    },
  },
  {
    id: "transactional.7-concurrent",
    law: "concurrent transactions lose no update",
    needs: ["transaction"],
    async run(lab) {
      await lab.seed("k", "0");
      await Promise.all([...Array(12).keys()].map(() => increment(lab)));
      same((await lab.read("k")).entry?.value, "12", "the counter");
    },
  },
  {
    id: "transactional.8-refusal",
    law: "a refusal within a transaction carries the incumbent and leaves it usable",
    needs: ["transaction"],
    async run(lab) {
      const store = lab.transactional;
      const { stamp } = await lab.seed("taken", "first");
      await store.transaction(async (tx) => {
        const bound = store.bind(tx);
        const { entry } = refused(await bound.write(lab.createWrite("taken")), "a create");
        same([entry?.value, entry?.stamp], ["first", stamp], "the incumbent");
        applied(await bound.write(lab.createWrite("free")), "a create after a refusal");
      });
      same((await lab.read("free")).entry?.value, "value", "the value committed");
    },
  },
];
