// Judges dedup by what reached the sinks, by what callers were told, and by a last look at each key.
import type { Call, SinkLine } from "../log/call.js";
import type { DedupAsk } from "../workloads/dedup.js";
import { groupBy, outcomeOf, type Verdict, type Violation } from "./violation.js";

const ONCE =
  "Dedup: the handler is not run again after an attempt whose outcome is not known (park), or the sink is asked with its fence raised (verify): no effect happens twice.";
const SAME = "Dedup: one outcome is recorded per key, and every caller with that key gets it.";

/** What a last look at a key showed, after all faults. */
export interface LastLook {
  readonly mode: string;
  readonly key: string;
  readonly state: string;
  readonly value?: unknown;
}

/** An answer that tells what is recorded, as text; undefined for any other. */
function recordedOutcome(answer: unknown): string | undefined {
  const { outcome, value, recorded, error } = answer as {
    readonly outcome?: string;
    readonly value?: unknown;
    readonly recorded?: true | "unknown";
    readonly error?: string;
  };
  if (outcome === "replayed" || (outcome === "executed" && recorded === true)) {
    return `done ${JSON.stringify(value)}`;
  }
  // The first caller gets its own error, duplicates one with the same message.
  if (outcome === "failed" && recorded === true) return `failed ${error}`;
  return undefined;
}

export function judgeDedup(
  calls: readonly Call[],
  sink: readonly SinkLine[],
  looks: readonly LastLook[],
): Verdict {
  const violations: Violation[] = [];
  const asked = calls.filter(({ to }) => to === "dedup");
  const effects = sink.filter((line) => line.e === "effect");
  const accepted = effects.filter(({ accepted: taken }) => taken);
  for (const [key, group] of groupBy(accepted, (line) => line.key)) {
    if (group.length > 1) {
      const who = group.map(({ by, token }) => `${by} with token ${token}`).join(", ");
      violations.push({
        guarantee: ONCE,
        detail: `${key} took effect ${group.length} times: ${who}`,
      });
    }
  }
  const byKey = groupBy(asked, ({ ask }) => nameOf(ask as DedupAsk));
  let parked = 0;
  let verifiedOnly = 0;
  for (const [name, group] of byKey) {
    const told = new Set(group.map(({ answer }) => recordedOutcome(answer ?? {})));
    told.delete(undefined);
    const look = looks.find((each) => nameOf(each) === name);
    if (look?.state === "done") told.add(`done ${JSON.stringify(look.value)}`);
    if (told.size > 1) {
      violations.push({ guarantee: SAME, detail: `${name}: ${[...told].join(" and ")}` });
    }
    const recorded = look === undefined || look.state === "done" || look.state === "failed";
    // What the sink answered to verify is told as replayed, also where it could not be recorded: the
    // next caller verifies again, and is told the same.
    const verified =
      look?.mode === "verify" && group.every(({ answer }) => outcomeOf(answer) !== "executed");
    if (told.size > 0 && !recorded && verified) verifiedOnly += 1;
    if (told.size > 0 && !recorded && !verified) {
      const detail = `${name}: told ${[...told].join()}, and then it is ${look?.state}`;
      violations.push({ guarantee: SAME, detail });
    }
    if (look?.state === "open" || look?.state === "running") parked += 1;
  }
  const outcomes = asked.map(({ answer }) => outcomeOf(answer));
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length;
  return {
    violations,
    tallies: {
      dedupCalls: asked.length,
      dedupKeys: byKey.size,
      effects: accepted.length,
      staleEffectsRefused: effects.length - accepted.length,
      executed: count("executed"),
      replayed: count("replayed"),
      unresolvedKeys: parked,
      verifiedOnly,
    },
  };
}

function nameOf({ mode, key }: DedupAsk | LastLook): string {
  return `${mode} ${key}`;
}
