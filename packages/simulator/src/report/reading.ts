// A trace put together again: which request, answer, fault and operation belong to each other, and
// which parties there are. The story and the diagram both read it, so that they tell the same.

import type { FaultAt } from "../world/fault-plan.js";
import type { TraceEvent } from "../world/trace.js";
import { linkOperations } from "./linking.js";
import type { Arrival, Message, Moment, PartyKind, Reading, Stretch } from "./parts.js";

export type { Arrival, Message, Moment, PartyKind, Reading, Stretch } from "./parts.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Omit<Message, "arrivals" | "faults">> & {
  arrivals: Arrival[];
  faults: (Moment & { readonly fault: FaultAt })[];
};

/** What is put together while the trace is gone through. */
interface Drafts {
  readonly messages: Map<number, Draft>;
  readonly byCall: Map<string, Draft>;
  readonly operations: Map<number, Mutable<Stretch>>;
  readonly spans: Map<number, Mutable<Stretch>>;
  readonly effects: Map<number, number>;
  /** How many effects each sink accepted of each key. */
  readonly counts: Map<string, number>;
  /** Messages that leave when their sender goes on, by sender. */
  readonly held: Map<string, Draft[]>;
}

/** Reads a trace. */
export function readTrace(trace: readonly TraceEvent[]): Reading {
  const drafts: Drafts = {
    ...{ messages: new Map(), byCall: new Map(), operations: new Map(), spans: new Map() },
    ...{ effects: new Map(), counts: new Map(), held: new Map() },
  };
  for (const [index, event] of trace.entries()) {
    take(drafts, event, { atUs: event.atUs, index });
  }
  const { messages, operations, spans, effects } = drafts;
  const parties = partiesOf(trace);
  for (const [message, operation] of linkOperations({ trace, messages, operations, parties })) {
    const draft = messages.get(message);
    if (draft !== undefined) {
      draft.operation = operation;
    }
  }
  return {
    ...{ trace, messages, operations, spans, parties, effects },
    endUs: trace.at(-1)?.atUs ?? 0,
  };
}

function take(drafts: Drafts, event: TraceEvent, moment: Moment): void {
  const { messages, byCall, operations } = drafts;
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
    case "fault":
      noteFault(drafts, event.fault, moment);
      break;
    case "node":
      noteNode(drafts, event, moment);
      break;
    case "began": {
      const { operation: id, node, what } = event;
      operations.set(id, { id, node, what, from: moment });
      break;
    }
    case "ended": {
      const operation = operations.get(event.operation);
      if (operation !== undefined) {
        operation.until = moment;
        operation.answer = event.what;
      }
      break;
    }
    case "span":
      noteSpan(drafts.spans, event, moment);
      break;
    case "effect":
      noteEffect(drafts, event, moment);
      break;
    default:
  }
}

function noteFault({ byCall, held }: Drafts, fault: FaultAt, moment: Moment): void {
  const struck = byCall.get(`${fault.from} ${fault.to} ${fault.nth}`);
  struck?.faults.push({ ...moment, fault });
  if (struck !== undefined && stopsSender(fault)) {
    held.set(fault.from, [...(held.get(fault.from) ?? []), struck]);
  }
}

function noteNode(
  { held }: Drafts,
  { node, change }: Extract<TraceEvent, { type: "node" }>,
  moment: Moment,
): void {
  if (change === "resumed") {
    for (const draft of held.get(node) ?? []) {
      draft.left = moment;
    }
  }
  if (change === "resumed" || change === "crashed") {
    held.delete(node);
  }
}

function noteEffect(
  { effects, counts }: Drafts,
  { sink, what, accepted }: Extract<TraceEvent, { type: "effect" }>,
  { index }: Moment,
): void {
  if (accepted) {
    const key = `${sink} ${what}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    effects.set(index, count);
  }
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

/** Whether a node is down at a moment. */
export function isDown({ trace }: Reading, node: string, atUs: number): boolean {
  const last = trace
    .filter((event) => event.type === "node" && event.node === node && event.atUs <= atUs)
    .at(-1);
  return last?.type === "node" && last.change === "crashed";
}
