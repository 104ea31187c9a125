// The memory store as a harness of the conformance kit: on a driven clock, and behind a network
// that loses what a case asks it to lose.

import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore, Write } from "@onceproof/core/advanced";
import {
  createFaultyStore,
  createSkewedRuntime,
  createVirtualRuntime,
  type FaultyStore,
  NO_FAULTS,
} from "@onceproof/simulator";
import type { ConformanceFixture, ConformanceHarness } from "@onceproof/simulator/conformance";
import type { Break } from "../../src/conformance/broken/breakage.js";
import { overlay } from "../../src/overlay.js";

export type Wrap = Break;
export const plainly: Wrap = (store) => store;
const TAIL = ":other";

/** A memory store on a driven clock: time costs nothing. */
export function drivenMemory(createWrap: () => Wrap = () => plainly): ConformanceHarness {
  return {
    async create() {
      const runtime = createVirtualRuntime();
      const memory = createMemoryStore({ runtime });
      const wrap = createWrap();
      return {
        store: wrap(memory),
        peer: wrap(memory.peer()),
        otherNamespace: wrap(createMemoryStore({ runtime }), TAIL),
        otherNamespaceTail: TAIL,
        advance: async (byMs) => runtime.jumpWall(byMs),
        stepBack: async (byMs) => runtime.jumpWall(-byMs),
        close: () => memory.close(),
      };
    },
  };
}

/** A memory store behind a network that loses exactly the messages that a case asks it to lose. */
export function faultyMemory(
  createWrap: () => Wrap = () => plainly,
  latencyMs = 0,
): ConformanceHarness {
  const runtime = createVirtualRuntime();
  return {
    runtime,
    drive: (promise) => runtime.run(promise),
    async create(): Promise<ConformanceFixture> {
      const clock = createSkewedRuntime(runtime);
      const memory = createMemoryStore({ runtime: clock });
      const wrap = createWrap();
      const options = { runtime, clock, rates: NO_FAULTS, latencyMs };
      const faulty = createFaultyStore(memory.peer(), options);
      // It outlives its clients, as a server's data does, and so it can stand for a durable store.
      const durable = <S extends AtomicStore>(store: S): S =>
        overlay(store, { capabilities: { ...store.capabilities, durability: "durable" } });
      let stalled = false;
      return {
        store: wrap(durable(whenever(faulty, () => stalled))),
        peer: wrap(durable(createFaultyStore(memory.peer(), options).store)),
        otherNamespace: wrap(createMemoryStore({ runtime: clock }), TAIL),
        otherNamespaceTail: TAIL,
        advance: async (byMs) => clock.jumpBy(byMs),
        stepBack: async (byMs) => clock.jumpBy(-byMs),
        restart: async () => {
          const { store } = createFaultyStore(memory.peer(), options);
          return wrap(durable(store), undefined, true);
        },
        loseReply: () => faulty.inject({ fault: "dropReply" }),
        loseRequest: () => faulty.inject({ fault: "dropRequest" }),
        stall: () => {
          stalled = true;
          return () => {
            stalled = false;
          };
        },
        close: () => memory.close(),
      };
    },
  };
}

/** The store of a bad network; what is sent while it is stalled arrives after its caller gave up. */
function whenever<S extends AtomicStore>(faulty: FaultyStore<S>, isStalled: () => boolean): S {
  const { store } = faulty;
  const late = <T>(call: () => T): T => {
    if (isStalled()) {
      faulty.inject({ fault: "deliverLate", afterMs: 1.5 * store.capabilities.operationTimeoutMs });
    }
    return call();
  };
  return overlay(store, {
    read: (key: string) => late(() => store.read(key)),
    write: (write: Write) => late(() => store.write(write)),
  });
}
