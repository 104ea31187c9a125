// What registers promise, judged on a number that requests add to: each takes effect at most once,
// all answers fit one order of updates, and the sum is right in the end.

import { checkHistory, type Model, type Operation, type Step } from "../checker/index.js";
import {
  type OperationOf,
  operationsOf,
  type Recorded,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Guarantee, Setting, Times } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { didNothing, firstOf, groupBy, isOpen, LAST, lastAsked, ms, named, told } from "./judge.js";
import { oncePerHistory } from "./memo.js";
import {
  answeredAnew,
  type Life,
  type Memory,
  mattering,
  outlasted,
  overlapsOther,
  requestsOf,
  windowOf,
} from "./requests.js";

const AT_MOST_ONCE = "`fn` takes effect at most once per requestId, without a transaction.";

type Update = OperationOf<"register.update">;
type Get = OperationOf<"register.get">;

/** What these oracles need of the workload. */
export interface RegisterStart {
  /** The number to which the first request adds. */
  readonly initial: number;
}

function resultOf(call: Update): Recorded["register.update"]["returned"] | undefined {
  return returnedBy<"register.update">(call);
}

/** Whether it was told what its request did. */
function isTold(call: Update): boolean {
  const outcome = resultOf(call)?.outcome;
  return outcome === "updated" || outcome === "refused";
}

function groupsOf(history: History, { times }: Setting, memory: Memory): readonly Life<Update>[] {
  return livesOf(history, times, windowOf(memory));
}

const livesOf = oncePerHistory((history, times: Times, window: number): readonly Life<Update>[] =>
  requestsOf(operationsOf(history, "register.update"), { times }, { window }),
);

/** What a request was told, without whether it was told again. */
function sayOf(call: Update): string | number | undefined {
  const result = resultOf(call);
  if (result?.outcome === "updated") return result.value;
  return result?.outcome === "refused" ? result.reason : undefined;
}

/** Each request gets one answer as long as it is remembered, and at most once as a new one. */
export function registerSameAnswer(memory: Memory = {}): Guarantee {
  return {
    id: "register/same-answer",
    sentence: AT_MOST_ONCE,
    judge: (history, setting) =>
      firstOf(groupsOf(history, setting, memory), ({ calls }) => {
        const answered = calls.filter(isTold);
        const first = answered[0];
        if (first === undefined) return undefined;
        const other = answered.find((call) => {
          return (
            sayOf(call) !== sayOf(first) || resultOf(call)?.outcome !== resultOf(first)?.outcome
          );
        });
        const [one, two] = answered.filter((call) => {
          const result = resultOf(call);
          return result?.outcome === "updated" && !result.replayed;
        });
        if (other === undefined && two === undefined) return undefined;
        const [a, b] = other === undefined ? [one ?? first, two ?? first] : [first, other];
        return `request "${first.input.requestId}" took effect twice: ${named(a)} was told ${told(a)}, ${named(b)} ${told(b)}`;
      }),
  };
}

/** The number never goes below 0, which every update refuses. */
export const registerNeverBelowZero: Guarantee = {
  id: "register/never-below-zero",
  sentence: AT_MOST_ONCE,
  judge(history) {
    const update = operationsOf(history, "register.update").find((call) => {
      const result = resultOf(call);
      return result?.outcome === "updated" && result.value < 0;
    });
    const seen = operationsOf(history, "register.get").find((call) => {
      return Number(returnedBy<"register.get">(call) ?? 0) < 0;
    });
    const call = update ?? seen;
    return call && `${named(call)} was told ${told(call)}, below 0`;
  },
};

interface Input {
  /** Undefined for a look. */
  readonly delta?: number;
  /** In words. */
  readonly asked: string;
}

/** A number after an update, null for no value, or refused. */
type Output = number | null | "refused";

interface Value {
  readonly value: number;
  readonly touched: boolean;
}

const WRONG: Step<Value> = { ok: false };

function counterModel(initial: number): Model<Value, Input, Output> {
  return {
    name: "a number that requests add to",
    init: () => ({ value: initial, touched: false }),
    isReadOnly: ({ delta }, output) => delta === undefined || output === "refused",
    equals: (a, b) => a.value === b.value && a.touched === b.touched,
    hash: ({ value, touched }) => value * 2 + (touched ? 1 : 0),
    describe: ({ asked }) => asked,
    step(state, { delta }, output) {
      const same: Step<Value> = { ok: true, state };
      if (delta === undefined) {
        const right = output === null ? !state.touched : output === state.value;
        return output === undefined || right ? same : WRONG;
      }
      const value = state.value + delta;
      if (value < 0) return output === undefined || output === "refused" ? same : WRONG;
      return output === undefined || output === value
        ? { ok: true, state: { value, touched: true } }
        : WRONG;
    },
  };
}

/** One request as one operation: from its first asking until it was first answered. */
function operationOf({ calls, loose }: Life<Update>): Operation<Input, Output> | undefined {
  const acting = mattering(calls, isTold);
  const first = acting[0];
  const answered = acting.filter(isTold);
  if (first === undefined) return undefined;
  const { requestId, delta } = first.input;
  const input = {
    delta,
    asked: `request "${requestId}" (${delta}) by ${named(answered[0] ?? first)}`,
  };
  const result = answered[0] && resultOf(answered[0]);
  const base = { process: first.by, input, invokedAt: first.beganUs };
  if (result === undefined || loose) return base;
  const returnedAt = Math.min(
    ...answered.map(({ endedUs }) => endedUs ?? Number.POSITIVE_INFINITY),
  );
  const output = result.outcome === "updated" ? result.value : ("refused" as const);
  return { returnedAt, output, ...base };
}

function lookOf(call: Get): Operation<Input, Output> | undefined {
  const { answer } = call;
  if (answer === undefined || "threw" in answer) return undefined;
  return {
    process: call.by,
    input: { asked: named(call) },
    output: returnedBy<"register.get">(call) ?? null,
    invokedAt: call.beganUs,
    returnedAt: call.endedUs ?? call.beganUs,
  };
}

const MAX_STEPS = 50_000;

/** All answers and looks fit one order in which each request takes effect at most once. */
export function registerOneOrder(memory: Memory = {}): Guarantee<RegisterStart> {
  return {
    id: "register/one-order",
    sentence: AT_MOST_ONCE,
    judge(history, setting) {
      const updates = groupBy(
        groupsOf(history, setting, memory),
        ({ calls }) => calls[0]?.key ?? "",
      );
      const looks = groupBy(operationsOf(history, "register.get"), ({ key }) => key);
      const keys = new Set([...updates.keys(), ...looks.keys()]);
      const model = counterModel(setting.workload.initial);
      return firstOf(keys, (key) => {
        const operations = [
          ...(updates.get(key) ?? []).map(operationOf),
          ...(looks.get(key) ?? []).map(lookOf),
        ].filter((each) => each !== undefined);
        const verdict = checkHistory(model, operations, { maxSteps: MAX_STEPS });
        if (verdict.verdict !== "violated") return undefined;
        const { operations: few } = verdict.counterexample;
        const words = few.map(({ input, output }) => {
          return output === undefined ? input.asked : `${input.asked} was told ${output}`;
        });
        return `the answers on "${key}" fit no order in which each request takes effect once: ${words.join("; ")}`;
      });
    },
  };
}

/** What the node `last` sees in the end is the sum of what took effect. */
export function registerSum(memory: Memory = {}): Guarantee<RegisterStart> {
  return {
    id: "register/sum",
    sentence: AT_MOST_ONCE,
    judge(history, setting) {
      const groups = groupsOf(history, setting, memory);
      const looks = lastAsked(operationsOf(history, "register.get"), ({ key }) => key);
      return firstOf(looks, (look) => {
        if (look.by !== LAST || look.answer === undefined || "threw" in look.answer)
          return undefined;
        const { initial } = setting.workload;
        const seen = returnedBy<"register.get">(look) ?? initial;
        const { certain, open } = deltasOf(groups, look);
        if (certain === undefined || reaches(seen - initial - certain, open)) return undefined;
        return `${named(look)} saw ${seen}: ${initial} and ${certain} by answered requests, and nothing of ${open.length} open ones makes up for the rest`;
      });
    },
  };
}

interface Deltas {
  /** Undefined if a request was still being answered during the look. */
  readonly certain: number | undefined;
  readonly open: readonly number[];
}

function deltasOf(groups: readonly Life<Update>[], look: Get): Deltas {
  let certain = 0;
  const open: number[] = [];
  for (const { calls, loose } of groups) {
    const acting = mattering(calls, isTold).filter(({ beganUs }) => beganUs <= (look.endedUs ?? 0));
    const first = acting[0];
    if (first === undefined || first.key !== look.key) continue;
    const answered = acting.find(isTold);
    const result = answered && resultOf(answered);
    if (result === undefined || loose) open.push(first.input.delta);
    else if ((answered?.endedUs ?? 0) >= look.beganUs) return { certain: undefined, open };
    else if (result.outcome === "updated") certain += first.input.delta;
  }
  return { certain, open };
}

const MAX_SUMS = 10_000;

/** Whether some of the deltas add up to the rest; true if there are too many sums to tell. */
function reaches(rest: number, deltas: readonly number[]): boolean {
  let sums = new Set([0]);
  for (const delta of deltas) {
    sums = new Set([...sums, ...[...sums].map((sum) => sum + delta)]);
    if (sums.size > MAX_SUMS) return true;
  }
  return sums.has(rest);
}

/**
 * *Expired* is told only of a request that came with a snapshot, or that others may have crowded out
 * while it was under way, or that took longer than the retention; and with a snapshot no request is answered anew.
 */
export const registerExpiredNeedsSnapshot: Guarantee = {
  id: "register/expired-needs-snapshot",
  sentence:
    "a request that is not found there, and whose snapshot is older than the newest dropped request, is *expired* and not run; without a snapshot it counts as new.",
  judge(history, setting) {
    const updates = operationsOf(history, "register.update");
    const call = updates.find((each) => {
      if (resultOf(each)?.outcome !== "expired" || each.input.withSnapshot) return false;
      if (outlasted(each, setting)) return false;
      return !updates.some((other) => overlapsOther(other, each));
    });
    if (call) return `${named(call)} was told expired, though it came without a snapshot`;
    const [one, two] = answeredAnew(updates) ?? [];
    if (one === undefined || two === undefined) return undefined;
    return `request "${one.input.requestId}" was answered anew in spite of its snapshot: ${named(one)} was told ${told(one)}, ${named(two)} ${told(two)}`;
  },
};

/** Without faults, updates and looks are answered. */
export const registerSettles: Guarantee = {
  id: "register/settles",
  sentence: "Starvation is bounded and reported as *contended*.",
  judge(history) {
    if (history.healedUs === undefined) return undefined;
    const updates = lastAsked(operationsOf(history, "register.update"), ({ key, input }) => {
      return `${key}\n${input.requestId}`;
    });
    const looks = lastAsked(operationsOf(history, "register.get"), ({ key }) => key);
    const contended = updates.find((call) => resultOf(call)?.outcome === "contended");
    const open = [...updates, ...looks].find((call) => isOpen(call) || didNothing(call));
    const call = contended ?? open;
    if (call === undefined) return undefined;
    return `${named(call)} was told ${told(call)}, though faults ended at ${ms(history.healedUs)}`;
  },
};
