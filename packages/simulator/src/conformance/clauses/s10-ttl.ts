// S10: a time to live is honoured to the store's declared granularity and never rounded down.

import type { Applied } from "@onceproof/core/advanced";
import { applied, badArgument, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

const TTLS_MS = [
  0.0001, 0.4, 1, 1.0001, 1.5, 20, 99.999, 999, 999.9, 1_000, 1_000.001, 1_001, 1_499, 1_500, 1_501,
  59_999, 60_001, 86_400_001, 31_536_000_001,
];

/** Fails unless what was written lives for the ttl, to the store's granularity. */
export function honours(
  lab: Lab,
  { writtenAt, expiresAt }: Pick<Applied, "writtenAt" | "expiresAt">,
  ttlMs: number,
  what: string,
): void {
  check(expiresAt !== undefined, `${what} with a ttl of ${ttlMs} ms must tell its expiry`);
  const livesUs = expiresAt - writtenAt;
  const granularityUs = Math.ceil(lab.store.capabilities.ttlGranularityMs * 1000);
  const leastUs = Math.ceil(ttlMs * 1000);
  const lives = `${what} with a ttl of ${ttlMs} ms lives ${livesUs} µs`;
  check(livesUs >= leastUs, `${lives}: rounded down`);
  check(livesUs <= leastUs + granularityUs, `${lives}: not to the granularity`);
}

export const s10: readonly CaseDefinition[] = [
  {
    id: "S10.1-create",
    law: "a create's ttl is never rounded down",
    async run(lab) {
      for (const ttlMs of TTLS_MS) {
        honours(lab, await lab.seed(`k${ttlMs}`, "value", ttlMs), ttlMs, "a create");
      }
    },
  },
  {
    id: "S10.2-set-and-touch",
    law: "a compare-and-set's and a touch's ttl is never rounded down",
    async run(lab) {
      for (const ttlMs of TTLS_MS) {
        const set = await lab.seed(`set${ttlMs}`);
        honours(lab, await lab.set(`set${ttlMs}`, set.stamp, "second", ttlMs), ttlMs, "a set");
        const touched = await lab.seed(`touched${ttlMs}`);
        const touch = await lab.stamped(`touched${ttlMs}`, touched.stamp, { touch: true, ttlMs });
        honours(lab, applied(touch, "the touch"), ttlMs, "a touch");
      }
    },
  },
  {
    id: "S10.3-told-alike",
    law: "the expiry that a write tells is the one that reads tell",
    async run(lab) {
      for (const ttlMs of [1_500.5, 60_000, 86_400_001]) {
        const { expiresAt } = await lab.seed(`k${ttlMs}`, "value", ttlMs);
        const { entry } = await lab.peer.read(`k${ttlMs}`);
        same(entry?.expiresAt, expiresAt, "the expiry read");
      }
    },
  },
  {
    id: "S10.4-never",
    law: 'a ttl of "never" has no expiry',
    async run(lab) {
      same((await lab.seed("k")).expiresAt, undefined, "the expiry told");
      same((await lab.read("k")).entry?.expiresAt, undefined, "the expiry read");
      const { stamp } = await lab.seed("set", "value", 60_000);
      same((await lab.set("set", stamp, "second", "never")).expiresAt, undefined, "after a set");
      same((await lab.read("set")).entry?.expiresAt, undefined, "the expiry read after a set");
    },
  },
  {
    id: "S10.5-bad",
    law: "a ttl that is not above 0 or no number is a TypeError and writes nothing",
    async run(lab) {
      const { stamp } = await lab.seed("touched");
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1000"] as number[]) {
        await badArgument(lab.create("k", "value", ttlMs), `a create with ttl ${ttlMs}`);
        const touch = lab.stamped("touched", stamp, { touch: true, ttlMs });
        await badArgument(touch, `a touch with ttl ${ttlMs}`);
      }
      await badArgument(lab.create("k", "value", "keep" as "never"), 'a create with ttl "keep"');
      same((await lab.read("k")).entry, undefined, "the entry");
      same((await lab.read("touched")).entry?.stamp, stamp, "the stamp");
    },
  },
];
