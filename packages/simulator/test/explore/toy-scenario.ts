// A scenario that is wrong in a known way: two nodes count in a sink, and retry what got no answer.

import type { Guarantee, Loss, Scenario } from "../../src/scenarios/scenario.ts";
import type { Node } from "../../src/world/world.ts";

export const atMostOnce: Guarantee = {
  id: "toy/at-most-once",
  sentence: "the sink counts each node at most once",
  judge: ({ effects }) => {
    const seen = new Set<string>();
    for (const { by } of effects) {
      if (seen.has(by)) {
        return `${by} was counted twice`;
      }
      seen.add(by);
    }
    return undefined;
  },
};

export const neverAtAll: Guarantee = {
  id: "toy/reached",
  sentence: "a node that is up reaches the sink",
  judge: ({ effects }) => (effects.length > 0 ? undefined : "nobody was counted"),
};

export function toyScenario(
  losses: readonly Loss[] = [],
  lossesOfReached: readonly Loss[] = [],
): Scenario {
  return {
    id: "toy/count",
    algorithm: "toy",
    title: "a node that retries without a key",
    times: { operationTimeoutMs: 100, tombstoneMs: 1_000, leaseMs: 500, retentionMs: 5_000 },
    profiles: ["durable", "unsynced"],
    targets: [{ from: ["api-1"], to: "sink" }],
    workloads: [
      { id: "one", title: "one node", workload: { nodes: ["api-1"] } },
      { id: "two", title: "two nodes", workload: { nodes: ["api-1", "api-2"] } },
    ],
    states: [
      { guarantee: atMostOnce, losses },
      { guarantee: neverAtAll, losses: lossesOfReached },
    ],
    play({ world, workload }) {
      const { nodes } = workload as { readonly nodes: readonly string[] };
      const ended = nodes.map(
        (name) =>
          new Promise<void>((resolve) => {
            world.addNode(name, (node) => void countIn(world, node).then(resolve));
          }),
      );
      return { main: Promise.all(ended).then(() => undefined), settle: async () => {} };
    },
  };
}

async function countIn(world: Parameters<Scenario["play"]>[0]["world"], node: Node): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    try {
      await node.call("sink", "count", () => {
        world.recorder.effect({ sink: "sink", key: "k", by: node.name, accepted: true });
      });
      return;
    } catch {
      // Retried without a key: that is what is wrong with it.
    }
  }
}
