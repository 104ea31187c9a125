// S2: expiry is judged on the store's clock. Every reply carries that clock, so a reply is judged
// against itself and no timing margin is needed.

import type { Applied, StampedWrite } from "@onceproof/core/advanced";
import { applied, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

const DAY_MS = 86_400_000;

interface Renewed extends Applied {
  readonly key: string;
  /** When it would have ended. */
  readonly firstExpiresAt: number;
}

/** Writes over an entry within its short life; one that ended before that is tried again longer. */
async function renewed(lab: Lab, name: string, next: StampedWrite["next"]): Promise<Renewed> {
  for (let lifeMs = 60; ; lifeMs *= 2) {
    const key = `${name} after ${lifeMs} ms`;
    const { stamp, expiresAt: firstExpiresAt = 0 } = await lab.seed(key, "value", lifeMs);
    const result = await lab.stamped(key, stamp, next);
    const late = result.outcome === "refused" && result.now >= firstExpiresAt;
    if (!late || lifeMs > 1_000) {
      return { ...applied(result, `a write over "${key}"`), key, firstExpiresAt };
    }
  }
}

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
      const touch = { touch: true, ttlMs: 150 } as const;
      const set = { value: "second", ttlMs: 150 } as const;
      const touched = await renewed(lab, "touched", touch);
      const other = await renewed(lab, "set", set);
      await lab.passUntil(Math.max(touched.firstExpiresAt, other.firstExpiresAt));
      for (const { key, expiresAt = 0 } of [touched, other]) {
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
      const next = { value: "second", ttlMs: "keep" } as const;
      const { key, firstExpiresAt } = await renewed(lab, "k", next);
      await lab.passUntil(firstExpiresAt);
      check((await lab.read(key)).entry === undefined, "it is gone at the kept expiry");
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
  {
    id: "S2.10-restart",
    law: "an entry lives on across a restart, and ends when it would have",
    needs: ["restart", "durable"],
    async run(lab) {
      await lab.seed("never");
      await lab.seed("later", "value", 600_000);
      const before = [(await lab.read("never")).entry, (await lab.read("later")).entry];
      const { expiresAt = 0 } = await lab.seed("soon", "value", 2_000);
      await lab.restart();
      same((await lab.read("never")).entry, before[0], "an entry that never expires, after it,");
      same((await lab.read("later")).entry, before[1], "an entry that expires later, after it,");
      const { entry, now } = await lab.read("soon");
      const seen = entry !== undefined;
      const when = `after a restart, at ${now - expiresAt} µs after its expiry,`;
      check(seen === now < expiresAt, `${when} the entry was ${seen ? "seen" : "gone"}`);
      await lab.passUntil(expiresAt);
      check((await lab.read("soon")).entry === undefined, "it is gone at its expiry");
    },
  },
];
