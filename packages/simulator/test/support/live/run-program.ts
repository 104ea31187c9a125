// One program on real stores: the scenario's nodes and clients, then its last questions without
// faults, then its oracles.

import { randomBytes } from "node:crypto";
import type { AtomicStore } from "@onceproof/core/advanced";
import {
  declaredLoss,
  profileOf,
  scenarioOf,
  tellStory,
  type Violation,
} from "../../../src/index.js";
import { REAL_CORE } from "../../../src/scenarios/run.js";
import type { CoreModule } from "../../../src/scenarios/scenario.js";
import type { FaultPlan } from "../../../src/world/fault-plan.js";
import { createLiveWorld } from "./live-world.js";
import type { Place } from "./place.js";
import type { Program } from "./programs.js";

/** Half of the lock's margin: a process that stands still for longer was paused. */
const STALL_MS = 75;

export interface LiveRun {
  readonly violations: readonly Violation[];
  /** What happened, for people. */
  readonly story: string;
}

/** Runs a program once, in a name space of its own. */
export async function runProgram(
  place: Place,
  program: Program,
  core: CoreModule = REAL_CORE,
): Promise<LiveRun> {
  const { workload, bare, passages } = program;
  const scenario = scenarioOf(program.scenario);
  const live = await createLiveWorld((index) => storeOf(place, program, index));
  const profile = profileOf(bare ? "single-key" : "durable");
  const lift = place.lose?.(passages);
  const acts = scenario.play({ world: live.world, core: apart(core), profile, workload });
  await acts.main;
  await live.idle();
  lift?.();
  live.heal();
  await acts.settle();
  await live.idle();
  const stalledMs = live.end();

  // What may have happened to this run, as the scenario declares what it gives up.
  const struck: FaultPlan = [
    ...(stalledMs > STALL_MS
      ? ([{ ...CALL, fault: "pause", phase: "send", forMs: 0 }] as const)
      : []),
    ...(lift && passages.some((each) => each !== "pass")
      ? ([{ ...CALL, fault: "dropReply" }] as const)
      : []),
  ];
  const spec = { profile: profile.id, workload: { drawn: workload }, plan: struck };
  // A connection that is cut is noticed at once, whatever the timeout.
  const times = { ...scenario.times, operationTimeoutMs: 0 };
  const violations: Violation[] = [];
  for (const { guarantee } of scenario.states) {
    if (declaredLoss(scenario, guarantee.id, spec) !== undefined) continue;
    const how = guarantee.judge(live.history, { times, workload });
    if (how !== undefined) violations.push({ guarantee: guarantee.id, how });
  }
  return {
    violations,
    get story() {
      return tellStory(live.trace);
    },
  };
}

const CALL = { from: "client", to: "store", nth: 1 } as const;

function storeOf({ stores }: Place, { stores: drawn, bare }: Program, index: number): AtomicStore {
  const store = stores[(drawn[index % drawn.length] ?? 0) % stores.length] as AtomicStore;
  if (!bare) return store;
  const { capabilities } = store;
  return {
    capabilities,
    read: (key) => store.read(key),
    write: (write) => store.write(write),
    close: () => store.close(),
  };
}

const FACTORIES = [
  "createDedup",
  "createLock",
  "createFence",
  "createUniqueInsert",
  "createTokens",
  "createRegister",
  "createStateMachine",
] as const;

/** The algorithms under names that no other run has. */
function apart(core: CoreModule): CoreModule {
  const space = randomBytes(9).toString("base64url");
  const created = FACTORIES.map((factory) => {
    const create = core[factory] as (options: { readonly name: string }) => unknown;
    // One tag for all keys of an insert, as a cluster needs; elsewhere it changes nothing.
    return [
      factory,
      (options: { readonly name: string }) =>
        create({ ...options, name: `{${options.name} ${space}}` }),
    ];
  });
  return { ...core, ...Object.fromEntries(created) };
}
