// Which moves are legal: what moved, moved as the definition says, and what was refused, was refused by
// a state in which the entity may have been.

import type { StateMachineDefinition } from "@onceproof/core";
import { operationsOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { didNothing, firstOf, isOpen, named, precedes, told } from "./judge.js";
import { type Fire, resultOf } from "./machine-chain.js";

/** What the oracle needs of a workload. */
export interface MachineRules {
  /** Without it moves are judged by one another alone. */
  readonly definition?: StateMachineDefinition<string, string>;
}

type Definition = StateMachineDefinition<string, string>;

/** A move that was told and that the definition does not know. */
function unruly(fires: readonly Fire[], { events }: Definition): string | undefined {
  return firstOf(fires, (call) => {
    const result = resultOf(call);
    if (result?.outcome !== "moved") return undefined;
    const { event, from, to } = result;
    const rule = events[event];
    if (rule?.to === to && rule.from.includes(from)) return undefined;
    return `${named(call)} was told ${told(call)}, which is no legal move`;
  });
}

/** Whether a call can have moved its entity to a state after the other had left it. */
function mayReturn(call: Fire, to: string, left: Fire, { events }: Definition): boolean {
  if (call.key !== left.key || events[call.input.event]?.to !== to || didNothing(call))
    return false;
  const moved = isOpen(call) || resultOf(call)?.outcome === "moved";
  return moved && (isOpen(call) || !precedes(call, left));
}

/** A refusal, not a replayed one, by a state that the entity had left before it was asked. */
function outOfDate(fires: readonly Fire[], definition: Definition): string | undefined {
  return firstOf(fires, (call) => {
    const result = resultOf(call);
    if (result?.outcome !== "refused" || result.replayed) return undefined;
    const { state } = result;
    const left = fires.find((other) => {
      const how = resultOf(other);
      const leaves = how?.outcome === "moved" && how.from === state && other.key === call.key;
      if (!leaves || !precedes(other, call)) return false;
      return !fires.some((each) => each !== other && mayReturn(each, state, other, definition));
    });
    if (left === undefined) return undefined;
    return `${named(call)} was told ${told(call)}, though ${named(left)} had moved on from there: ${told(left)}`;
  });
}

/**
 * A state in which an event was refused is not one from which it moved; and by the definition every
 * move is legal, and a refusal is by a state that may have been the present one.
 */
export const machineIllegal: Guarantee<MachineRules> = {
  id: "machine/illegal",
  sentence: "An illegal move changes neither state nor data.",
  judge(history, { workload }) {
    const moved = new Map<string, Fire>();
    const fires = operationsOf(history, "machine.fire");
    for (const call of fires) {
      const result = resultOf(call);
      if (result?.outcome === "moved") moved.set(`${result.event}\n${result.from}`, call);
    }
    const both = firstOf(fires, (call) => {
      const result = resultOf(call);
      if (result?.outcome !== "refused") return undefined;
      const legal = moved.get(`${result.event}\n${result.state}`);
      if (legal === undefined) return undefined;
      return `${named(call)} was told ${told(call)}, though ${named(legal)} was told ${told(legal)}`;
    });
    const definition = workload?.definition;
    if (both !== undefined || definition === undefined) return both;
    return unruly(fires, definition) ?? outOfDate(fires, definition);
  },
};
