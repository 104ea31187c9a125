// All oracles over what a run left behind. It needs nothing but the files, so that a kept run can be
// judged again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, readCalls, readSink } from "../log/call.js";
import type { Bank } from "../workloads/payments.js";
import { judgeContract } from "./contract.js";
import { judgeDedup, type LastLook } from "./dedup.js";
import { judgeInserts } from "./inserts.js";
import { judgeLocks } from "./locks.js";
import { judgePayments } from "./payments.js";
import { judgeOrders, judgeTransfers } from "./requests.js";
import { judgeTokens } from "./tokens.js";
import type { Verdict, Violation } from "./violation.js";

/** How a run was made, and what stood in the store after it, as plain data. */
export interface RunFacts {
  readonly store: string;
  readonly seed: number;
  readonly faults: readonly string[];
  readonly tombstoneMs: number;
  readonly clockJumps: boolean;
  /** Absent where the run was broken off: then only what needs no end is judged. */
  readonly end?: {
    readonly looks: readonly LastLook[];
    readonly accounts: Readonly<Record<string, { sum: number; updates: number }>>;
    readonly orders: Readonly<Record<string, { state: string; data: { moves: number } }>>;
    /** What stands in the user's own tables, where the store has transactions. */
    readonly bank?: Bank;
  };
  /** What the process that made the run found out by itself, such as clients that do not end. */
  readonly violations: readonly Violation[];
}

const FACTS_FILE = "run.json";
const SETTLES = "S11: Every call settles within the store's operation timeout.";
const DOCUMENTED = "Honesty: what is thrown has a documented code.";

export function writeFacts(folder: string, facts: RunFacts): void {
  writeFileSync(join(folder, FACTS_FILE), `${JSON.stringify(facts, undefined, 2)}\n`);
}

export function readFacts(folder: string): RunFacts {
  return JSON.parse(readFileSync(join(folder, FACTS_FILE), "utf8")) as RunFacts;
}

/** Judges the run in a folder. */
export async function judgeRun(folder: string): Promise<Verdict> {
  const facts = readFacts(folder);
  const { calls, hangs, errors } = readCalls(folder);
  const sink = readSink(folder);
  const { end, clockJumps, tombstoneMs } = facts;
  const final = end && {
    accounts: new Map(Object.entries(end.accounts)),
    orders: new Map(Object.entries(end.orders)),
  };
  const verdicts = [
    await judgeContract(calls, tombstoneMs),
    judgeDedup(calls, sink, end?.looks ?? []),
    judgeLocks(calls, sink),
    judgeTokens(calls, clockJumps),
    judgeTransfers(calls, final),
    judgeOrders(calls, final),
    judgeInserts(calls),
    judgePayments(calls, end?.bank),
  ];
  return {
    violations: [
      ...facts.violations,
      ...hangs.map(({ by, what, ms }) => ({
        guarantee: SETTLES,
        detail: `${by}: ${what} had not settled after ${ms} ms`,
      })),
      ...errors.map(({ by, what }) => ({ guarantee: DOCUMENTED, detail: `${by}: ${what}` })),
      ...verdicts.flatMap(({ violations }) => violations),
    ],
    tallies: Object.assign({ clients: countClients(calls) }, ...verdicts.map((v) => v.tallies)),
  };
}

function countClients(calls: readonly Call[]): number {
  return new Set(calls.map(({ by }) => by.split("/")[0])).size;
}
