// What dedup promises of keys that bear their birth time: judged in the world's time, and as widely as
// the store's clock may differ from that.

import type { Guarantee } from "../scenarios/scenario.js";
import { namedRun, type Run } from "./attempts.js";
import { type Attempt, askedOf, resultOf } from "./dedup-asked.js";
import { runsByKey } from "./dedup-context.js";
import { firstOf, ms, named, retentionUs, told } from "./judge.js";

export interface BirthOptions {
  /** How far in the future a key may be born. @defaultValue 0 */
  readonly maxSkewMs?: number;
}

/** When a key may be told what, in microseconds of the world. */
interface Life {
  readonly key: string;
  readonly bornUs: number;
  /** Certainly valid from here on, and certainly not before. */
  readonly validUs: number;
  readonly tooEarlyUs: number;
  /** Certainly not expired until here, and certainly from here on. */
  readonly youngUs: number;
  readonly tooOldUs: number;
}

/** An old key is expired, a young one is not, and neither an old nor a future one runs. */
export function dedupBirths({ maxSkewMs = 0 }: BirthOptions = {}): Guarantee {
  return {
    id: "dedup/births",
    sentence:
      "A key that bears its birth time and is older than the retention is *expired* and never run; one born too far in the future is refused until it becomes valid.",
    judge(history, setting) {
      const { retentionMs, tombstoneMs } = setting.times;
      const stands = retentionUs(setting.times);
      // How far the store's clock may be ahead of the world's, and behind.
      const aheadUs = retentionMs * 1000 - stands;
      const behindUs = tombstoneMs * 1000;
      const runs = runsByKey(history);
      return firstOf(askedOf(history, setting), ({ key, calls }) => {
        const bornMs = calls[0]?.input.bornMs;
        if (bornMs === undefined) return undefined;
        const bornUs = bornMs * 1000;
        const life: Life = {
          key,
          bornUs,
          validUs: bornUs - maxSkewMs * 1000 + behindUs,
          tooEarlyUs: bornUs - maxSkewMs * 1000 - aheadUs,
          youngUs: bornUs + stands,
          tooOldUs: bornUs + retentionMs * 1000 + behindUs,
        };
        return (
          firstOf(calls, (call) => misjudged(call, life)) ??
          firstOf(runs.get(key) ?? [], (run) => ranOutOfTime(run, life))
        );
      });
    },
  };
}

function misjudged(call: Attempt, { bornUs, validUs, youngUs }: Life): string | undefined {
  const outcome = resultOf(call)?.outcome;
  const wrong =
    (outcome === "expired" && (call.endedUs ?? call.beganUs) < youngUs) ||
    (outcome === "notYetValid" && call.beganUs >= validUs);
  return wrong ? `${named(call)} was told ${told(call)} of a key born at ${ms(bornUs)}` : undefined;
}

function ranOutOfTime(run: Run, { key, bornUs, tooEarlyUs, tooOldUs }: Life): string | undefined {
  if (tooEarlyUs <= run.fromUs && run.fromUs <= tooOldUs) return undefined;
  return `${namedRun(run)} ran for "${key}", born at ${ms(bornUs)}`;
}
