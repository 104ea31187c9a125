// The scenario of the fence: holders' tokens reach two gates in any order, some again, some late.

import { ALL_PROFILES } from "../world/profile.js";
import type { Node } from "../world/world.js";
import { type Ask, askAll, type Serve } from "./clients.js";
import type { Acts, NamedWorkload, Scenario, Stage, Stated, Times } from "./scenario.js";

/** A holder that asks for its token to be admitted. */
export interface FenceAsk extends Ask {
  readonly resource: string;
  readonly token: number;
}

export interface FenceWorkload {
  readonly asks: readonly FenceAsk[];
}

export const FENCE_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

const NODES = ["gate-1", "gate-2"];

const ask = (over: Partial<FenceAsk>): FenceAsk => ({
  client: "alice",
  atMs: 0,
  to: ["gate-1", "gate-2"],
  tries: 4,
  patienceMs: 2_500,
  gapMs: 400,
  resource: "r1",
  token: 1,
  ...over,
});

/** As `ask`, at the other gate first. */
const askOther = (over: Partial<FenceAsk>): FenceAsk => ask({ to: ["gate-2", "gate-1"], ...over });

export const FENCE_WORKLOADS: readonly NamedWorkload<FenceWorkload>[] = [
  {
    id: "holders",
    title: "two holders at the same time, the newer comes again, the older comes late",
    workload: {
      asks: [
        ask({ token: 7 }),
        askOther({ client: "bob", atMs: 1, token: 8 }),
        ask({ client: "bob", atMs: 400, token: 8 }),
        askOther({ client: "alice", atMs: 403, token: 7 }),
        ask({ client: "alice", atMs: 3_000, token: 7 }),
      ],
    },
  },
  {
    id: "race",
    title: "five tokens at once, the newest in the midst",
    workload: {
      asks: [
        ask({ token: 12 }),
        askOther({ client: "bob", token: 14 }),
        ask({ client: "carol", token: 15 }),
        askOther({ client: "dave", token: 13 }),
        ask({ client: "erin", token: 14 }),
      ],
    },
  },
  {
    id: "falling",
    title: "each older than the one before, on two resources, then one newer by 1 alone",
    workload: {
      asks: [
        ask({ token: 22 }),
        askOther({ client: "bob", atMs: 2, token: 21 }),
        ask({ client: "carol", atMs: 4, token: 20 }),
        askOther({ client: "dave", atMs: 5, resource: "r2", token: 2 }),
        ask({ client: "erin", atMs: 6, resource: "r2", token: 1 }),
        askOther({ client: "carol", atMs: 600, token: 23 }),
        ask({ client: "alice", atMs: 1_200, token: 22 }),
      ],
    },
  },
];

/** Builds the scenario; the guarantees that it states come from where they are assembled. */
export function fenceScenario(
  id: string,
  title: string,
  states: readonly Stated<FenceWorkload>[],
): Scenario<FenceWorkload> {
  return {
    id: `fence/${id}`,
    algorithm: "fence",
    title,
    times: FENCE_TIMES,
    profiles: ALL_PROFILES,
    targets: [{ from: NODES, to: "store" }],
    workloads: FENCE_WORKLOADS,
    states,
    play,
  };
}

function gate({ world, core }: Stage<FenceWorkload>, node: Node): Serve<FenceAsk> {
  const { name, life } = node;
  const fence = core.createFence({
    store: node.store,
    runtime: node.runtime,
    name: "gate",
    settleMs: 600,
    onEvent: (event) => world.recorder.told(name, event.type),
  });
  return async ({ resource, token }) => {
    try {
      const admission = await world.recorder.operation(
        { by: name, life, method: "fence.admit", key: resource, input: { token } },
        () => fence.admit(resource, token),
      );
      return admission.outcome === "indeterminate" ? "again" : "settled";
    } catch {
      return "again";
    }
  };
}

function play(stage: Stage<FenceWorkload>): Acts {
  const { world, workload } = stage;
  const services = new Map<string, Serve<FenceAsk>>();
  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, gate(stage, node)));
  for (const name of NODES) {
    start(name);
  }
  return {
    main: askAll(world, workload.asks, services),
    async settle() {
      start("last");
      for (const resource of new Set(workload.asks.map((each) => each.resource))) {
        const asked = workload.asks.filter((each) => each.resource === resource);
        const newest = Math.max(...asked.map(({ token }) => token));
        const last = { resource, to: ["last"], tries: 6, gapMs: 1_000 };
        // A newer one is admitted, and what was the newest is stale from then on.
        await askAll(
          world,
          [ask({ ...last, client: `newer-${resource}`, token: newest + 1 })],
          services,
        );
        await askAll(
          world,
          [ask({ ...last, client: `stale-${resource}`, token: newest })],
          services,
        );
      }
    },
  };
}
