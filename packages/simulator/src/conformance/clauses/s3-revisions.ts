// S3: a key's revisions strictly increase, across removal, expiry, restart and a clock that steps
// back, so that a revision serves as a fencing token.

import { applied, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab, Seeded } from "../lab.js";

function increased(previous: { revision: number }, next: { revision: number }, how: string): void {
  const { revision } = next;
  check(
    revision > previous.revision,
    `the revision must increase ${how}: ${previous.revision} to ${revision}`,
  );
}

/** Creates, sets, touches and removes, and checks each step; returns the removal. */
async function lifecycle(lab: Lab, key: string): Promise<Seeded> {
  const created = await lab.seed(key, "value", 60_000);
  const set = await lab.set(key, created.stamp, "second", "keep");
  increased(created, set, "from create to compare-and-set");
  const touch = lab.stampedWrite(key, set.stamp, { touch: true, ttlMs: 60_000 });
  const touched = applied(await lab.store.write(touch), "the touch");
  increased(set, touched, "from compare-and-set to touch");
  const removed = await lab.remove(key, { revision: touched.revision, opId: touch.opId });
  increased(touched, removed, "from touch to removal");
  return removed;
}

export const s3: readonly CaseDefinition[] = [
  {
    id: "S3.1-increase",
    law: "a key's revisions strictly increase across every kind of write and across removal",
    async run(lab) {
      let previous = { revision: 0 };
      for (let life = 0; life < 3; life += 1) {
        const created = await lab.seed("k");
        increased(previous, created, "from a removal to the next create");
        await lab.remove("k", created.stamp);
        previous = await lifecycle(lab, "k");
      }
    },
  },
  {
    id: "S3.2-across-expiry",
    law: "a key's revisions strictly increase across expiry",
    async run(lab) {
      const first = await lab.seed("k", "first", 50);
      await lab.passUntil(first.expiresAt ?? 0);
      increased(first, await lab.seed("k", "second"), "across expiry");
    },
  },
  {
    id: "S3.3-clock-based",
    law: "a revision is the larger of the previous one plus one and the store's clock",
    async run(lab) {
      let previous = 0;
      let stamp = { revision: 0, opId: "" };
      for (let round = 0; round < 50; round += 1) {
        const value = String(round);
        const next = await (round === 0 ? lab.seed("k", value) : lab.set("k", stamp, value));
        const { revision, writtenAt } = next;
        const now = await lab.now();
        check(revision >= Math.max(previous + 1, writtenAt), "it is at least that", next);
        check(revision <= Math.max(previous + 1, now), "it is at most that", next);
        ({ stamp } = next);
        previous = revision;
      }
    },
  },
  {
    id: "S3.4-safe-integer",
    law: "a revision is a positive safe integer",
    async run(lab) {
      const { revision, stamp } = await lab.seed("k");
      check(Number.isSafeInteger(revision) && revision > 0, "a create's revision", revision);
      const removed = (await lab.remove("k", stamp)).revision;
      check(Number.isSafeInteger(removed) && removed > 0, "a removal's revision", removed);
    },
  },
  {
    id: "S3.5-removal-read",
    law: "the revision of a removal is told by reads",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const { revision } = await lab.remove("k", stamp);
      same((await lab.peer.read("k")).revision, revision, "the revision read");
    },
  },
  {
    id: "S3.6-expiry-read",
    law: "the revision of an expired entry is told by reads while it is remembered",
    async run(lab) {
      const { revision, expiresAt = 0 } = await lab.seed("k", "value", 50);
      await lab.passUntil(expiresAt);
      same((await lab.peer.read("k")).revision, revision, "the revision read");
    },
  },
  {
    id: "S3.7-remembered",
    law: "a key's last revision is kept for the tombstone time",
    needs: ["advance"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const removed = await lab.remove("removed", stamp);
      const expired = await lab.seed("expired", "value", 1_000);
      const mortal = await lab.seed("removed before its end", "value", lab.tombstoneMs / 2);
      const ended = await lab.remove("removed before its end", mortal.stamp);
      await lab.pass(lab.tombstoneMs - 1_000);
      same((await lab.read("removed")).revision, removed.revision, "the removal's revision");
      const { revision } = await lab.read("removed before its end");
      same(revision, ended.revision, "the revision of a removal of what would have expired");
      same((await lab.read("expired")).revision, expired.revision, "the expired revision");
    },
  },
  {
    id: "S3.8-after-tombstone",
    law: "a key's revisions increase also after its last one was forgotten",
    needs: ["advance"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const removed = await lab.remove("k", stamp);
      await lab.pass(2 * lab.tombstoneMs);
      increased(removed, await lab.seed("k"), "after the tombstone time");
    },
  },
  {
    id: "S3.9-step-back",
    law: "a key's revisions increase while the clock steps back less than the tombstone time",
    needs: ["advance", "stepBack"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const removed = await lab.remove("removed", stamp);
      const live = await lab.seed("live");
      const expiring = await lab.seed("expired", "value", 1_000);
      await lab.pass(1_000);
      await lab.stepBack(0.9 * lab.tombstoneMs);
      increased(removed, await lab.seed("removed"), "across a step back after a removal");
      increased(live, await lab.set("live", live.stamp, "second"), "of a live entry");
      const { entry } = await lab.read("expired");
      const next = entry === undefined ? lab.seed("expired") : lab.remove("expired", entry.stamp);
      increased(expiring, await next, "of an entry that had expired");
    },
  },
  {
    id: "S3.10-step-back-forgotten",
    law: "a key's revisions increase when the clock forgets the last one and then steps back",
    needs: ["advance", "stepBack"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const removed = await lab.remove("k", stamp);
      await lab.pass(lab.tombstoneMs + 1_000);
      await lab.read("k");
      await lab.seed("another key, so that the store has a reason to sweep");
      await lab.stepBack(0.9 * lab.tombstoneMs);
      increased(removed, await lab.seed("k"), "after forgetting and stepping back");
    },
  },
  {
    id: "S3.11-revision-ahead",
    law: "a revision that is ahead of the clock is kept for the tombstone time from itself",
    needs: ["advance", "stepBack"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.stepBack(0.9 * lab.tombstoneMs);
      const removed = await lab.remove("k", stamp);
      // The tombstone time has passed since `writtenAt`, and not since `revision`.
      await lab.pass(1.5 * lab.tombstoneMs);
      same((await lab.read("k")).revision, removed.revision, "the removal's revision");
    },
  },
  {
    id: "S3.12-restart",
    law: "a key's revisions strictly increase across a restart",
    needs: ["restart", "durable"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const removed = await lab.remove("removed", stamp);
      const live = await lab.seed("live", "value");
      const store = await lab.restart();
      const created = await store.write(lab.createWrite("removed"));
      increased(removed, applied(created, "a create after the restart"), "across a restart");
      const { entry } = await store.read("live");
      same(entry?.stamp, live.stamp, "the stamp of an entry after the restart");
      const next = { value: "second", ttlMs: "never" } as const;
      const set = await store.write(lab.stampedWrite("live", live.stamp, next));
      increased(live, applied(set, "a compare-and-set after the restart"), "across a restart");
    },
  },
];
