// Several processes on one store behind a bad network, with the faults as plain data: a property
// draws the plan, so that a counterexample shrinks to the faults that it needs.

import { createMemoryStore, type MemoryStore } from "@onceproof/core";
import type { AtomicStore, Write, WriteResult } from "@onceproof/core/advanced";
import {
  createFaultyStore,
  createSkewedRuntime,
  createVirtualRuntime,
  type FaultyStore,
  type PlannedFault,
  type SkewedRuntime,
  type VirtualRuntime,
} from "@onceproof/simulator";
import fc from "fast-check";
import { createMachine, type Machine } from "./machine.ts";

/** Every time is a small one, so that a run of many leases takes few events. */
export const OPERATION_TIMEOUT_MS = 200;
export const SETTLE_MS = 600;
export const TOMBSTONE_MS = 10_000;
export const MAX_LATE_MS = 3_000;
const MAX_CLOCK_OFFSET_MS = 4_000;

/** One process: its own skewed wall clock, and the store as it sees it. */
export interface Node {
  readonly machine: Machine;
  readonly clock: SkewedRuntime;
  readonly store: AtomicStore;
}

export interface Swarm {
  readonly runtime: VirtualRuntime;
  readonly faulty: FaultyStore<MemoryStore>;
  /** The store's own clock. */
  readonly clock: SkewedRuntime;
  /** The same data without faults, for oracles. */
  readonly direct: MemoryStore;
  node(skewMs: number): Node;
  /** Runs scripts side by side until each has ended or its process has crashed. */
  runAll(scripts: readonly (readonly [Node, Promise<void>])[]): Promise<void>;
  /** Lifts every fault and lets what is under way arrive; the store's clock ends up ahead. */
  heal(): Promise<void>;
}

export interface SwarmOptions {
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  /** Told of each write in the step that it was judged in. */
  readonly onJudged?: (write: Write, result: WriteResult) => void;
}

export function createSwarm({ seed, plan, onJudged }: SwarmOptions): Swarm {
  const runtime = createVirtualRuntime({ seed });
  const clock = createSkewedRuntime(runtime);
  const direct = createMemoryStore({ runtime: clock, tombstoneMs: TOMBSTONE_MS });
  const faulty = createFaultyStore(tap(direct.peer(), onJudged), {
    runtime,
    clock,
    seed,
    plan,
    latencyMs: 5,
    operationTimeoutMs: OPERATION_TIMEOUT_MS,
  });
  return {
    runtime,
    faulty,
    clock,
    direct,
    node(skewMs) {
      const own = createSkewedRuntime(runtime, skewMs);
      const machine = createMachine(own);
      return { machine, clock: own, store: machine.connect(faulty.store) };
    },
    async runAll(scripts) {
      const ends = scripts.map(async ([{ machine }, script]) => {
        let ended = false;
        const end = (): void => {
          ended = true;
        };
        const watched = script.finally(end);
        // A crashed process never settles its script; looking at it now and then costs little.
        while (!ended && !machine.crashed) {
          await Promise.race([watched, runtime.sleep(250)]);
        }
      });
      await runtime.run(Promise.all(ends));
    },
    async heal() {
      faulty.heal();
      await runtime.advance(MAX_LATE_MS + OPERATION_TIMEOUT_MS);
      clock.setOffset(MAX_CLOCK_OFFSET_MS);
    },
  };
}

/** Tells of writes where they are judged, before any answer is on its way. */
function tap(store: MemoryStore, onJudged: SwarmOptions["onJudged"]): MemoryStore {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") {
        return member;
      }
      if (property !== "write") {
        return member.bind(target);
      }
      return async (write: Write): Promise<WriteResult> => {
        const result = await target.write(write);
        onJudged?.(write, result);
        return result;
      };
    },
  });
}

/** A plan of faults; with `clockJumps` the store's clock steps within the tombstone time. */
export function faultPlan(options: {
  readonly calls: number;
  readonly most?: number;
  readonly clockJumps?: boolean;
}): fc.Arbitrary<PlannedFault[]> {
  const call = fc.integer({ min: 1, max: options.calls });
  const late = fc.integer({ min: OPERATION_TIMEOUT_MS, max: MAX_LATE_MS });
  const delay = fc.integer({ min: 0, max: 1.5 * OPERATION_TIMEOUT_MS });
  const offset = fc.integer({ min: -MAX_CLOCK_OFFSET_MS, max: MAX_CLOCK_OFFSET_MS });
  const is = <F extends PlannedFault["fault"]>(fault: F): fc.Arbitrary<F> => fc.constant(fault);
  const kinds: fc.Arbitrary<PlannedFault>[] = [
    fc.record({ call, fault: is("dropReply") }),
    fc.record({ call, fault: is("dropReply") }),
    fc.record({ call, fault: is("dropRequest") }),
    fc.record({ call, fault: is("duplicate"), afterMs: fc.integer({ min: 0, max: MAX_LATE_MS }) }),
    fc.record({ call, fault: is("deliverLate"), afterMs: late }),
    fc.record({ call, fault: is("delay"), requestMs: delay, replyMs: delay }),
    fc.record({ call, fault: is("unavailable") }),
  ];
  if (options.clockJumps === true) {
    kinds.push(fc.record({ call, fault: is("clockOffset"), offsetMs: offset }));
  }
  const single = fc.array(fc.oneof(...kinds), { maxLength: options.most ?? 12 });
  // One fault that strikes every call for a while: what outlasts the re-sending. It may begin with
  // a call that was answered by nobody.
  const outage = fc
    .record({
      call,
      length: fc.integer({ min: 0, max: 14 }),
      fault: fc.constantFrom("dropReply" as const, "dropRequest" as const, "unavailable" as const),
      first: fc.constantFrom("dropReply" as const, "dropRequest" as const, undefined),
    })
    .map(({ call: from, length, fault, first }) =>
      Array.from({ length }, (_, index) => ({
        call: from + index,
        fault: index === 0 ? (first ?? fault) : fault,
      })),
    );
  return fc.tuple(single, outage).map(([faults, more]) => [...faults, ...more]);
}

/** The settled form of a promise: an answer or the `code` of its error. */
export async function answerOf<T>(
  promise: Promise<T>,
): Promise<{ readonly value: T } | { readonly code: unknown }> {
  try {
    return { value: await promise };
  } catch (error) {
    return { code: (error as { code?: unknown } | undefined)?.code ?? error };
  }
}
