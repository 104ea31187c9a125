// How fast the simulated world runs the real core: one node, one long world, one dedup run after the
// other, each with a key of its own.

import { createDedup, type Dedup } from "@onceproof/core";
import { createWorld, profileOf } from "@onceproof/simulator";

/** Runs of one world. A trace of so many would be kept for nobody. */
const RUNS = 5_000;

function worldCase(name: string, goalPerSecond: number, hopAlways: boolean) {
  return {
    name: `simulator: ${name}`,
    goalUs: Math.floor(1_000_000 / goalPerSecond),
    batch: RUNS,
    async prepare() {
      const maxEvents = Number.POSITIVE_INFINITY;
      const profile = profileOf("durable");
      const world = createWorld({ profile, hopAlways, maxEvents, trace: false });
      const nodes: Dedup[] = [];
      world.addNode("api", ({ store, runtime }) => {
        nodes.push(createDedup({ store, runtime, name: "bench", onCrash: "park" }));
      });
      const [dedup] = nodes;
      if (dedup === undefined) {
        throw new Error("the node's program did not run");
      }
      return (index: number) => world.run(dedup.run(`order-${index}`, () => index));
    },
  };
}

export const simulatorCases = [
  worldCase("dedup, microtasks run after each event", 8_000, true),
  worldCase("dedup, after events that stir a node", 15_000, false),
];
