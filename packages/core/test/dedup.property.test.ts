// Every guarantee of dedup as a property over random scripts: several processes, crashes, pauses
// beyond the lease, retries, and a network that loses, delays and doubles what it carries while the
// store's clock jumps. A failure prints fast-check's seed and path and the smallest script.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { effectsPerKey, everyKeySettles, holdsAlways } from "./support/dedup-oracles.ts";
import type { Play } from "./support/dedup-play.ts";
import { type Script, scripts } from "./support/dedup-script.ts";
import { type PlayOptions, play } from "./support/dedup-theatre.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const STORES = [
  { title: "the memory store", direct: true, runs: 60 },
  { title: "the memory store behind a bad network", direct: false, runs: 250 },
];

/** Whether anything happens in the script that leaves an attempt without a known outcome. */
const isTroubled = ({ troubles, plan, calls }: Script): boolean =>
  troubles.length > 0 ||
  plan.length > 0 ||
  calls.some(({ end }) => end === "throwsBeforeEffect" || end === "throwsAfterEffect");

describe.each(STORES)("over $title", ({ direct, runs }) => {
  const check = (
    options: Omit<PlayOptions, "direct">,
    judge: (played: Play, script: Script) => void,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(scripts({ faulty: !direct }), async (script) => {
        const played = await play(script, { ...options, direct });
        holdsAlways(played);
        judge(played, script);
      }),
      propertyRuns(runs),
    );

  test("park: at most one effect per key while nobody resolves, even at a naive sink", () =>
    check({ policy: "park", sink: "naive" }, (played, script) => {
      for (const [key, effects] of effectsPerKey(played)) {
        expect(effects, `effects under ${key}`).toBeLessThanOrEqual(1);
      }
      everyKeySettles(played, { park: isTroubled(script) });
    }));

  test("rerun: one effect per key at a sink that dedups by childKey", () =>
    check({ policy: "rerun", sink: "childKey" }, (played) => {
      for (const [key, effects] of effectsPerKey(played)) {
        expect(effects, `effects under ${key}`).toBe(1);
      }
      everyKeySettles(played, { park: false });
    }));

  test("rerun: one outcome per key even where every run has another value", () =>
    check({ policy: "rerun", sink: "naive" }, (played) =>
      everyKeySettles(played, { park: false }),
    ));

  test("verify: exactly once at a sink that raises its fence in the same step", () =>
    check({ policy: "verify", sink: "fenced" }, (played) => {
      everyKeySettles(played, { park: false });
      const effects = effectsPerKey(played);
      for (const [key, { result }] of played.settled) {
        expect(effects.get(key) ?? 0, `effects under ${key}`).toBe(
          result?.outcome === "failed" ? 0 : 1,
        );
      }
    }));
});
