// The scenario of the lock: three workers contend for one resource. What a holder does reaches a disk
// that checks its fencing token in the same step, and a printer that checks nothing.

import { ALL_PROFILES } from "../world/profile.js";
import { askAll, type Serve } from "./clients.js";
import { createLockWorkers } from "./lock-worker.js";
import {
  DISK,
  LOCK_NODES,
  LOCK_TIMES,
  LOCK_WORKLOADS,
  type LockAsk,
  type LockWorkload,
  lockAsk,
  PRINTER,
} from "./lock-workloads.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";

export type { LockAsk, LockWorkload };

/** Builds the scenario; the guarantees that it states come from where they are assembled. */
export function lockScenario(
  id: string,
  title: string,
  states: readonly Stated<LockWorkload>[],
): Scenario<LockWorkload> {
  return {
    id: `lock/${id}`,
    algorithm: "lock",
    title,
    times: LOCK_TIMES,
    profiles: ALL_PROFILES,
    targets: [
      { from: LOCK_NODES, to: "store" },
      { from: LOCK_NODES, to: DISK },
      { from: LOCK_NODES, to: PRINTER },
    ],
    workloads: LOCK_WORKLOADS,
    states,
    play,
  };
}

function play(stage: Stage<LockWorkload>): Acts {
  const { world, workload } = stage;
  const serviceOf = createLockWorkers(stage);
  const services = new Map<string, Serve<LockAsk>>();
  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, serviceOf(node)));
  for (const name of LOCK_NODES) {
    start(name);
  }
  return {
    main: askAll(world, workload.asks, services),
    async settle() {
      start("last");
      for (const resource of new Set(workload.asks.map((each) => each.resource))) {
        const client = `last-${resource}`;
        const last = lockAsk({ client, resource, to: ["last"], tries: 6, gapMs: 1_000 });
        await askAll(world, [last], services);
      }
    },
  };
}
