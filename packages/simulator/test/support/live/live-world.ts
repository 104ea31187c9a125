// A world for the simulator's scenarios in which nothing is simulated: nodes use stores of one data
// set that are really there, in real time, so that scenarios and their oracles judge those, too.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { type AtomicStore, systemRuntime } from "@onceproof/core/advanced";
import type { History } from "../../../src/world/history.js";
import { type Node, sleepBy } from "../../../src/world/node.js";
import { Recorder } from "../../../src/world/recorder.js";
import type { TraceEvent } from "../../../src/world/trace.js";
import type { Client, World } from "../../../src/world/world.js";

/** What scenarios use of a world. */
type Stage = Pick<World, "addClient" | "addNode" | "elapsedUs" | "recorder" | "request"> & {
  readonly server: { now(): number };
};

export interface LiveWorld {
  /** To be given to scenarios. */
  readonly world: World;
  readonly history: History;
  readonly trace: readonly TraceEvent[];
  /** Settles when nodes have served all that they were asked, also for clients that gave up. */
  idle(): Promise<void>;
  /** Ends the faults. */
  heal(): void;
  /** Ends the world; tells for how long its process stood still at most. */
  end(): number;
}

/** The store's time, however often a busy machine lets it be asked for. */
async function storeTime(store: AtomicStore): Promise<number> {
  for (;;) {
    try {
      return (await store.read("clock")).now;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "unavailable") throw error;
    }
  }
}

/** @param storeOf - the store of the node that is added as the so manieth, from 0. */
export async function createLiveWorld(storeOf: (index: number) => AtomicStore): Promise<LiveWorld> {
  const sleep = sleepBy(systemRuntime);
  const beganMs = systemRuntime.monotonicNow();
  const elapsedUs = (): number => Math.round((systemRuntime.monotonicNow() - beganMs) * 1000);
  const aheadUs = (await storeTime(storeOf(0))) - elapsedUs();
  const trace: TraceEvent[] = [];
  const recorder = new Recorder((event) => void trace.push(event), elapsedUs);
  const lives: Record<string, number> = {};
  const serving = new Set<Promise<unknown>>();
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();

  const stage: Stage = {
    recorder,
    get elapsedUs() {
      return elapsedUs();
    },
    server: { now: () => elapsedUs() + aheadUs },
    addNode(name, program) {
      const node: Node = {
        name,
        life: 1,
        runtime: systemRuntime,
        store: storeOf(Object.keys(lives).length),
        sleep,
        async call(_sink, _what, act) {
          await sleep(0);
          return act();
        },
      };
      lives[name] = 1;
      program(node);
    },
    addClient: (name) => ({ name, sleep }) as Client,
    request(_client, _to, _what, timeoutMs, serve) {
      const served = serve();
      serving.add(served);
      void served.catch(() => {}).then(() => serving.delete(served));
      return new Promise((resolve, reject) => {
        const giveUp = systemRuntime.setTimer(() => resolve(undefined), timeoutMs);
        served.then((answer) => resolve({ answer }), reject).finally(giveUp);
      });
    },
  };
  return {
    // A class with private members cannot be stood in for by its public ones.
    world: stage as unknown as World,
    get history() {
      return recorder.history;
    },
    trace,
    async idle() {
      while (serving.size > 0) await Promise.all(serving);
    },
    heal: () => recorder.healed(),
    end() {
      recorder.finding("lives", lives);
      stalls.disable();
      return stalls.max / 1e6;
    },
  };
}
