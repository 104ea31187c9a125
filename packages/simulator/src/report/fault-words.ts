// Faults and fault plans in words, for stories, tables and messages of the command.

import type { FaultAt, FaultPlan } from "../world/fault-plan.js";
import { counted, formatMs, ordinal } from "./words.js";

/** `the store`, `the bank`, and a node by its name, which has a number. */
function receiver(name: string): string {
  return /\d/.test(name) ? name : `the ${name}`;
}

/** Says what a fault does and to which call. */
export function describeFault(fault: FaultAt): string {
  const { from } = fault;
  const to = receiver(fault.to);
  const call = `${from}'s ${ordinal(fault.nth)} call to ${to}`;
  switch (fault.fault) {
    case "dropRequest":
      return `the request of ${call} is dropped`;
    case "dropReply":
      return `the reply of ${call} is dropped`;
    case "holdRequest":
      return `the request of ${call} is held for ${formatMs(fault.forMs)}`;
    case "holdReply":
      return `the reply of ${call} is held for ${formatMs(fault.forMs)}`;
    case "duplicate":
      return `the request of ${call} arrives a second time, ${formatMs(fault.afterMs)} later`;
    case "refuse":
      return fault.forMs === undefined
        ? `the connection of ${call} is refused`
        : `from ${call} on, connections from ${from} to ${to} are refused for ${formatMs(fault.forMs)}`;
    case "crash":
      return (
        `${from} crashes ${moment(fault.phase, fault.nth, to)}, ` +
        `and starts anew after ${formatMs(fault.forMs)}`
      );
    case "pause":
      return `${from} stands still for ${formatMs(fault.forMs)} ${moment(fault.phase, fault.nth, to)}`;
    case "suspend":
      return (
        `${from} and its monotonic clock stand still for ${formatMs(fault.forMs)} ` +
        moment(fault.phase, fault.nth, to)
      );
    case "cut":
      return `from ${call} on, ${cutMessages(fault.legs, from, to)} are lost for ${formatMs(fault.forMs)}`;
    case "jumpClock":
      return `${from}'s wall clock jumps ${jump(fault.byMs)} as it sends its ${ordinal(fault.nth)} call to ${to}`;
    default:
      return describeStoreFault(fault, call);
  }
}

type StoreFault = Extract<
  FaultAt,
  { fault: "jumpStoreClock" | "restartStore" | "failover" | "disconnect" | "evict" | "staleReads" }
>;

function describeStoreFault(fault: StoreFault, call: string): string {
  switch (fault.fault) {
    case "jumpStoreClock":
      return `the store's clock jumps ${jump(fault.byMs)} before ${call} is carried out`;
    case "restartStore":
      return `the store restarts ${carriedOut(fault.phase, call)}, ${losing(fault.loses)}`;
    case "failover": {
      const lag = fault.lagMs === 0 ? "" : `, its clock ${formatMs(fault.lagMs)} behind`;
      const lacking = fault.loses === 0 ? "" : ` that lacks ${lastWrites(fault.loses)}`;
      return `a replica${lacking} takes over ${carriedOut(fault.phase, call)}${lag}`;
    }
    case "disconnect":
      return `the connection of ${call} is lost ${carriedOut(fault.phase, call)}`;
    case "evict":
      return `the store evicts the keys of ${call} before it carries it out`;
    case "staleReads":
      return `from ${call} on, reads come from a replica that stands still, for ${formatMs(fault.forMs)}`;
  }
}

/** Says what goes wrong in a run, in one line. */
export function describePlan(plan: FaultPlan): string {
  return plan.length === 0 ? "nothing goes wrong" : plan.map(describeFault).join("; ");
}

function moment(phase: "send" | "reply", nth: number, to: string): string {
  const call = `its ${ordinal(nth)} call to ${to}`;
  return phase === "send" ? `as it sends ${call}` : `as the reply of ${call} comes`;
}

function cutMessages(legs: "requests" | "replies" | "both", from: string, to: string): string {
  switch (legs) {
    case "requests":
      return `messages from ${from} to ${to}`;
    case "replies":
      return `messages from ${to} to ${from}`;
    case "both":
      return `all messages between ${from} and ${to}`;
  }
}

function jump(byMs: number): string {
  return `${byMs < 0 ? "back" : "ahead"} by ${formatMs(Math.abs(byMs))}`;
}

function carriedOut(phase: "arrive" | "apply", call: string): string {
  return phase === "arrive" ? `as ${call} arrives (which is lost)` : `once ${call} is carried out`;
}

function losing(loses: number): string {
  return loses === 0 ? "and loses nothing" : `and loses ${lastWrites(loses)}`;
}

function lastWrites(loses: number): string {
  return loses === 1 ? "the last write" : `the last ${counted(loses, "write")}`;
}
