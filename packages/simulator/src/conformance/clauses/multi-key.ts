// MultiKeyStore: several writes to different keys in one atomic step.

import type { WriteWithoutOpId } from "@onceproof/core/advanced";
import { badArgument, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import { multiKeyModel } from "../histories/multi-key-model.js";
import { recordMultiKeyWorkload } from "../histories/multi-key-workload.js";
import { mustBeLinearizable } from "../histories/verdict.js";
import type { Lab } from "../lab.js";
import { create, writeAll } from "./multi-key-calls.js";

/** Of one transfer among five: a store that refuses each of them is not racing. */
const ATTEMPTS = 1_000;

/** Moves one unit between two accounts, as often as it takes. */
async function transfer(lab: Lab, from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [source, target] = await Promise.all([lab.read(from), lab.read(to)]);
    check(source.entry !== undefined && target.entry !== undefined, "accounts must stay");
    const set = (key: string, entry: typeof source.entry, by: number): WriteWithoutOpId => ({
      key,
      expect: entry.stamp,
      next: { value: String(Number(entry.value) + by), ttlMs: "keep" },
    });
    const writes = [set(from, source.entry, -1), set(to, target.entry, 1)];
    const { outcome } = await lab.multiKey.writeAll({ opId: lab.opId(), writes });
    if (outcome === "applied") {
      return;
    }
    same(outcome, "refused", "a transfer that lost its race");
  }
  check(false, `of ${ATTEMPTS} transfers under the stamps just read none applied`);
}

export const multiKey: readonly CaseDefinition[] = [
  {
    id: "multiKey.1-all",
    law: "writes without a conflict apply together, and tell one revision each, in order",
    needs: ["writeAll"],
    async run(lab) {
      const set = await lab.seed("set", "first");
      const touched = await lab.seed("touched", "first", 1_000);
      const removed = await lab.seed("removed");
      const result = await writeAll(lab, [
        create("created"),
        { key: "set", expect: set.stamp, next: { value: "second", ttlMs: "keep" } },
        { key: "touched", expect: touched.stamp, next: { touch: true, ttlMs: 60_000 } },
        { key: "removed", expect: removed.stamp, next: "removed" },
        create("since", "value", { absentSince: 0 }),
      ]);
      check(!result.replayed, "a first send is not a replay");
      same(result.revisions.length, 5, "how many revisions");
      const keys = ["created", "set", "touched", "removed", "since"];
      for (const [index, key] of keys.entries()) {
        const { entry, revision } = await lab.peer.read(key);
        same(revision, result.revisions[index], `the revision of "${key}"`);
        same(entry?.stamp.opId, key === "removed" ? undefined : result.opId, `who wrote "${key}"`);
      }
      same((await lab.read("set")).entry?.value, "second", "the value set");
      same((await lab.read("touched")).entry?.value, "first", "the value touched");
    },
  },
  {
    id: "multiKey.2-none",
    law: "one conflict refuses all; the refusal names its index and carries its incumbent",
    needs: ["writeAll"],
    async run(lab) {
      const { stamp } = await lab.seed("taken", "first");
      const writes = [create("a"), create("taken", "second"), create("b")];
      const result = await lab.multiKey.writeAll({ opId: lab.opId(), writes });
      check(result.outcome === "refused", "it must be refused", result);
      same(result.index, 1, "the index of the conflict");
      same([result.entry?.value, result.entry?.stamp], ["first", stamp], "the incumbent");
      check(Number.isSafeInteger(result.now), "it carries the store's now", result.now);
      for (const key of ["a", "b"]) {
        const { entry, revision } = await lab.read(key);
        same([entry, revision], [undefined, undefined], `"${key}" after a refusal`);
      }
      same((await lab.read("taken")).entry?.stamp, stamp, "the stamp of the incumbent");
    },
  },
  {
    id: "multiKey.3-first-conflict",
    law: "of several conflicts the first is named, whatever its kind",
    needs: ["writeAll"],
    async run(lab) {
      const { stamp } = await lab.seed("z", "first");
      await lab.set("z", stamp, "second");
      await lab.seed("a", "taken");
      const stale = { key: "z", expect: stamp, next: "removed" } as const;
      const writes = [create("m"), stale, create("a")];
      const result = await lab.multiKey.writeAll({ opId: lab.opId(), writes });
      check(result.outcome === "refused", "it must be refused", result);
      same([result.index, result.entry?.value], [1, "second"], "index and incumbent");
      same((await lab.read("m")).revision, undefined, "the key without a conflict");
    },
  },
  {
    id: "multiKey.4-replay",
    law: "sent again it is replayed with the same revisions and changes nothing",
    needs: ["writeAll"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const writes = [
        create("a"),
        create("b"),
        { key: "removed", expect: stamp, next: "removed" } as const,
      ];
      const first = await writeAll(lab, writes);
      const again = await writeAll(lab, writes, first.opId);
      check(again.replayed, "it must be a replay");
      same(again.revisions, first.revisions, "its revisions");
      same((await lab.read("a")).revision, first.revisions[0], "the revision read");
    },
  },
  {
    id: "multiKey.5-replay-superseded",
    law: "it is replayed while any of its keys still bears its opId, and changes nothing",
    needs: ["writeAll"],
    async run(lab) {
      for (const superseded of [0, 1]) {
        const keys = [`a${superseded}`, `b${superseded}`];
        const writes = keys.map((key) => create(key));
        const first = await writeAll(lab, writes);
        const key = keys[superseded] ?? "";
        const stamp = { revision: first.revisions[superseded] ?? 0, opId: first.opId };
        const removed = await lab.remove(key, stamp);
        const again = await writeAll(lab, writes, first.opId);
        check(again.replayed, "it must be a replay although a key was superseded");
        same(again.revisions[1 - superseded], first.revisions[1 - superseded], "its revision");
        const told = again.revisions[superseded];
        check(told !== removed.revision, "another write's revision was told as its own", told);
        same((await lab.read(key)).entry, undefined, "the superseded key");
      }
    },
  },
  {
    id: "multiKey.6-race",
    law: "of concurrent writeAlls over the same keys in any order exactly one applies, to all",
    needs: ["writeAll"],
    async run(lab) {
      const ids = [...Array(32).keys()].map(() => lab.opId());
      const results = await Promise.all(
        ids.map((opId, index) => {
          const writes = ["a", "b", "c"].map((key) => create(key, opId));
          return lab.multiKey.writeAll({ opId, writes: index % 2 ? writes : writes.reverse() });
        }),
      );
      const winners = ids.filter((_, index) => results[index]?.outcome === "applied");
      same(winners.length, 1, "how many applied");
      for (const key of ["a", "b", "c"]) {
        same((await lab.read(key)).entry?.value, winners[0], `who wrote "${key}"`);
      }
    },
  },
  {
    id: "multiKey.7-transfers",
    law: "concurrent transfers between accounts lose and gain nothing",
    needs: ["writeAll"],
    async run(lab) {
      const accounts = ["a", "b", "c"] as const;
      await Promise.all(accounts.map((account) => lab.seed(account, "10")));
      await Promise.all([
        ...accounts.map((account) => transfer(lab, account, account === "a" ? "b" : "a")),
        transfer(lab, "b", "c"),
        transfer(lab, "c", "b"),
      ]);
      const values = await Promise.all(accounts.map((account) => lab.read(account)));
      const sum = values.reduce((total, { entry }) => total + Number(entry?.value), 0);
      same(sum, 30, "the sum of the accounts");
      same(
        values.map(({ entry }) => entry?.value),
        ["11", "10", "9"],
        "the accounts",
      );
    },
  },
  {
    id: "multiKey.8-stamps",
    law: "what it wrote is changed by plain writes under the stamps that it tells",
    needs: ["writeAll"],
    async run(lab) {
      const { revisions, opId } = await writeAll(lab, [create("a"), create("b")]);
      await lab.set("a", { revision: revisions[0] ?? 0, opId }, "second");
      const removed = await lab.remove("b", { revision: revisions[1] ?? 0, opId });
      check(removed.revision > (revisions[1] ?? 0), "revisions increase across both kinds");
    },
  },
  {
    id: "multiKey.9-bad",
    law: "no writes, one key twice, or one bad write are TypeErrors and write nothing",
    needs: ["writeAll"],
    async run(lab) {
      const all = (writes: readonly WriteWithoutOpId[], opId = lab.opId()): Promise<unknown> =>
        lab.multiKey.writeAll({ opId, writes });
      await badArgument(all([]), "no writes");
      await badArgument(all([create("a"), create("a")]), "one key twice");
      await badArgument(all([create("a"), create("b", "\ud800")]), "a lone surrogate");
      await badArgument(all([create("a"), create("")]), "an empty key");
      await badArgument(all([create("a")], "short"), "a short opId");
      same((await lab.read("a")).revision, undefined, "the key that was not at fault");
    },
  },
  {
    id: "multiKey.10-lost-reply",
    law: "a lost reply is unknown, and the same opId finds that it was applied",
    needs: ["writeAll", "loseReply"],
    async run(lab) {
      const all = { opId: lab.opId(), writes: [create("a"), create("b")] };
      await lab.fixture.loseReply?.();
      const result = await lab.settles(lab.multiKey.writeAll(all), "a writeAll without a reply");
      same(result.outcome, "unknown", "a writeAll whose reply is lost");
      check((await writeAll(lab, all.writes, all.opId)).replayed, "it must be recognised");
    },
  },
  {
    id: "multiKey.11-history",
    law: "the recorded history of writes to one and to several keys is linearizable over all keys",
    needs: ["writeAll"],
    async run(lab) {
      const keys = ["a", "b", "c"];
      const history = await recordMultiKeyWorkload(lab, keys);
      mustBeLinearizable(multiKeyModel(keys), history, lab.workloadSeed);
    },
  },
];
