// What is judged of each run: effects that took place too often or not at all, answers that differ,
// requests that nobody answered, and the caller's own check.

import { ArgumentError } from "@onceproof/core/advanced";
import { sameData, show } from "../checker/plain-data.js";
import type { Guarantee, Scenario } from "../scenarios/scenario.js";
import type { Resolved } from "./options.js";
import type { Answered, RunLog, TookPlace } from "./run-log.js";
import {
  clientNames,
  play,
  requestNames,
  type Schedule,
  scheduleId,
  schedulesOf,
} from "./stand.js";

/** What can go wrong. */
export type FindingKind =
  /** An effect that no run without faults ever calls: nothing was tried on it. */
  | "neverCalled"
  /** An effect took place more often than once. */
  | "double"
  /** An effect of the run without faults is missing when everything has come to rest. */
  | "lost"
  /** Two answers to one request differ. */
  | "disagree"
  /** A client that asked again and again, after all faults too, has no answer. */
  | "stuck"
  /** The caller's own check found something. */
  | "check";

/** A guarantee of a simulation: a kind, and the effect that it is about. */
export interface Judged {
  readonly kind: FindingKind;
  readonly effect?: string;
}

export function idOf({ kind, effect }: Judged): string {
  return effect === undefined ? kind : `${kind} ${effect}`;
}

export function judgedOf(id: string): Judged {
  const [kind, effect] = id.split(" ");
  return { kind: kind as FindingKind, ...(effect !== undefined && { effect }) };
}

/** A simulation as a scenario, whose runs leave a log. */
export interface Simulation {
  readonly scenario: Scenario;
  /** The log of the latest run. */
  log(): RunLog;
  /** The effects that a run without faults has, by effect: what is missing later is lost. */
  readonly expected: Map<string, readonly TookPlace[]>;
  /** The effects that no run without faults calls, though they have to take place. */
  readonly uncalled: Set<string>;
}

/** The retention and tombstone time that faults are measured by, in leases. */
const RETENTION_LEASES = 20;

export const SCENARIO_ID = "simulate";

/** Builds the scenario of resolved options. `newLog` makes the log of each run. */
export function createSimulation(resolved: Resolved, newLog: () => RunLog): Simulation {
  const { nodes, effects, services, without, leaseMs, timeoutMs, traffic } = resolved;
  const expected = new Map<string, readonly TookPlace[]>();
  const uncalled = new Set<string>();
  let log = newLog();
  const guarantees = guaranteesOf(resolved, { expected, uncalled, log: () => log });
  const states = guarantees.map((guarantee) => ({ guarantee }));
  // Clients never fail here: they are browsers, queues and other people's servers.
  const fromClients = ["crash", "pause", "suspend", "jumpClock", "cut", "holdReply"] as const;
  const dedups = (name: string): boolean => effects[name]?.idempotencyKey !== undefined;
  const scenario: Scenario<Schedule> = {
    id: SCENARIO_ID,
    algorithm: SCENARIO_ID,
    title: "a handler of the caller's own",
    times: {
      operationTimeoutMs: timeoutMs,
      leaseMs,
      tombstoneMs: Math.max(10_000, leaseMs),
      retentionMs: RETENTION_LEASES * leaseMs,
    },
    profiles: [resolved.store],
    targets: [
      ...nodes.map((to) => ({
        from: clientNames(resolved),
        to,
        without: [...fromClients, ...without],
      })),
      ...services.map((to) => ({ from: nodes, to, without: ["duplicate", ...without] as const })),
      ...Object.keys(effects).map((to) => ({
        from: nodes,
        to,
        // A copy of one and the same request: only a sink that dedups can tell.
        without: dedups(to) ? without : (["duplicate", ...without] as const),
      })),
      { from: nodes, to: "store", without },
    ],
    workloads: traffic.flatMap(schedulesOf).map((schedule) => ({
      id: scheduleId(schedule),
      title: schedule.traffic,
      workload: schedule,
    })),
    states,
    play(stage) {
      log = newLog();
      return play(stage, resolved, log);
    },
  };
  return { scenario: scenario as Scenario, log: () => log, expected, uncalled };
}

type Judge = () => string | undefined;

function guaranteesOf(
  resolved: Resolved,
  { expected, uncalled, log }: Pick<Simulation, "expected" | "uncalled" | "log">,
): readonly Guarantee[] {
  const guarantees: Guarantee[] = [];
  const add = (judged: Judged, sentence: string, judge: Judge): void => {
    guarantees.push({ id: idOf(judged), sentence, judge });
  };
  for (const [effect, { times = "once" }] of Object.entries(resolved.effects)) {
    if (times !== "atLeastOnce") {
      add({ kind: "double", effect }, `${effect} takes place at most once`, () =>
        judgeDouble(log(), effect),
      );
    }
    if (times !== "atMostOnce") {
      add({ kind: "neverCalled", effect }, `${effect} is called when nothing goes wrong`, () =>
        uncalled.has(effect) ? judgeCalled(log(), effect) : undefined,
      );
      add({ kind: "lost", effect }, `${effect} takes place at least once`, () =>
        judgeLost(log(), effect, expected.get(effect)),
      );
    }
  }
  const names = requestNames(resolved.requests);
  if (resolved.sameAnswers) {
    add({ kind: "disagree" }, "all answers to one request are equal", () =>
      judgeAnswers(log(), names),
    );
  }
  add({ kind: "stuck" }, "every request is answered in the end", () => judgeStuck(log(), names));
  const { check } = resolved;
  if (check !== undefined) {
    add({ kind: "check" }, "the caller's own check holds", () => ask(check, log()));
  }
  return guarantees;
}

function judgeCalled({ calls }: RunLog, effect: string): string | undefined {
  return calls.some(({ step }) => step === effect)
    ? undefined
    : `${effect} was never called, though nothing went wrong: is it wired? If it need not take ` +
        'place, declare it times: "atMostOnce"';
}

/** Asks the caller's own check. What it throws is what is wrong: so assertions can be used in it. */
function ask(check: NonNullable<Resolved["check"]>, log: RunLog): string | undefined {
  let said: unknown;
  try {
    said = check(log);
  } catch (error) {
    const { message } = Object(error) as { readonly message?: unknown };
    return String(message || show(error));
  }
  if (said === undefined || typeof said === "string") {
    return said;
  }
  const { then } = Object(said) as { readonly then?: unknown };
  if (typeof then === "function") {
    then.call(said, ignore, ignore);
  }
  log.misuse ??= new ArgumentError(
    "optionInvalid",
    typeof then === "function"
      ? "check must be synchronous: the services answer at once there, so nothing need be awaited"
      : `check must return undefined if all is well, or else what is wrong as text, got ${show(said)}`,
  );
  return undefined;
}

function ignore(): void {}

function judgeDouble({ effects }: RunLog, effect: string): string | undefined {
  const counts = new Map<string, { readonly key: string; times: number }>();
  for (const { effect: name, key, same } of effects) {
    if (name === effect) {
      const counted = counts.get(same) ?? { key, times: 0 };
      counted.times += 1;
      counts.set(same, counted);
    }
  }
  const [worst] = [...counts.values()].sort((one, other) => other.times - one.times);
  return worst !== undefined && worst.times > 1
    ? `${worst.key} took place ${worst.times} times`
    : undefined;
}

function judgeLost(
  { effects }: RunLog,
  effect: string,
  expected: readonly TookPlace[] = [],
): string | undefined {
  const there = effects.filter(({ effect: name }) => name === effect);
  const has = (some: readonly TookPlace[], { same }: TookPlace): boolean =>
    some.some((each) => each.same === same);
  const missing = expected.find((each) => !has(there, each));
  if (missing === undefined) {
    return undefined;
  }
  const other = there.find((each) => !has(expected, each));
  const hint =
    other === undefined
      ? ""
      : `, but ${other.key} did: if these are the same, tell it by the effect's \`key\``;
  return `${missing.key} never took place${hint}`;
}

function judgeAnswers({ answers }: RunLog, names: readonly string[]): string | undefined {
  for (const [request, name] of names.entries()) {
    const [first, ...rest] = answers.filter((answered) => answered.request === request);
    const other = rest.find(({ answer }) => !sameData(answer, first?.answer));
    if (first !== undefined && other !== undefined) {
      return (
        `request ${name}: ${first.client} was told ${told(first)}, ` +
        `${other.client} was told ${told(other)}`
      );
    }
  }
  return undefined;
}

function told({ answer }: Answered): string {
  return "returned" in answer ? show(answer.returned) : `the error ${answer.threw}`;
}

function judgeStuck(log: RunLog, names: readonly string[]): string | undefined {
  const open = log.senders.find(
    ({ client }) => !log.answers.some((answered) => answered.client === client),
  );
  if (open === undefined) {
    return undefined;
  }
  const why = causeOf(log) ?? "the handler came to no end";
  return `${open.client} never got an answer to request ${names[open.request]}: ${why}`;
}

/** What the handler threw, if it did: what is thrown last stands in the way for good. */
export function causeOf({ errors }: RunLog): string | undefined {
  const last = [...errors].at(-1);
  return last === undefined
    ? undefined
    : `the handler threw ${last}${errors.size === 1 ? " each time" : " in the end"}`;
}
