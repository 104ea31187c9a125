// S0: a write applies if and only if, at that instant, the state is the one that it expects.

import { applied, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import { inOtherCase } from "../lab.js";

const OTHER_OP_ID = "anotherOperationThanTA";

export const s0: readonly CaseDefinition[] = [
  {
    id: "S0.1-create-unused",
    law: "a create applies on a key that was never used, and a read returns what it wrote",
    async run(lab) {
      const write = lab.createWrite("k", "first", 60_000);
      const result = applied(await lab.store.write(write), "the create");
      check(!result.replayed, "a first send is not a replay");
      const { revision, writtenAt, expiresAt } = result;
      const stamp = { revision, opId: write.opId };
      const { entry } = await lab.read("k");
      same(entry, { value: "first", stamp, writtenAt, expiresAt }, "the entry");
    },
  },
  {
    id: "S0.2-create-live",
    law: "a create is refused while an entry is live, and changes nothing",
    async run(lab) {
      await lab.seed("k", "first");
      const before = (await lab.read("k")).entry;
      refused(await lab.create("k", "second"), "a create on a live entry");
      refused(await lab.create("k", "first"), "a create of the same value");
      same((await lab.read("k")).entry, before, "the entry after refused creates");
    },
  },
  {
    id: "S0.3-create-removed",
    law: "a create applies after a removal",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      await lab.remove("k", stamp);
      applied(await lab.create("k", "second"), "a create after a removal");
      same((await lab.read("k")).entry?.value, "second", "the value");
    },
  },
  {
    id: "S0.4-create-expired",
    law: "a create applies after expiry",
    async run(lab) {
      const { expiresAt = 0 } = await lab.seed("k", "first", 50);
      await lab.passUntil(expiresAt);
      applied(await lab.create("k", "second"), "a create after expiry");
      same((await lab.read("k")).entry?.value, "second", "the value");
    },
  },
  {
    id: "S0.5-absent-since-removed",
    law: "a create with absentSince applies if the key's latest revision is at most that",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const removed = await lab.remove("k", stamp);
      refused(await lab.createSince("k", 0), "absentSince 0 after a removal");
      refused(await lab.createSince("k", stamp.revision), "absentSince before the removal");
      refused(await lab.createSince("k", removed.revision - 1), "absentSince just below");
      applied(await lab.createSince("k", removed.revision), "absentSince at the removal");
    },
  },
  {
    id: "S0.6-absent-since-beyond",
    law: "a create with absentSince beyond the key's latest revision applies",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const removed = await lab.remove("k", stamp);
      applied(await lab.createSince("k", removed.revision + 1), "absentSince just beyond");
    },
  },
  {
    id: "S0.7-absent-since-live",
    law: "a create with absentSince is refused while an entry is live, whatever its bound",
    async run(lab) {
      const { revision } = await lab.seed("k", "first");
      refused(await lab.createSince("k", revision), "absentSince at a live entry's revision");
      refused(await lab.createSince("k", Number.MAX_SAFE_INTEGER), "the largest absentSince");
      same((await lab.read("k")).entry?.value, "first", "the value");
    },
  },
  {
    id: "S0.8-absent-since-unused",
    law: "a key that was never used counts as revision 0",
    async run(lab) {
      applied(await lab.createSince("k", 0), "absentSince 0 on an unused key");
      applied(await lab.createSince("l", 1), "absentSince 1 on an unused key");
    },
  },
  {
    id: "S0.9-absent-since-expired",
    law: "a create with absentSince judges the revision of an expired entry that is remembered",
    async run(lab) {
      const { revision, expiresAt = 0 } = await lab.seed("k", "first", 50);
      await lab.passUntil(expiresAt);
      refused(await lab.createSince("k", revision - 1), "absentSince below an expired revision");
      applied(await lab.createSince("k", revision), "absentSince at an expired revision");
    },
  },
  {
    id: "S0.10-absent-since-forgotten",
    law: "a forgotten key counts as revision 0, and a remembered one does not",
    needs: ["advance"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.remove("k", stamp);
      await lab.pass(lab.tombstoneMs + 1_000);
      // How much longer a store remembers is its own affair; what it reads and what it admits agree.
      const { revision } = await lab.read("k");
      const result = await lab.createSince("k", 0);
      const what = `a create with absentSince 0 when a read tells revision ${revision}`;
      if (revision === undefined) {
        applied(result, what);
      } else {
        refused(result, what);
      }
    },
  },
  {
    id: "S0.11-stamp-matches",
    law: "a compare-and-set applies under the live entry's stamp",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      const second = await lab.set("k", stamp, "second");
      const { entry } = await lab.read("k");
      same(entry?.value, "second", "the value");
      same(entry?.stamp, second.stamp, "the stamp");
      const equal = await lab.set("k", second.stamp, "second");
      same(
        (await lab.read("k")).entry?.stamp,
        equal.stamp,
        "the stamp after one of the same value",
      );
    },
  },
  {
    id: "S0.12-stamp-op-id",
    law: "a stamp with the right revision and another opId is refused",
    async run(lab) {
      const { revision, stamp: live } = await lab.seed("k", "first");
      const next = { value: "second", ttlMs: "never" } as const;
      for (const opId of [OTHER_OP_ID, inOtherCase(live.opId)]) {
        const stamp = { revision, opId };
        refused(await lab.stamped("k", stamp, next), `a compare-and-set under opId ${opId}`);
        const touch = { touch: true, ttlMs: 1_000 } as const;
        refused(await lab.stamped("k", stamp, touch), `a touch under opId ${opId}`);
        refused(await lab.stamped("k", stamp, "removed"), `a removal under opId ${opId}`);
      }
      same((await lab.read("k")).entry?.value, "first", "the value");
    },
  },
  {
    id: "S0.13-stamp-revision",
    law: "a stamp with the right opId and another revision is refused",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      const next = { value: "second", ttlMs: "never" } as const;
      for (const revision of [stamp.revision - 1, stamp.revision + 1, 0]) {
        const wrong = { ...stamp, revision };
        refused(await lab.stamped("k", wrong, next), `revision ${revision}`);
        refused(await lab.stamped("k", wrong, "removed"), `a removal at revision ${revision}`);
      }
      same((await lab.read("k")).entry?.value, "first", "the value");
    },
  },
  {
    id: "S0.14-stamp-superseded",
    law: "a stamp is refused once another write has replaced it, for every kind of write",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      await lab.set("k", stamp, "second");
      const third = { value: "third", ttlMs: "keep" } as const;
      refused(await lab.stamped("k", stamp, third), "a compare-and-set");
      refused(await lab.stamped("k", stamp, { touch: true, ttlMs: 1_000 }), "a touch");
      refused(await lab.stamped("k", stamp, "removed"), "a removal");
      same((await lab.read("k")).entry?.value, "second", "the value");
    },
  },
  {
    id: "S0.15-stamp-absent",
    law: "a stamp is refused where no entry is: never used, removed, or expired",
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      await lab.remove("removed", stamp);
      const expired = await lab.seed("expired", "value", 50);
      await lab.passUntil(expired.expiresAt ?? 0);
      const next = { value: "second", ttlMs: "never" } as const;
      refused(await lab.stamped("unused", stamp, next), "a compare-and-set of an unused key");
      refused(await lab.stamped("removed", stamp, next), "a compare-and-set of a removed key");
      refused(await lab.stamped("expired", expired.stamp, next), "one of an expired key");
      const touch = { touch: true, ttlMs: 1_000 } as const;
      refused(await lab.stamped("expired", expired.stamp, touch), "a touch of an expired key");
      refused(await lab.stamped("expired", expired.stamp, "removed"), "a removal of one");
    },
  },
  {
    id: "S0.16-touch",
    law: "a touch keeps the value and gives it a new stamp and a new life",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first", 10_000);
      const touch = lab.stampedWrite("k", stamp, { touch: true, ttlMs: 60_000 });
      const result = applied(await lab.store.write(touch), "the touch");
      const { entry } = await lab.read("k");
      same(entry?.value, "first", "the value");
      same(entry?.stamp, { revision: result.revision, opId: touch.opId }, "the stamp");
      same(entry?.expiresAt, result.expiresAt, "the expiry");
      const livesUs = (result.expiresAt ?? 0) - result.writtenAt;
      const lives = `a touch with a ttl of 60000 ms lives ${livesUs} µs from its writtenAt`;
      check(livesUs >= 60_000_000, `${lives}, of at least 60000000`, result);
      const never = await lab.stamped("k", entry?.stamp ?? stamp, { touch: true, ttlMs: "never" });
      same(applied(never, "a touch for ever").expiresAt, undefined, "the expiry");
      same((await lab.read("k")).entry?.expiresAt, undefined, "the expiry read");
    },
  },
  {
    id: "S0.17-keep",
    law: 'a compare-and-set with ttl "keep" changes the value and leaves the expiry as it was',
    async run(lab) {
      const { stamp, expiresAt } = await lab.seed("k", "first", 60_000);
      const second = await lab.set("k", stamp, "second", "keep");
      same(second.expiresAt, expiresAt, "the expiry");
      const { entry } = await lab.read("k");
      same([entry?.value, entry?.expiresAt], ["second", expiresAt], "value and expiry read");
      const forever = await lab.seed("forever");
      const kept = await lab.set("forever", forever.stamp, "second", "keep");
      same(kept.expiresAt, undefined, "the kept expiry of an entry that never expires");
    },
  },
  {
    id: "S0.18-remove",
    law: "a removal under the live stamp leaves no entry",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.remove("k", stamp);
      same((await lab.read("k")).entry, undefined, "the entry");
    },
  },
];
