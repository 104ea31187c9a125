// Where the arrows of a message begin and end in time: at events of the trace where it names them,
// else at moments that are reckoned from what is known.

import type { WorldFault } from "../../world/fault-plan.js";
import { isDown, type Message, type Moment, type Reading } from "../reading.js";
import type { Lane } from "./lanes.js";

export type ArrowEnd =
  /** It came, and was heeded. */
  | "heeded"
  /** It came, and nobody waited for it. */
  | "unheeded"
  | "lost";

export interface Flight {
  readonly leg: "request" | "reply" | "copy";
  /** Keys of happenings. */
  readonly from: string;
  readonly to: string;
  readonly end: ArrowEnd;
  /** It was lost on its way, not at the receiver. */
  readonly midway: boolean;
  readonly held: boolean;
}

export interface Ends {
  readonly flights: readonly Flight[];
  readonly reckoned: readonly { readonly key: string; readonly atUs: number }[];
}

/** A typical time on the way, for what the trace does not say. */
const ON_THE_WAY_US = 1_000;

/** Finds the arrows of a message. */
export function endsOf(reading: Reading, message: Message): Ends {
  const reckoned: { key: string; atUs: number }[] = [];
  const reckon = (leg: string, atUs: number): string => {
    const key = `m${message.id}.${leg}`;
    reckoned.push({ key, atUs: Math.min(atUs, reading.endUs) });
    return key;
  };
  const flights: Flight[] = [];
  const left = message.left ?? message.sent;
  const request = requestOf(reading, message, left, reckon);
  flights.push(request);
  for (const arrival of message.arrivals.filter(({ copy }) => copy > 0)) {
    const to = key(arrival);
    flights.push({ leg: "copy", from: key(left), to, end: "heeded", midway: false, held: true });
  }
  const reply = replyOf(message, reckon);
  return { flights: reply === undefined ? flights : [...flights, reply], reckoned };
}

function key({ index }: Moment): string {
  return `e${index}`;
}

type Reckon = (leg: string, atUs: number) => string;

function requestOf(reading: Reading, message: Message, left: Moment, reckon: Reckon): Flight {
  const { lost, operation } = message;
  const heldUs = lengthUs(message, "holdRequest");
  const flight = { leg: "request" as const, from: key(left), midway: false, held: heldUs > 0 };
  if (lost?.leg === "request") {
    const midway = lost.atUs === left.atUs;
    return { ...flight, to: key(lost), end: "lost", midway };
  }
  const first = message.arrivals.find(({ copy }) => copy === 0);
  if (reading.parties.get(message.to) === "node") {
    const began = operation === undefined ? undefined : reading.operations.get(operation)?.from;
    if (began !== undefined) {
      return { ...flight, to: key(began), end: "heeded" };
    }
    const comesUs = left.atUs + ON_THE_WAY_US + heldUs;
    const end = first === undefined && isDown(reading, message.to, comesUs) ? "unheeded" : "heeded";
    return { ...flight, to: reckon("request", comesUs), end };
  }
  return first === undefined
    ? { ...flight, to: reckon("request", left.atUs + ON_THE_WAY_US + heldUs), end: "unheeded" }
    : { ...flight, to: key(first), end: "heeded" };
}

function replyOf(message: Message, reckon: Reckon): Flight | undefined {
  const first = message.arrivals.find(({ copy }) => copy === 0);
  if (first === undefined) {
    return undefined;
  }
  const heldUs = lengthUs(message, "holdReply");
  const flight = { leg: "reply" as const, from: key(first), midway: false, held: heldUs > 0 };
  const { lost, answered } = message;
  if (lost?.leg === "reply") {
    return { ...flight, to: key(lost), end: "lost", midway: true };
  }
  const landed = message.faults.find(({ fault }) => "phase" in fault && fault.phase === "reply");
  if (landed !== undefined) {
    return { ...flight, to: key(landed), end: answered === undefined ? "unheeded" : "heeded" };
  }
  return answered === undefined
    ? { ...flight, to: reckon("reply", first.atUs + ON_THE_WAY_US + heldUs), end: "unheeded" }
    : { ...flight, to: key(answered), end: "heeded" };
}

function lengthUs({ faults }: Message, name: WorldFault["fault"]): number {
  let us = 0;
  for (const { fault } of faults) {
    if (fault.fault === name && "forMs" in fault) {
      us += fault.forMs * 1000;
    }
  }
  return us;
}

const CROSS_CLEAR = 16;

/** Where the cross of a lost message stands: on its way, and not on a lane. */
export function crossX(
  ends: Ends | undefined,
  from: Lane,
  to: Lane,
  leg: "request" | "reply",
): number {
  const flight = ends?.flights.find((each) => each.leg === leg);
  if (flight?.midway === false) {
    const side = Math.sign(from.x - to.x);
    return to.x + side * (side > 0 ? to.right + CROSS_CLEAR : to.left + CROSS_CLEAR);
  }
  return from.x + (to.x - from.x) * 0.42;
}
