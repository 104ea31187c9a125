// What unique inserts promise: one value per key for ever, all keys of an insert or none, and a
// creator that is always recognised.

import {
  type OperationOf,
  operationsOf,
  type Recorded,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { equal } from "./equality.js";
import {
  didNothing,
  firstOf,
  inWords,
  isOpen,
  lastAsked,
  ms,
  named,
  precedes,
  told,
} from "./judge.js";
import { oncePerHistory } from "./memo.js";

const ONE_VALUE = "One value per key, all keys or none.";
const CREATOR = "The creator is always recognised.";

type Insert = OperationOf<"unique.insert">;
type Get = OperationOf<"unique.get">;
type Keys = Readonly<Record<string, string>>;

function resultOf(call: Insert): Recorded["unique.insert"]["returned"] | undefined {
  return returnedBy<"unique.insert">(call);
}

/** What somebody saw standing under a set of keys. */
interface Standing {
  readonly keys: Keys;
  readonly value: unknown;
  readonly call: Insert | Get;
}

/** All that answers show to stand. Inserts are never undone, so it stands from then on. */
const standings: (history: History) => readonly Standing[] = oncePerHistory((history) => {
  const standing: Standing[] = [];
  for (const call of operationsOf(history, "unique.insert")) {
    const result = resultOf(call);
    switch (result?.outcome) {
      case "created":
      case "replayed":
      case "exists":
        standing.push({ keys: call.input.keys, value: result.value, call });
        break;
      default:
    }
  }
  for (const call of operationsOf(history, "unique.get")) {
    const found = returnedBy<"unique.get">(call);
    if (found !== undefined) standing.push({ keys: found.keys as Keys, value: found.value, call });
  }
  return standing;
});

function sameContent(
  left: Pick<Standing, "keys" | "value">,
  right: Pick<Standing, "keys" | "value">,
): boolean {
  return equal(left.keys, right.keys) && equal(left.value, right.value);
}

function nameOf(name: string, uniqueKey: string): string {
  return `${name}\n${uniqueKey}`;
}

/** Under each unique key there is one value, with one set of keys, whoever looks. */
export const uniqueOneValue: Guarantee = {
  id: "unique/one-value",
  sentence: ONE_VALUE,
  judge(history) {
    const first = new Map<string, Standing>();
    return firstOf(standings(history), (standing) => {
      for (const [name, uniqueKey] of Object.entries(standing.keys)) {
        const key = nameOf(name, uniqueKey);
        const other = first.get(key) ?? standing;
        first.set(key, other);
        if (sameContent(other, standing)) continue;
        return `two values under ${name} "${uniqueKey}": ${named(other.call)} saw ${told(other.call)}, ${named(standing.call)} ${told(standing.call)}`;
      }
      return undefined;
    });
  },
};

/** Two requests never both create under one key, and what was created is what was given. */
export const uniqueOneCreator: Guarantee = {
  id: "unique/one-creator",
  sentence: ONE_VALUE,
  judge(history) {
    const creators = new Map<string, Insert>();
    return firstOf(operationsOf(history, "unique.insert"), (call) => {
      const result = resultOf(call);
      if (result === undefined || !("value" in result)) return undefined;
      if (!equal(result.value, call.input.value)) {
        return `${named(call)} gave ${inWords(call.input.value)} and was told ${told(call)}`;
      }
      if (result.outcome === "exists") return undefined;
      for (const [name, uniqueKey] of Object.entries(call.input.keys)) {
        const key = nameOf(name, uniqueKey);
        const other = creators.get(key) ?? call;
        creators.set(key, other);
        if (other === call || isSameRequest(other, call)) continue;
        return `two requests created ${name} "${uniqueKey}": ${named(other)} was told ${told(other)}, ${named(call)} ${told(call)}`;
      }
      return undefined;
    });
  },
};

function isSameRequest({ input: a }: Insert, { input: b }: Insert): boolean {
  return a.requestId !== undefined && a.requestId === b.requestId;
}

/** What stood once stands for all who look later, under each of its keys. */
export const uniqueAllOrNone: Guarantee = {
  id: "unique/all-or-none",
  sentence: ONE_VALUE,
  judge(history) {
    const byKey = new Map<string, Standing[]>();
    for (const standing of standings(history)) {
      for (const [name, uniqueKey] of Object.entries(standing.keys)) {
        const key = nameOf(name, uniqueKey);
        byKey.set(key, [...(byKey.get(key) ?? []), standing]);
      }
    }
    return firstOf(operationsOf(history, "unique.get"), (call) => {
      if (call.answer === undefined || "threw" in call.answer) return undefined;
      const { name, uniqueKey } = call.input;
      const found = returnedBy<"unique.get">(call);
      if (found === undefined) {
        const known = byKey.get(nameOf(name, uniqueKey))?.find((each) => precedes(each.call, call));
        if (known === undefined) return undefined;
        return `${named(call)} found nothing under ${name} "${uniqueKey}", though ${named(known.call)} saw ${told(known.call)}`;
      }
      if ((found.keys as Keys)[name] === uniqueKey) return undefined;
      return `${named(call)} found under ${name} "${uniqueKey}" what has other keys: ${told(call)}`;
    });
  },
};

/** What stands was inserted under those keys by a request that may have had effect. */
export const uniqueFromInsert: Guarantee = {
  id: "unique/from-insert",
  sentence: ONE_VALUE,
  judge(history) {
    const inserts = operationsOf(history, "unique.insert");
    return firstOf(standings(history), (standing) => {
      const seenUs = standing.call.endedUs ?? standing.call.beganUs;
      const source = inserts.some((insert) => {
        if (insert.beganUs > seenUs || !sameContent(insert.input, standing)) return false;
        const outcome = resultOf(insert)?.outcome;
        return outcome === "created" || outcome === "replayed" || isOpen(insert);
      });
      if (source) return undefined;
      return `${named(standing.call)} saw ${told(standing.call)}, which no insert can have left`;
    });
  },
};

/** Who created is never told that another did, nor that its own value is in its way. */
export const uniqueCreatorRecognised: Guarantee = {
  id: "unique/creator-recognised",
  sentence: CREATOR,
  judge(history) {
    const inserts = operationsOf(history, "unique.insert");
    const standing = standings(history);
    return firstOf(inserts, (call) => {
      const outcome = resultOf(call)?.outcome;
      if (outcome !== "conflict" && outcome !== "exists") return undefined;
      const own = inserts.find((other) => {
        const result = resultOf(other)?.outcome;
        const created = result === "created" || result === "replayed";
        const same = isSameRequest(other, call) && sameContent(other.input, call.input);
        return created && same;
      });
      if (own !== undefined) {
        return `${named(call)} was told ${told(call)}, though the same request created it: ${named(own)} was told ${told(own)}`;
      }
      const strangers = inserts.some((other) => {
        const mayStand = !didNothing(other) && resultOf(other)?.outcome !== "conflict";
        return (
          !isSameRequest(other, call) &&
          other !== call &&
          mayStand &&
          sameContent(other.input, call.input)
        );
      });
      if (strangers) return undefined;
      const seen = standing.find((each) => sameContent(each, call.input));
      if (seen === undefined && outcome === "conflict") return undefined;
      const why =
        seen === undefined || seen.call === call
          ? "nobody else inserted it"
          : `${named(seen.call)} saw that it did`;
      return `request "${call.input.requestId}" alone can have inserted ${inWords(call.input.value)}, and ${why}, but ${named(call)} was told ${told(call)}`;
    });
  },
};

/** *Conflict* names a key of the insert under which other content may stand. */
export const uniqueConflictIsReal: Guarantee = {
  id: "unique/conflict-is-real",
  sentence: ONE_VALUE,
  judge(history) {
    const inserts = operationsOf(history, "unique.insert").filter((each) => !didNothing(each));
    return firstOf(inserts, (call) => {
      const result = resultOf(call);
      if (result?.outcome !== "conflict") return undefined;
      const taken = Object.entries(call.input.keys).filter(([name, uniqueKey]) => {
        return name === result.key || uniqueKey === result.key;
      });
      const endedUs = call.endedUs ?? call.beganUs;
      const real = taken.some(([name, uniqueKey]) =>
        inserts.some((other) => {
          if (other.beganUs > endedUs || resultOf(other)?.outcome === "conflict") return false;
          return other.input.keys[name] === uniqueKey && !sameContent(other.input, call.input);
        }),
      );
      if (real) return undefined;
      const why =
        taken.length === 0 ? "which is none of its keys" : "under which nothing else can stand";
      return `${named(call)} was told ${told(call)}, ${why}`;
    });
  },
};

/** Without faults, inserts and looks are answered. */
export const uniqueSettles: Guarantee = {
  id: "unique/settles",
  sentence: ONE_VALUE,
  judge(history) {
    if (history.healedUs === undefined) return undefined;
    const inserts = lastAsked(operationsOf(history, "unique.insert"), ({ key, input }) => {
      return `${key}\n${input.requestId}\n${inWords(input.value)}`;
    });
    const gets = lastAsked(operationsOf(history, "unique.get"), ({ input }) => {
      return nameOf(input.name, input.uniqueKey);
    });
    const open = [...inserts, ...gets].find((call) => isOpen(call) || didNothing(call));
    if (open === undefined) return undefined;
    return `${named(open)} was told ${told(open)}, though faults ended at ${ms(history.healedUs)}`;
  },
};
