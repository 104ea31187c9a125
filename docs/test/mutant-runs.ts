// One run for each family of mutants: which mutant, asked what, and what goes wrong. The pages of
// docs/mutants show these runs; the workloads are cut from those of the scenarios, to be short.

import type { FaultPlan } from "@onceproof/simulator";
import type { Family } from "../../packages/simulator/src/mutants/index.ts";
import { DEDUP_WORKLOADS } from "../../packages/simulator/src/scenarios/dedup.ts";
import { lockAsk } from "../../packages/simulator/src/scenarios/lock-workloads.ts";
import { REGISTER_WORKLOADS } from "../../packages/simulator/src/scenarios/register-workloads.ts";
import { MACHINE_WORKLOADS } from "../../packages/simulator/src/scenarios/state-machine-workloads.ts";
import { UNIQUE_WORKLOADS } from "../../packages/simulator/src/scenarios/unique-insert-workloads.ts";

/** A run that a page shows. */
export interface ShownRun {
  readonly mutant: string;
  readonly scenario: string;
  readonly workload: string | { readonly drawn: unknown };
  readonly plan: FaultPlan;
  /** The guarantee that it violates. */
  readonly guarantee: string;
  /** The page shows the run up to here. @defaultValue the healing */
  readonly untilMs?: number;
}

interface WithAsks {
  readonly id: string;
  readonly workload: { readonly asks: readonly object[] };
}

/** Some requests of a scenario's workload, each perhaps altered. */
function some(
  workloads: readonly WithAsks[],
  id: string,
  chosen: Readonly<Record<number, object>>,
): { readonly drawn: unknown } {
  const workload = workloads.find((each) => each.id === id)?.workload;
  const asks = Object.entries(chosen).map(([index, over]) => ({
    ...workload?.asks[Number(index)],
    ...over,
  }));
  return { drawn: { ...workload, asks } };
}

export const SHOWN: Readonly<Record<Family, ShownRun>> = {
  "check-then-act": {
    mutant: "unique-insert/query-then-insert",
    scenario: "unique-insert/one-key",
    workload: some(UNIQUE_WORKLOADS.oneKey, "race", { 0: {}, 1: {} }),
    plan: [],
    guarantee: "unique/one-value",
  },
  "owner-not-checked": {
    mutant: "lock/release-without-owner-check",
    scenario: "lock/workers",
    workload: {
      drawn: {
        asks: [
          lockAsk({ autoRenew: false, tries: 1, worksMs: [1_000] }),
          lockAsk({ client: "bob", atMs: 1_200, to: ["worker-2"], tries: 1, worksMs: [2_000] }),
          lockAsk({ client: "carol", atMs: 2_900, to: ["worker-3"], tries: 1, waitMs: 0 }),
        ],
      },
    },
    plan: [{ from: "worker-1", to: "disk", nth: 1, fault: "pause", phase: "send", forMs: 1_800 }],
    guarantee: "lock/lost-stays-lost",
    untilMs: 2_905,
  },
  "lease-misjudged": {
    mutant: "lock/lease-counted-from-the-reply",
    scenario: "lock/workers",
    workload: {
      drawn: {
        asks: [
          lockAsk({ autoRenew: false, tries: 1, worksMs: [900, 900], extendMs: 2_400 }),
          lockAsk({ client: "bob", atMs: 3_200, to: ["worker-2"], tries: 1, worksMs: [900] }),
        ],
      },
    },
    plan: [{ from: "worker-1", to: "store", nth: 2, fault: "pause", phase: "reply", forMs: 1_800 }],
    guarantee: "lock/view-within-lease",
    untilMs: 3_615,
  },
  "evidence-lost": {
    mutant: "dedup/evidence-ends-with-the-lease",
    scenario: "dedup/park",
    workload: some(DEDUP_WORKLOADS, "double-click", { 0: {} }),
    plan: [{ from: "api-1", to: "store", nth: 2, fault: "crash", phase: "send", forMs: 300 }],
    guarantee: "dedup/parks",
  },
  "unknown-taken-for-an-answer": {
    mutant: "dedup/unknown-is-retryable",
    scenario: "dedup/park",
    workload: some(DEDUP_WORKLOADS, "double-click", { 0: {} }),
    plan: [{ from: "api-1", to: "bank", nth: 1, fault: "dropReply" }],
    guarantee: "dedup/effect-once",
  },
  "replay-recomputed": {
    mutant: "register/refusals-are-not-recorded",
    scenario: "register/plain",
    workload: some(REGISTER_WORKLOADS.plain, "stock", {
      4: { delta: -6 },
      5: {},
      6: { delta: -6 },
    }),
    plan: [],
    guarantee: "register/same-answer",
  },
  "request-forgotten": {
    mutant: "register/version-check-without-a-request",
    scenario: "register/plain",
    workload: some(REGISTER_WORKLOADS.plain, "stock", { 7: { atMs: 0, to: ["api-1", "api-2"] } }),
    plan: [{ from: "alice", to: "api-1", nth: 1, fault: "dropReply" }],
    guarantee: "register/same-answer",
  },
  "identity-confused": {
    mutant: "state-machine/already-there-by-the-state-alone",
    scenario: "state-machine/plain",
    workload: some(MACHINE_WORKLOADS.plain, "retries", { 0: {}, 2: {}, 4: {} }),
    plan: [],
    guarantee: "machine/already-there",
  },
  "token-order": {
    mutant: "lock/token-of-the-client's-clock",
    scenario: "lock/workers",
    workload: {
      drawn: {
        asks: [
          lockAsk({ tries: 1 }),
          lockAsk({ client: "bob", atMs: 10, to: ["worker-2"], tries: 1 }),
        ],
      },
    },
    plan: [],
    guarantee: "lock/tokens-increase",
  },
  "all-or-nothing-broken": {
    mutant: "unique-insert/keys-one-after-another",
    scenario: "unique-insert/two-keys",
    workload: some(UNIQUE_WORKLOADS.twoKeys, "retries", {
      0: { patienceMs: 2_500, tries: 1 },
      6: { client: "bob", requestId: "insert-2" },
    }),
    plan: [{ from: "api-1", to: "store", nth: 2, fault: "crash", phase: "send", forMs: 300 }],
    guarantee: "unique/all-or-none",
    untilMs: 310,
  },
  "progress-lost": {
    mutant: "dedup/processing-for-ever",
    scenario: "dedup/rerun",
    workload: some(DEDUP_WORKLOADS, "double-click", { 0: { tries: 3 } }),
    plan: [{ from: "api-1", to: "bank", nth: 1, fault: "crash", phase: "reply", forMs: 300 }],
    guarantee: "dedup/settles",
  },
};
