// The scenario of the contract: clients write and read through two nodes that use the store itself,
// and send a write without an answer again under the same opId.

import * as oracle from "../oracles/index.js";
import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import { createDesk, createMemory, type Desk, isIntended } from "./contract-desk.js";
import { CONTRACT_WORKLOADS, type StoreAsk, type StoreWorkload } from "./contract-workloads.js";
import { LOSSY } from "./losses.js";
import { askLast, looked } from "./questions.js";
import type { Acts, Scenario, Stage, Times } from "./scenario.js";
import { NODES, TIMES as SHORT, targetsOf } from "./two-nodes.js";

/** A tombstone outlasts a run, so that no key may be forgotten in one. */
const TIMES: Times = { ...SHORT, tombstoneMs: 300_000 };

const store: Scenario<StoreWorkload> = {
  id: "contract/store",
  algorithm: "contract",
  title: "the store itself: writes that expect a state, sent again under the same opId",
  times: TIMES,
  profiles: ALL_PROFILES,
  targets: targetsOf(CONTRACT_WORKLOADS),
  workloads: CONTRACT_WORKLOADS,
  states: [
    { guarantee: oracle.contractExpiry, losses: LOSSY },
    { guarantee: oracle.contractRevisionsIncrease, losses: LOSSY },
    { guarantee: oracle.contractTombstoneKept, losses: LOSSY },
    { guarantee: oracle.contractRefusalShows },
    { guarantee: oracle.contractReplays, losses: LOSSY },
    { guarantee: oracle.contractAppliesOnce, losses: LOSSY },
    { guarantee: oracle.contractWrittenBetween },
    { guarantee: oracle.contractAllOrNone, losses: LOSSY },
    { guarantee: oracle.contractLinearizable, losses: LOSSY },
    { guarantee: oracle.generalEveryCallSettles },
  ],
  play,
};

export const contractScenarios: readonly Scenario[] = [store as unknown as Scenario];

function play(stage: Stage<StoreWorkload>): Acts {
  const { world, workload, profile } = stage;
  const asks = workload.asks.filter(({ act }) => profile.multiKey || act !== "writeAll");
  const services = new Map<string, Serve<StoreAsk>>();
  const memory = createMemory();
  const desk = (node: Node): Desk => createDesk(world, node, memory);
  for (const name of NODES) {
    world.addNode(name, (node) => services.set(name, desk(node).serve));
  }
  return {
    main: askAll(world, asks, services),
    settle: () =>
      askLast(world, (node) => {
        const { serve, lookUp } = desk(node);
        const look = [...new Set(asks.flatMap(keysOf))].map((key) => () => looked(lookUp(key)));
        const known = new Map(asks.flatMap((ask) => ("id" in ask ? [[ask.id, ask] as const] : [])));
        const again = [...known].filter(([id]) => isIntended(memory, id));
        return [
          ...look,
          ...again.map(
            ([, ask]) =>
              () =>
                serve(ask),
          ),
          ...look,
        ];
      }),
  };
}

function keysOf(ask: StoreAsk): readonly string[] {
  return ask.act === "writeAll" ? Object.keys(ask.wishes) : [ask.key];
}
