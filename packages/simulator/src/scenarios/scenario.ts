// What a scenario is: nodes that run an algorithm's real code, a workload as plain data, and the
// guarantees that must hold of what happened.

import type * as core from "@onceproof/core";
import type * as advanced from "@onceproof/core/advanced";
import type { FaultName, FaultPlan } from "../world/fault-plan.js";
import type { History } from "../world/history.js";
import type { ProfileId, StoreProfile } from "../world/profile.js";
import type { World } from "../world/world.js";

/** Everything that core exports: the real one, or a broken variant of it. */
export type CoreModule = typeof core & typeof advanced;

/** The lengths of time that faults are measured by, in milliseconds. */
export interface Times {
  readonly operationTimeoutMs: number;
  readonly tombstoneMs: number;
  readonly leaseMs: number;
  readonly retentionMs: number;
}

/** What a scenario is given to set up. */
export interface Stage<W = unknown> {
  readonly world: World;
  readonly core: CoreModule;
  readonly profile: StoreProfile;
  readonly workload: W;
}

/** What a scenario does. */
export interface Acts {
  /** The clients' requests, with all their retries. Settles in bounded time, whatever goes wrong. */
  readonly main: Promise<void>;
  /** After healing: asks every question whose answer must come by now. */
  settle(): Promise<void>;
}

/** A workload and how it is called. */
export interface NamedWorkload<W = unknown> {
  readonly id: string;
  readonly title: string;
  readonly workload: W;
  /** Whether it lasts beyond the retention, so that messages may be held for as long. */
  readonly long?: boolean;
}

/** Kinds of faults, as columns of the guarantee matrix. */
export type FaultClass = "none" | "messages" | "crashes" | "pauses" | "clocks" | "store";

/** Where a guarantee is given up, and why: the docs say the same. */
export interface Loss {
  /** @defaultValue all profiles that the scenario runs on */
  readonly profiles?: readonly ProfileId[];
  /** Only these workloads, by id; a drawn workload counts as any. @defaultValue all */
  readonly workloads?: readonly string[];
  /** Any of these classes. @defaultValue all */
  readonly faults?: readonly FaultClass[];
  /** Only plans that hold all of these faults together. */
  readonly together?: readonly FaultName[];
  /** True if exploration must find the violation, so that the sentence in the docs is earned. */
  readonly mustBeFound: boolean;
  readonly why: string;
}

/** A sentence of docs/guarantees.md and the judge of it. */
export interface Guarantee<W = unknown> {
  /** `algorithm/what-it-says`. */
  readonly id: string;
  readonly sentence: string;
  /** Tells how the history violates the sentence, in one line; undefined if it does not. */
  judge(history: History, setting: Setting<W>): string | undefined;
}

/** What a judge may know beside the history. */
export interface Setting<W = unknown> {
  readonly times: Times;
  readonly workload: W;
}

/** A guarantee as one scenario states it. */
export interface Stated<W = unknown> {
  readonly guarantee: Guarantee<W>;
  /** @defaultValue none: it holds everywhere */
  readonly losses?: readonly Loss[];
}

/** A link whose calls are struck. */
export interface Target {
  readonly from: readonly string[];
  readonly to: string;
  /** Faults that this link is spared, because no algorithm above it can promise anything then. */
  readonly without?: readonly FaultName[];
}

/** A scenario. */
export interface Scenario<W = unknown> {
  /** `algorithm/variant`. */
  readonly id: string;
  readonly algorithm: string;
  readonly title: string;
  readonly times: Times;
  readonly profiles: readonly ProfileId[];
  /** The links whose calls are struck. */
  readonly targets: readonly Target[];
  readonly workloads: readonly NamedWorkload<W>[];
  readonly states: readonly Stated<W>[];
  play(stage: Stage<W>): Acts;
}

/** A workload that is no named one. */
export interface Drawn {
  readonly drawn: unknown;
}

/** One run as plain data: what a replay token holds. */
export interface RunSpec {
  readonly scenario: string;
  readonly profile: ProfileId;
  /** The id of one of the scenario's workloads, or one that was drawn. */
  readonly workload: string | Drawn;
  readonly seed: number;
  readonly plan: FaultPlan;
  /** The choices of latencies, if they did not come from the seed. */
  readonly tape?: readonly number[];
  /** The mutant of core that ran, if it was not core as it is; who runs it loads it. */
  readonly mutant?: string;
}
