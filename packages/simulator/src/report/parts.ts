// What a trace is put together to: messages, operations and spans with their moments.

import type { FaultAt } from "../world/fault-plan.js";
import type { Ask, TraceEvent } from "../world/trace.js";

/** An event's time and its place in the trace. */
export interface Moment {
  readonly atUs: number;
  readonly index: number;
}

/** What the moment of an arrival was like. */
export interface Arrival extends Moment {
  readonly copy: number;
  readonly outcome: string;
}

/** One message with all that became of it. */
export interface Message {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly nth: number;
  readonly ask: Ask;
  readonly sent: Moment;
  readonly arrivals: readonly Arrival[];
  readonly lost?: Moment & { readonly leg: "request" | "reply" };
  readonly answered?: Moment;
  readonly timedOut?: Moment;
  readonly faults: readonly (Moment & { readonly fault: FaultAt })[];
  /** When it left, if its sender stood still before. */
  readonly left?: Moment;
  /** The first operation that a client's request began at the node, if that is certain. */
  readonly operation?: number;
}

/** An operation or a span, from its first moment until its last one, if it had one. */
export interface Stretch {
  readonly id: number;
  readonly node: string;
  readonly what: string;
  readonly from: Moment;
  readonly until?: Moment;
  /** How an operation ended. */
  readonly answer?: string;
  readonly fencingToken?: number;
}

export type PartyKind = "client" | "node" | "store" | "sink";

export interface Reading {
  readonly trace: readonly TraceEvent[];
  readonly messages: ReadonlyMap<number, Message>;
  readonly operations: ReadonlyMap<number, Stretch>;
  readonly spans: ReadonlyMap<number, Stretch>;
  /** In the order clients, nodes, store, sinks; within, as they first appear. */
  readonly parties: ReadonlyMap<string, PartyKind>;
  /** For each accepted effect's index in the trace, which of its sink and key it is: 1, 2, … */
  readonly effects: ReadonlyMap<number, number>;
  readonly endUs: number;
}
