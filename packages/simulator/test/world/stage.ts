// A world without chance: every message takes 1 ms each way and clocks are true, so that a test can
// say at which instant what happens.
import type { Applied, CreateWrite } from "@onceproof/core/advanced";
import type { FaultAt, FaultPlan, WorldFault } from "../../src/world/fault-plan.ts";
import { profileOf } from "../../src/world/profile.ts";
import type { TraceEvent } from "../../src/world/trace.ts";
import { createWorld, type Node, type World, type WorldOptions } from "../../src/world/world.ts";

export const TIMEOUT_MS = 200;

export function quietWorld(plan: FaultPlan = [], options: Partial<WorldOptions> = {}): World {
  return createWorld({
    profile: profileOf("durable"),
    plan,
    guard: true,
    latenciesMs: [1],
    maxSkewMs: 0,
    maxDrift: 0,
    operationTimeoutMs: TIMEOUT_MS,
    ...options,
  });
}

/** A fault of node `n` at its `nth` call of the store. */
export const at = (nth: number, fault: WorldFault, to = "store"): FaultAt => ({
  from: "n",
  to,
  nth,
  ...fault,
});

/** Runs the work on the node `n`, in its first life, and settles with it. */
export async function workOn<T>(world: World, work: (node: Node) => Promise<T>): Promise<T> {
  let done: Promise<T> | undefined;
  world.addNode("n", (node) => {
    done ??= work(node);
  });
  return world.run(done as Promise<T>);
}

/** Virtual time, in ms. */
export const nowMs = (world: World): number => world.elapsedUs / 1000;

const opIdOf = (name: string): string => name.padEnd(21, "-").concat("A");

export const create = (key: string, value = "value"): CreateWrite => ({
  key,
  opId: opIdOf(`${key}-${value}`),
  expect: "absent",
  next: { value, ttlMs: "never" },
});

/** Creates the key and expects success. */
export async function seed(node: Node, key: string, value?: string): Promise<Applied> {
  const result = await node.store.write(create(key, value));
  if (result.outcome !== "applied") {
    throw new Error(`the write of ${key} was ${result.outcome}`);
  }
  return result;
}

/** What the store holds, without a message. */
export const held = (world: World, key: string): string | undefined =>
  world.server.read(key).entry?.value;

/** The times and kinds of the trace's events, as `3 arrived`, of some kinds or of all. */
export const storyOf = (world: World, ...types: TraceEvent["type"][]): string[] =>
  world.trace
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map((event) => {
      const { atUs, type } = event;
      const more = type === "node" ? ` ${event.node} ${event.change}` : "";
      return `${atUs / 1000} ${type}${more}`;
    });

/** How a promise ended, and when. */
export async function endOf(
  world: World,
  promise: Promise<unknown>,
): Promise<{ readonly atMs: number; readonly returned?: unknown; readonly code?: unknown }> {
  try {
    const returned = await promise;
    return { atMs: nowMs(world), returned };
  } catch (error) {
    return { atMs: nowMs(world), code: (error as { code?: unknown }).code };
  }
}
