// Which faults can strike one call, with the durations that matter. Enumerating this menu over the
// calls of a run gives every plan of one fault.

import type { FaultClass, Times } from "../scenarios/scenario.js";
import type { FaultName, WorldFault } from "../world/fault-plan.js";
import type { StoreProfile } from "../world/profile.js";

const CLASS_OF: { readonly [name in FaultName]: FaultClass } = {
  dropRequest: "messages",
  dropReply: "messages",
  holdRequest: "messages",
  holdReply: "messages",
  duplicate: "messages",
  refuse: "messages",
  disconnect: "messages",
  cut: "messages",
  crash: "crashes",
  pause: "pauses",
  suspend: "pauses",
  jumpClock: "clocks",
  jumpStoreClock: "store",
  restartStore: "store",
  failover: "store",
  evict: "store",
  staleReads: "store",
};

/** The column of the matrix that a fault belongs to. */
export function classOf(fault: { readonly fault: FaultName }): FaultClass {
  return CLASS_OF[fault.fault];
}

const SHARP: readonly FaultName[] = ["dropReply", "dropRequest", "crash"];

/**
 * Whether a fault of the menu does something else at each call: it ends one call and no other, or
 * begins what outlasts everything. Most others do the same a call earlier or later.
 */
export function isSharp(fault: WorldFault): boolean {
  const lasts = "forMs" in fault ? (fault.forMs ?? 0) : 0;
  return fault.fault === "refuse" || fault.fault === "pause"
    ? lasts === 0 || lasts > FOR_GOOD_MS
    : SHARP.includes(fault.fault);
}

/** No wait, lease or timeout of a scenario lasts so long. */
const FOR_GOOD_MS = 120_000;

export interface MenuOptions {
  readonly profile: StoreProfile;
  readonly times: Times;
  /** Faults that are left out. */
  readonly without?: readonly FaultName[];
  /** Also holds messages and pauses beyond the retention, for workloads that last so long. */
  readonly long?: boolean;
  /** Whether the call goes to the store: only then can the store suffer. */
  readonly toStore: boolean;
}

/** All faults for one call, the likeliest first. */
export function faultMenu(options: MenuOptions): readonly WorldFault[] {
  const { without = [], toStore } = options;
  return [
    ...messageFaults(options),
    ...nodeFaults(options),
    ...(toStore ? storeFaults(options) : []),
  ].filter(({ fault }) => !without.includes(fault));
}

function messageFaults({ times, long = false }: MenuOptions): WorldFault[] {
  const { operationTimeoutMs, leaseMs, retentionMs, tombstoneMs } = times;
  const beyond = [1.1 * retentionMs, 1.1 * (retentionMs + tombstoneMs)];
  const lates = [1.5 * operationTimeoutMs, 1.2 * leaseMs, 5 * leaseMs, ...(long ? beyond : [])];
  return [
    { fault: "dropReply" },
    { fault: "dropRequest" },
    ...lates.map((forMs): WorldFault => ({ fault: "holdRequest", forMs })),
    // Late, and still in time: longer than the margin of a lease.
    { fault: "holdReply", forMs: 0.9 * operationTimeoutMs },
    ...[0, ...lates].map((afterMs): WorldFault => ({ fault: "duplicate", afterMs })),
    { fault: "refuse" },
    { fault: "refuse", forMs: 1.5 * operationTimeoutMs },
    { fault: "refuse", forMs: 1.2 * leaseMs },
    { fault: "cut", legs: "both", forMs: 1.2 * leaseMs },
    { fault: "cut", legs: "both", forMs: 5 * leaseMs },
    { fault: "cut", legs: "replies", forMs: 1.2 * leaseMs },
    { fault: "cut", legs: "requests", forMs: 1.2 * leaseMs },
  ];
}

function nodeFaults({ times, long = false }: MenuOptions): WorldFault[] {
  const { operationTimeoutMs, leaseMs, retentionMs, tombstoneMs } = times;
  // When it goes on, nothing is left of what was remembered, nor of what is added for clocks that differ.
  const forGood = 4 * (retentionMs + tombstoneMs);
  const faults: WorldFault[] = [];
  for (const phase of ["send", "reply"] as const) {
    faults.push({ fault: "crash", phase, forMs: 1.5 * operationTimeoutMs });
    for (const forMs of [1.2 * leaseMs, 5 * leaseMs]) {
      faults.push({ fault: "pause", phase, forMs });
      faults.push({ fault: "suspend", phase, forMs });
    }
    if (long) {
      faults.push({ fault: "pause", phase, forMs: forGood });
    }
  }
  for (const byMs of [1.2 * leaseMs, 3_600_000, -1.2 * leaseMs, -3_600_000]) {
    faults.push({ fault: "jumpClock", byMs });
  }
  return faults;
}

const PHASES = ["arrive", "apply"] as const;

function storeFaults({ profile, times }: MenuOptions): WorldFault[] {
  const { leaseMs, tombstoneMs } = times;
  const faults: WorldFault[] = [];
  for (const name of profile.faults) {
    switch (name) {
      case "restartStore":
        for (const phase of PHASES) {
          const losses = profile.failoverMayLoseWrites ? [1, 2] : [0];
          faults.push(...losses.map((loses): WorldFault => ({ fault: name, phase, loses })));
        }
        break;
      case "failover":
        for (const phase of PHASES) {
          for (const loses of [1, 2]) {
            const lags = profile.lag === "none" ? [0] : [1.2 * leaseMs, 5 * leaseMs];
            faults.push(...lags.map((lagMs): WorldFault => ({ fault: name, phase, loses, lagMs })));
          }
        }
        break;
      case "disconnect":
        faults.push(...PHASES.map((phase): WorldFault => ({ fault: name, phase })));
        break;
      case "evict":
        faults.push({ fault: name });
        break;
      case "staleReads":
        faults.push({ fault: name, forMs: 1.2 * leaseMs }, { fault: name, forMs: 5 * leaseMs });
        break;
      case "jumpStoreClock": {
        const back =
          profile.clockBack === "within"
            ? [-1.2 * leaseMs, -0.9 * tombstoneMs]
            : [-1.5 * tombstoneMs, -3_600_000];
        const jumps = [1.2 * leaseMs, ...back];
        faults.push(...jumps.map((byMs): WorldFault => ({ fault: name, byMs })));
        break;
      }
      default:
    }
  }
  return faults;
}
