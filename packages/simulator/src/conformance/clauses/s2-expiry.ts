// S2: expiry is judged on the store's clock. Every reply carries that clock, so a reply is judged
// against itself and no timing margin is needed.

import { applied, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";

const DAY_MS = 86_400_000;

export const s2: readonly CaseDefinition[] = [
  {
    id: "S2.1-read-agrees-with-clock",
    law: "an entry is never gone before its expiry and never seen at or after it",
    async run(lab) {
      const { expiresAt = 0 } = await lab.seed("k", "value", 60);
      for (let now = 0; now < expiresAt + 20_000; ) {
        const observation = await lab.peer.read("k");
        now = observation.now;
        const when = `at ${now - expiresAt} µs after its expiry`;
        const seen = observation.entry !== undefined;
        check(seen === now < expiresAt, `${when} the entry was ${seen ? "seen" : "gone"}`);
        await lab.pass(5);
      }
    },
  },
  {
    id: "S2.2-edge",
    law: "an entry is seen in the last millisecond of its life and not at its end",
    needs: ["advance"],
    async run(lab) {
      const { expiresAt = 0, writtenAt } = await lab.seed("k", "value", 1_000);
      await lab.pass(Math.floor((expiresAt - writtenAt) / 1000) - 1);
      // A server's clock also moves by itself, so the reply's own now is what counts.
      const { entry, now } = await lab.read("k");
      check((entry !== undefined) === now < expiresAt, "it is live one millisecond before");
      await lab.passUntil(expiresAt);
      check((await lab.read("k")).entry === undefined, "it is gone at its expiry");
    },
  },
  {
    id: "S2.3-write-agrees-with-clock",
    law: "a write judges expiry as a read does",
    async run(lab) {
      const { stamp, expiresAt = 0 } = await lab.seed("k", "value", 60);
      for (;;) {
        const result = await lab.create("k", "second");
        if (result.outcome === "applied") {
          check((await lab.now()) >= expiresAt, "a create applied before the expiry", result);
          break;
        }
        const { now, entry } = refused(result, "a create before the expiry");
        check(now < expiresAt, `a create was refused at ${now - expiresAt} µs after the expiry`);
        same(entry?.stamp ?? stamp, stamp, "the incumbent");
        await lab.pass(5);
      }
    },
  },
  {
    id: "S2.4-renewed",
    law: "a renewed entry outlives its first expiry, and ends at the new one",
    async run(lab) {
      const first = await lab.seed("touched", "value", 60);
      const touch = { touch: true, ttlMs: 150 } as const;
      const touched = applied(await lab.stamped("touched", first.stamp, touch), "a touch");
      const other = await lab.seed("set", "value", 60);
      const set = await lab.set("set", other.stamp, "second", 150);
      await lab.passUntil(Math.max(first.expiresAt ?? 0, other.expiresAt ?? 0));
      for (const [key, { expiresAt = 0 }] of [
        ["touched", touched],
        ["set", set],
      ] as const) {
        const { entry, now } = await lab.read(key);
        check((entry !== undefined) === now < expiresAt, `${key}: it lives to its new expiry`);
        await lab.passUntil(expiresAt);
        check((await lab.read(key)).entry === undefined, `${key}: it ends at its new expiry`);
      }
    },
  },
  {
    id: "S2.5-kept",
    law: 'an entry written with ttl "keep" ends when the one before it would have',
    async run(lab) {
      const { stamp, expiresAt = 0 } = await lab.seed("k", "value", 60);
      await lab.set("k", stamp, "second", "keep");
      await lab.passUntil(expiresAt);
      check((await lab.read("k")).entry === undefined, "it is gone at the kept expiry");
    },
  },
  {
    id: "S2.6-never",
    law: "an entry that never expires is there after a thousand days",
    needs: ["advance"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const { stamp: touched } = await lab.seed("touched", "value", 1_000);
      await lab.stamped("touched", touched, { touch: true, ttlMs: "never" });
      await lab.pass(1_000 * DAY_MS);
      same((await lab.read("k")).entry?.stamp, stamp, "the stamp");
      check((await lab.read("touched")).entry !== undefined, "so is one touched for ever");
    },
  },
  {
    id: "S2.7-long",
    law: "an entry with a long life is there until its end",
    needs: ["advance"],
    async run(lab) {
      const { expiresAt = 0 } = await lab.seed("k", "value", 400 * DAY_MS);
      await lab.pass(399 * DAY_MS);
      check((await lab.read("k")).entry !== undefined, "it is live on the last day");
      await lab.passUntil(expiresAt);
      check((await lab.read("k")).entry === undefined, "it is gone at its expiry");
    },
  },
  {
    id: "S2.8-step-back-unwritten",
    law: "when the clock steps back, what is seen again is still seen only before its expiry",
    needs: ["advance", "stepBack"],
    async run(lab) {
      const { stamp, expiresAt = 0 } = await lab.seed("k", "value", 10_000);
      await lab.passUntil(expiresAt);
      await lab.stepBack(5_000);
      const { entry, now } = await lab.read("k");
      if (entry !== undefined) {
        check(now < expiresAt, "it is seen only before its expiry");
        same(entry.stamp, stamp, "the stamp of what is seen again");
      }
      const result = await lab.create("k", "second");
      const outcome = entry === undefined ? "applied" : "refused";
      same(result.outcome, outcome, "a create agrees with the read");
    },
  },
  {
    id: "S2.9-step-back-written",
    law: "when the clock steps back, an entry that a later write replaced is not seen again",
    needs: ["advance", "stepBack"],
    async run(lab) {
      const first = await lab.seed("created", "first", 10_000);
      const gone = await lab.seed("removed", "first", 10_000);
      await lab.remove("removed", gone.stamp);
      await lab.passUntil(first.expiresAt ?? 0);
      await lab.seed("created", "second", 60_000);
      await lab.stepBack(8_000);
      same((await lab.read("created")).entry?.value, "second", "the value after the step");
      same((await lab.read("removed")).entry, undefined, "the removed entry after the step");
    },
  },
];
