// S5: re-issuing a write whose opId is the key's latest applied write changes nothing and answers
// as the first time.

import type { Applied, Write } from "@onceproof/core/advanced";
import { applied, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import { inOtherCase, type Lab } from "../lab.js";

/** Sends a write twice more, from both clients, and fails unless each is answered as a replay. */
async function replays(lab: Lab, write: Write, what: string): Promise<void> {
  const first = applied(await lab.store.write(write), what);
  check(!first.replayed, `the first send of ${what} is not a replay`);
  const before = await lab.read(write.key);
  await lab.pass(5);
  for (const store of [lab.store, lab.peer]) {
    const again = applied(await store.write(write), `${what}, sent again,`);
    check(again.replayed, `${what}, sent again, must be a replay`);
    same(again.revision, first.revision, `the revision of ${what}, sent again`);
    same(again.writtenAt, first.writtenAt, `when ${what} was written, sent again`);
    same(again.expiresAt, first.expiresAt, `the expiry of ${what}, sent again`);
  }
  const after = await lab.read(write.key);
  same([after.entry, after.revision], [before.entry, before.revision], `the key after ${what}`);
}

export const s5: readonly CaseDefinition[] = [
  {
    id: "S5.1-create",
    law: "a create sent again is replayed and changes nothing",
    run: (lab) => replays(lab, lab.createWrite("k", "value", 60_000), "a create"),
  },
  {
    id: "S5.2-create-absent-since",
    law: "a create with absentSince sent again is replayed and changes nothing",
    run: (lab) =>
      replays(lab, { ...lab.createWrite("k"), expect: { absentSince: 0 } }, "such a create"),
  },
  {
    id: "S5.3-set",
    law: "a compare-and-set sent again is replayed and changes nothing",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const next = { value: "second", ttlMs: 60_000 } as const;
      await replays(lab, lab.stampedWrite("k", stamp, next), "a compare-and-set");
    },
  },
  {
    id: "S5.4-touch",
    law: "a touch sent again is replayed and prolongs nothing",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const next = { touch: true, ttlMs: 60_000 } as const;
      await replays(lab, lab.stampedWrite("k", stamp, next), "a touch");
    },
  },
  {
    id: "S5.5-remove",
    law: "a removal sent again is replayed and changes nothing",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await replays(lab, lab.stampedWrite("k", stamp, "removed"), "a removal");
    },
  },
  {
    id: "S5.6-expired",
    law: "a write sent again after its entry expired was applied, and does not apply again",
    async run(lab) {
      const write = lab.createWrite("k", "value", 50);
      const first = applied(await lab.store.write(write), "the create");
      await lab.passUntil(first.expiresAt ?? 0);
      const again = applied(await lab.store.write(write), "the create, sent again after expiry,");
      same([again.replayed, again.revision], [true, first.revision], "the replay");
      const { revision = first.revision } = await lab.read("k");
      same(revision, first.revision, "the key's latest revision");
    },
  },
  {
    id: "S5.7-remembered",
    law: "a removal is recognised for the tombstone time",
    needs: ["advance"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const removal = lab.stampedWrite("k", stamp, "removed");
      const first = applied(await lab.store.write(removal), "the removal");
      await lab.pass(lab.tombstoneMs - 1_000);
      const again = applied(await lab.store.write(removal), "the removal, sent again,");
      same([again.replayed, again.revision], [true, first.revision], "the replay");
    },
  },
  {
    id: "S5.8-concurrent",
    law: "of 32 concurrent sends of one write exactly one is no replay, and all are applied",
    async run(lab) {
      const { stamp } = await lab.seed("set");
      for (const write of [
        lab.createWrite("created"),
        lab.stampedWrite("set", stamp, { value: "second", ttlMs: "keep" }),
      ]) {
        const results = await Promise.all(
          [...Array(32).keys()].map((send) => lab.client(send).write(write)),
        );
        const all = results.map((result) => applied(result, "a concurrent send"));
        same(all.filter(({ replayed }) => !replayed).length, 1, "how many are no replay");
        same(new Set(all.map(({ revision }) => revision)).size, 1, "how many revisions");
      }
    },
  },
  {
    id: "S5.9-superseded-stamp",
    law: "a write under a stamp never applies twice, whatever happened since",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      const write = lab.stampedWrite("k", stamp, { value: "second", ttlMs: "never" });
      const second = applied(await lab.store.write(write), "the compare-and-set");
      const third = await lab.set("k", { revision: second.revision, opId: write.opId }, "first");
      refused(await lab.store.write(write), "a superseded write, sent again,");
      await lab.remove("k", third.stamp);
      refused(await lab.store.write(write), "the same after a removal");
      await lab.seed("k", "first");
      refused(await lab.store.write(write), "the same after a new create");
      same((await lab.read("k")).entry?.value, "first", "the value");
    },
  },
  {
    id: "S5.10-superseded-create",
    law: "a superseded create under absentSince never applies twice",
    async run(lab) {
      const write = { ...lab.createWrite("k"), expect: { absentSince: 0 } } as const;
      const { revision } = applied(await lab.store.write(write), "the create");
      await lab.remove("k", { revision, opId: write.opId });
      refused(await lab.store.write(write), "the create, sent again after a removal,");
      same((await lab.read("k")).entry, undefined, "the entry");
    },
  },
  {
    id: "S5.11-stamp-of-replay",
    law: "the stamp that a replay tells is the live one",
    async run(lab) {
      const write = lab.createWrite("k");
      applied(await lab.store.write(write), "the create");
      const { revision } = applied(await lab.store.write(write), "the create, sent again,");
      await lab.set("k", { revision, opId: write.opId }, "second");
    },
  },
  {
    id: "S5.12-restart",
    law: "a write sent again after a restart is replayed, whatever its kind",
    needs: ["restart", "durable"],
    async run(lab) {
      const set = await lab.seed("set");
      const touched = await lab.seed("touched");
      const removed = await lab.seed("removed");
      const writes: readonly Write[] = [
        lab.createWrite("created", "value", 60_000),
        lab.stampedWrite("set", set.stamp, { value: "second", ttlMs: "never" }),
        lab.stampedWrite("touched", touched.stamp, { touch: true, ttlMs: 60_000 }),
        lab.stampedWrite("removed", removed.stamp, "removed"),
      ];
      const first: Applied[] = [];
      for (const write of writes) {
        first.push(applied(await lab.store.write(write), `the write of "${write.key}"`));
      }
      await lab.restart();
      for (const [index, write] of writes.entries()) {
        const what = `the write of "${write.key}", sent again after a restart,`;
        const { replayed, revision, writtenAt, expiresAt } = applied(
          await lab.store.write(write),
          what,
        );
        const { [index]: before } = first;
        same(replayed, true, `whether ${what} is a replay`);
        same(
          [revision, writtenAt, expiresAt],
          [before?.revision, before?.writtenAt, before?.expiresAt],
          `revision, writtenAt and expiry of ${what}`,
        );
      }
    },
  },
  {
    id: "S5.13-op-id-case",
    law: "a write whose opId differs in case only is another write",
    async run(lab) {
      const write = lab.createWrite("k");
      applied(await lab.store.write(write), "the create");
      const other = { ...write, opId: inOtherCase(write.opId) };
      refused(await lab.store.write(other), "a create under the opId in other case");
    },
  },
];
