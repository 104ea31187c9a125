// What scenarios without leases and sinks share: two nodes that clients ask, one store, short times.

import type { FaultName } from "../world/fault-plan.js";
import { PROFILES, type ProfileId } from "../world/profile.js";
import type { Ask } from "./clients.js";
import type { NamedWorkload, Target, Times } from "./scenario.js";

export const NODES: readonly string[] = ["api-1", "api-2"];
/** The nodes in the order in which a client tries them. */
export const ONE: readonly string[] = NODES;
export const TWO: readonly string[] = ["api-2", "api-1"];

export const TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  // There are no leases: what faults are measured by.
  leaseMs: 1_500,
  retentionMs: 30_000,
};

/** How long a node asks about a write without an answer. */
export const SETTLE_MS = 600;

/** How a client asks, unless it says otherwise. */
export const PATIENT: Ask = {
  client: "alice",
  atMs: 0,
  to: ONE,
  tries: 4,
  patienceMs: 2_500,
  gapMs: 400,
};

export const MULTI_KEY_PROFILES: readonly ProfileId[] = PROFILES.filter(
  ({ multiKey }) => multiKey,
).map(({ id }) => id);

/** A client never fails: only its messages do. */
const NO_CLIENT_FAULTS: readonly FaultName[] = ["crash", "pause", "suspend", "jumpClock"];

/** The links from the nodes to the store, and from the clients of these workloads to the nodes. */
export function targetsOf(
  workloads: readonly NamedWorkload<{ readonly asks: readonly Ask[] }>[],
): readonly Target[] {
  const clients = workloads.flatMap(({ workload }) => workload.asks.map(({ client }) => client));
  const from = [...new Set(clients)];
  return [
    { from: NODES, to: "store" },
    ...NODES.map((to) => ({ from, to, without: NO_CLIENT_FAULTS })),
  ];
}
