// A trace put together again: which request, answer, fault and operation belong to each other, and
// which parties there are. The story and the diagram both read it, so that they tell the same.

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
  /** The operation that a client's request began at the node. */
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Omit<Message, "arrivals" | "faults">> & {
  arrivals: Arrival[];
  faults: (Moment & { readonly fault: FaultAt })[];
};

/** Reads a trace. */
export function readTrace(trace: readonly TraceEvent[]): Reading {
  const messages = new Map<number, Draft>();
  const byCall = new Map<string, Draft>();
  const operations = new Map<number, Mutable<Stretch>>();
  const spans = new Map<number, Mutable<Stretch>>();
  const effects = new Map<number, number>();
  const counts = new Map<string, number>();
  const held = new Map<string, Draft[]>();
  for (const [index, event] of trace.entries()) {
    const moment: Moment = { atUs: event.atUs, index };
    switch (event.type) {
      case "sent": {
        const { message: id, from, to, nth, ask } = event;
        const draft: Draft = { id, from, to, nth, ask, sent: moment, arrivals: [], faults: [] };
        messages.set(id, draft);
        byCall.set(`${from} ${to} ${nth}`, draft);
        break;
      }
      case "arrived":
      case "lost":
      case "answered":
      case "timedOut":
        note(messages.get(event.message), event, moment);
        break;
      case "fault": {
        const { fault } = event;
        const struck = byCall.get(`${fault.from} ${fault.to} ${fault.nth}`);
        struck?.faults.push({ ...moment, fault });
        if (struck !== undefined && stopsSender(fault)) {
          held.set(fault.from, [...(held.get(fault.from) ?? []), struck]);
        }
        break;
      }
      case "node":
        if (event.change === "resumed") {
          for (const draft of held.get(event.node) ?? []) {
            draft.left = moment;
          }
        }
        if (event.change === "resumed" || event.change === "crashed") {
          held.delete(event.node);
        }
        break;
      case "began":
        operations.set(event.operation, {
          id: event.operation,
          node: event.node,
          what: event.what,
          from: moment,
        });
        break;
      case "ended": {
        const operation = operations.get(event.operation);
        if (operation !== undefined) {
          operation.until = moment;
          operation.answer = event.what;
        }
        break;
      }
      case "span":
        noteSpan(spans, event, moment);
        break;
      case "effect":
        if (event.accepted) {
          const key = `${event.sink} ${event.what}`;
          const count = (counts.get(key) ?? 0) + 1;
          counts.set(key, count);
          effects.set(index, count);
        }
        break;
      default:
    }
  }
  const parties = partiesOf(trace);
  linkOperations(trace, messages, operations, parties);
  return {
    ...{ trace, messages, operations, spans, parties, effects },
    endUs: trace.at(-1)?.atUs ?? 0,
  };
}

function note(
  draft: Draft | undefined,
  event: Extract<TraceEvent, { type: "arrived" | "lost" | "answered" | "timedOut" }>,
  moment: Moment,
): void {
  if (draft === undefined) {
    return;
  }
  switch (event.type) {
    case "arrived":
      draft.arrivals.push({ ...moment, copy: event.copy, outcome: event.outcome });
      break;
    case "lost":
      draft.lost = { ...moment, leg: event.leg };
      break;
    default:
      draft[event.type] = moment;
  }
}

function noteSpan(
  spans: Map<number, Mutable<Stretch>>,
  event: Extract<TraceEvent, { type: "span" }>,
  moment: Moment,
): void {
  const { span: id, node, what, fencingToken } = event;
  const known = spans.get(id);
  if (event.edge === "from") {
    const token = fencingToken === undefined ? {} : { fencingToken };
    spans.set(id, { id, node, what, from: moment, ...token });
  } else if (known !== undefined) {
    known.until = moment;
  }
}

function stopsSender(fault: FaultAt): boolean {
  return (fault.fault === "pause" || fault.fault === "suspend") && fault.phase === "send";
}

/** A client is whoever starts and asks nodes alone; a sink is asked and never starts. */
function partiesOf(trace: readonly TraceEvent[]): ReadonlyMap<string, PartyKind> {
  const started = new Set<string>();
  const active = new Set<string>();
  const asked = new Set<string>();
  for (const event of trace) {
    if (event.type === "node") {
      started.add(event.node);
    } else if (event.type === "sent") {
      asked.add(event.to);
      if (event.ask.ask !== "call") {
        active.add(event.from);
      }
    } else if (event.type === "began" || event.type === "span" || event.type === "told") {
      active.add(event.node);
    }
  }
  const sinks = [...asked].filter((name) => name !== "store" && !started.has(name));
  for (const event of trace) {
    if (event.type === "sent" && sinks.includes(event.to)) {
      active.add(event.from);
    }
  }
  const nodes = [...started].filter((name) => active.has(name) || asked.has(name));
  const clients = [...started].filter((name) => !nodes.includes(name));
  return new Map<string, PartyKind>([
    ...clients.map((name): [string, PartyKind] => [name, "client"]),
    ...nodes.map((name): [string, PartyKind] => [name, "node"]),
    ["store", "store"],
    ...sinks.map((name): [string, PartyKind] => [name, "sink"]),
  ]);
}

/** How long after its arrival an operation may begin and still be the request's own. */
const BEGINS_WITHIN_US = 5_000;

/**
 * Finds which operation a client's request began: the trace does not say it. One that was answered
 * is noted right after its operation ended; for the others, the first that began soon after.
 */
function linkOperations(
  trace: readonly TraceEvent[],
  messages: ReadonlyMap<number, Draft>,
  operations: ReadonlyMap<number, Stretch>,
  parties: ReadonlyMap<string, PartyKind>,
): void {
  const taken = new Set<number>();
  const requests = [...messages.values()].filter(({ to }) => parties.get(to) === "node");
  for (const request of requests) {
    const served = request.arrivals[0];
    for (let index = (served?.index ?? 0) - 1; index >= request.sent.index; index -= 1) {
      const event = trace[index];
      if (event === undefined || event.atUs !== served?.atUs) {
        break;
      }
      if (event.type === "ended" && event.node === request.to && !taken.has(event.operation)) {
        request.operation = event.operation;
        taken.add(event.operation);
        break;
      }
    }
  }
  for (const request of requests.filter(({ operation }) => operation === undefined)) {
    const { sent, to } = request;
    const own = [...operations.values()].find(
      ({ id, node, from }) =>
        !taken.has(id) &&
        node === to &&
        from.index > sent.index &&
        from.atUs - sent.atUs <= BEGINS_WITHIN_US,
    );
    if (own !== undefined) {
      request.operation = own.id;
      taken.add(own.id);
    }
  }
}
