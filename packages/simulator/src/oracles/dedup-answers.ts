// What dedup promises to callers, judged by what they were told: one outcome per key, for everyone,
// until retention ends.

import { operationsOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { namedRun } from "./attempts.js";
import {
  type Asked,
  type Attempt,
  agree,
  askedOf,
  clash,
  kindOf,
  resultOf,
} from "./dedup-asked.js";
import { type Context, contexts } from "./dedup-context.js";
import { equal } from "./equality.js";
import { firstOf, inWords, lastAsked, ms, named, precedes, told } from "./judge.js";

const ONE_OUTCOME =
  "One outcome is recorded per key, and every caller with that key and fingerprint gets it until retention ends.";

/** All that are told a recorded outcome of a key are told the same one. */
export const dedupOneOutcome: Guarantee = {
  id: "dedup/one-outcome",
  sentence: ONE_OUTCOME,
  judge: (history, setting) =>
    firstOf(askedOf(history, setting), (asked) => {
      const pair = clash(asked, (earlier, later) => !agree(earlier, later));
      if (pair === undefined) return undefined;
      const [earlier, later] = pair.map(({ call }) => `${named(call)} was told ${told(call)}`);
      return `two outcomes of one key: ${earlier}; ${later}`;
    }),
};

/** What a call cannot be told that was asked after another was told the outcome. */
function overlooks(call: Attempt, informed: Attempt): boolean {
  const result = resultOf(call);
  switch (result?.outcome) {
    case "executed":
    case "threw":
    case "inProgress":
      return true;
    case "failed":
      return !result.replayed;
    case "mismatch":
      return call.input.fingerprint === informed.input.fingerprint;
    case "indeterminate":
      return result.reason !== "acquireUnknown";
    default:
      return false;
  }
}

export interface ToldOptions {
  /**
   * Whether `onCrash` asks the sink: what that says is told as replayed, also where recording it
   * got no answer. @defaultValue false
   */
  readonly asksSink?: boolean;
}

/** Once one caller was told a recorded outcome, nobody who asks later is told that there is none. */
export function dedupToldToAll({ asksSink = false }: ToldOptions = {}): Guarantee {
  return {
    id: "dedup/told-to-all",
    sentence: ONE_OUTCOME,
    judge: (history, setting) =>
      firstOf(askedOf(history, setting), ({ calls, tellings }) =>
        firstOf(calls, (call) => {
          const known = tellings.find((telling) => {
            if (asksSink && resultOf(telling.call)?.outcome === "replayed") return false;
            const inTime = (call.endedUs ?? call.beganUs) < telling.standsUntilUs;
            return inTime && precedes(telling.call, call) && overlooks(call, telling.call);
          });
          if (known === undefined) return undefined;
          return `${named(call)} was told ${told(call)}, though the outcome was recorded: ${named(known.call)} was told ${told(known.call)}`;
        }),
      ),
  };
}

/**
 * Callers with different fingerprints never get one outcome, and *mismatch* is told only where some
 * caller gave another fingerprint. Nothing is judged of keys that somebody asked for without one.
 */
export const dedupMismatch: Guarantee = {
  id: "dedup/mismatch",
  sentence: "Fingerprints are compared only where both callers gave one.",
  judge: (history, setting) =>
    firstOf(askedOf(history, setting), (asked) => strangers(asked) ?? baseless(asked)) ??
    firstOf(contexts(history, setting), unbound),
};

/** A run binds its key to its caller's fingerprint: no outcome is told with another one after it. */
function unbound({ key, runs, calls, stands }: Context): string | undefined {
  return firstOf(runs, (run) => {
    const bound = calls.get(run.operation ?? -1)?.input.fingerprint;
    if (bound === undefined) return undefined;
    const other = [...calls.values()].find((call) => {
      const { fingerprint } = call.input;
      const differs = fingerprint !== undefined && fingerprint !== bound;
      const inTime = (call.endedUs ?? call.beganUs) < run.fromUs + stands;
      return call.key === key && differs && inTime && call.beganUs > run.fromUs && kindOf(call);
    });
    if (other === undefined) return undefined;
    return `${named(other)} with "${other.input.fingerprint}" was told ${told(other)}, though ${namedRun(run)} had bound the key to "${bound}"`;
  });
}

function strangers(asked: Asked): string | undefined {
  if (asked.calls.some(({ input }) => input.fingerprint === undefined)) return undefined;
  const pair = clash(asked, (a, b) => a.call.input.fingerprint !== b.call.input.fingerprint);
  if (pair === undefined) return undefined;
  const [earlier, later] = pair.map(
    ({ call }) => `${named(call)} with "${call.input.fingerprint}"`,
  );
  return `callers with different fingerprints got an outcome of one key: ${earlier}, ${later}`;
}

function baseless({ calls }: Asked): string | undefined {
  return firstOf(calls, (call) => {
    if (resultOf(call)?.outcome !== "mismatch") return undefined;
    const { fingerprint } = call.input;
    const other = calls.some(({ input, beganUs }) => {
      const differs = input.fingerprint !== undefined && input.fingerprint !== fingerprint;
      return differs && beganUs <= (call.endedUs ?? beganUs);
    });
    if (fingerprint !== undefined && other) return undefined;
    return `${named(call)} was told mismatch, though nobody gave another fingerprint than "${fingerprint}"`;
  });
}

/** What a caller is told was made by a run of the key's handler, and reads the same for everyone. */
export const dedupValues: Guarantee = {
  id: "dedup/values",
  sentence: "A value that a duplicate gets is deep-equal to the first caller's.",
  judge(history) {
    const resolved = new Set(operationsOf(history, "dedup.resolve").map(({ key }) => key));
    const starts = handlerStarts(history);
    const first = new Map<string, Attempt>();
    return firstOf(operationsOf(history, "dedup.attempt"), (call) => {
      const result = resultOf(call);
      if (result === undefined || resolved.has(call.key)) return undefined;
      if (result.outcome === "valueUnavailable") {
        return `${named(call)} was told valueUnavailable, though every value can be stored`;
      }
      if (result.outcome !== "executed" && result.outcome !== "replayed") return undefined;
      const { value } = result;
      const made = `${call.key}\n${value?.run}`;
      const startedUs = starts.get(made);
      if (startedUs === undefined || startedUs > (call.endedUs ?? startedUs)) {
        return `${named(call)} was told ${inWords(value)}, which no handler of its key returned`;
      }
      const other = first.get(made);
      if (other === undefined) {
        first.set(made, call);
        return undefined;
      }
      const known = resultOf(other);
      if (known !== undefined && "value" in known && equal(known.value, value)) return undefined;
      return `one run's value differs: ${named(other)} was told ${told(other)}, ${named(call)} ${told(call)}`;
    });
  },
};

function handlerStarts(history: History): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { kind, key, detail, fromUs } of history.spans) {
    if (kind === "handler") starts.set(`${key}\n${detail.run}`, fromUs);
  }
  return starts;
}

/** Which last words besides an outcome settle a key. */
export interface SettleOptions {
  /** Whether a key may be left to a person: under `onCrash: "park"`. @defaultValue false */
  readonly mayPark?: boolean;
}

function isSettled(call: Attempt, { mayPark }: SettleOptions): boolean {
  const result = resultOf(call);
  switch (result?.outcome) {
    case "executed":
    case "failed":
      return result.recorded === true;
    case "replayed":
    case "valueUnavailable":
    case "mismatch":
      return true;
    case "expired":
    case "notYetValid":
      return call.input.bornMs !== undefined;
    case "indeterminate":
      return mayPark === true && result.reason === "parked";
    default:
      return false;
  }
}

/** Without faults, the node `last` gets an outcome of every key that it asks for. */
export function dedupSettles(options: SettleOptions = {}): Guarantee {
  return {
    id: "dedup/settles",
    sentence: ONE_OUTCOME,
    judge(history) {
      const { healedUs } = history;
      if (healedUs === undefined) return undefined;
      const asked = lastAsked(operationsOf(history, "dedup.attempt"), ({ key }) => key);
      const open = asked.find((call) => !isSettled(call, options));
      if (open === undefined) return undefined;
      return `"${open.key}" has no outcome, though faults ended at ${ms(healedUs)}: ${named(open)} was told ${told(open)}`;
    },
  };
}
