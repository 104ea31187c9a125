// The sentences of a story: what is said of an event, and of which nothing is said.

import type { TraceEvent } from "../world/trace.js";
import { describeAsk } from "./ask-words.js";
import { describeFault } from "./fault-words.js";
import { quietMessages } from "./quiet.js";
import { isDown, type Message, type Reading, readTrace, type Stretch } from "./reading.js";
import { createShortener, ordinal, type Shortener } from "./words.js";

/** One sentence. `kind` says what to make of it: reports colour it. */
export interface StoryLine {
  readonly atUs: number;
  readonly kind: "fault" | "effect" | "again" | "other";
  readonly text: string;
}

export type Told = string | Omit<StoryLine, "atUs"> | undefined;

/** What the sentences of a story are made of. */
export interface Telling {
  readonly reading: Reading;
  readonly short: Shortener;
  readonly full: boolean;
  /** Messages that are passed over. */
  readonly quiet: ReadonlySet<number>;
  /** Takeovers that the sentence of a span tells, by the index of their event. */
  readonly takeovers: ReadonlyMap<number, Stretch>;
  /** Whose request began an operation. */
  readonly clientOf: ReadonlyMap<number, string>;
}

/** Prepares to tell a run. */
export function createTelling(trace: readonly TraceEvent[], full: boolean): Telling {
  const reading = readTrace(trace);
  const clientOf = new Map<number, string>();
  for (const { operation, from } of reading.messages.values()) {
    if (operation !== undefined) {
      clientOf.set(operation, from);
    }
  }
  return {
    ...{ reading, full, clientOf, short: createShortener(trace) },
    quiet: full ? new Set() : quietMessages(reading),
    takeovers: full ? new Map() : takeoversOf(reading),
  };
}

/** The sentence for an event, if it is worth one. */
export function tellEvent(telling: Telling, event: TraceEvent, index: number): Told {
  const { reading, short, full, takeovers, clientOf } = telling;
  switch (event.type) {
    case "sent":
    case "arrived":
    case "answered":
    case "lost":
    case "timedOut":
      return tellMessage(telling, event, index);
    case "fault":
      return { kind: "fault", text: describeFault(event.fault) };
    case "node":
      return tellNode(event, index, reading, full);
    case "mended":
      return `${named(reading, event.from)} and ${named(reading, event.to)} reach each other again`;
    case "store":
      return full ? `the store: ${event.change}` : undefined;
    case "began": {
      const client = clientOf.get(event.operation);
      return `${event.node} begins ${event.what}${client === undefined ? "" : ` for ${client}`}`;
    }
    case "ended": {
      const what = reading.operations.get(event.operation)?.what ?? "";
      return `${event.node} ends ${what}: ${short.text(event.what)}`;
    }
    case "effect":
      return tellEffect(event, reading.effects.get(index) ?? 0, short);
    case "span": {
      const takeover = [...takeovers.values()].some(({ id }) => id === event.span);
      const open = reading.spans.get(event.span)?.until === undefined;
      return tellSpan(event, takeover, short, open);
    }
    case "told":
      return tellTold(event, full, takeovers.has(index));
    case "healed":
      return "no more faults from here on: what was cut, down or standing still goes on";
  }
}

/** `the store`, `the bank`, and nodes and clients by their names. */
function named({ parties }: Reading, name: string): string {
  const kind = parties.get(name);
  return kind === "store" || kind === "sink" ? `the ${name}` : name;
}

type MessageEvent = TraceEvent & { readonly message: number };

function tellMessage(telling: Telling, event: MessageEvent, index: number): Told {
  const { reading, quiet, full, short } = telling;
  const message = reading.messages.get(event.message);
  if (message === undefined || quiet.has(message.id)) {
    return undefined;
  }
  const plain = !full && message.faults.length === 0 && message.lost === undefined;
  const from = named(reading, message.from);
  const to = named(reading, message.to);
  const call = `${from}'s ${ordinal(message.nth)} call`;
  switch (event.type) {
    case "sent":
      return tellSent(telling, message, plain);
    case "arrived": {
      const outcome = short.outcome(event.outcome);
      if (event.copy > 0) {
        return `the copy of ${call} reaches ${to}: ${outcome}`;
      }
      const served = reading.parties.get(message.to) === "node";
      return plain || served || tookEffect(reading, index)
        ? undefined
        : `${call} is carried out at ${to}: ${outcome}`;
    }
    case "answered":
      return full ? `${from} has the answer of ${to}` : undefined;
    case "lost": {
      // What a fault of this very call did was told already.
      const own = message.faults.some(({ fault }) => LOSES.has(fault.fault));
      return own ? undefined : `the ${event.leg} of ${call} to ${to} is lost`;
    }
    case "timedOut":
      return `${from} stops waiting for ${to}`;
    default:
      return undefined;
  }
}

function tellSent({ reading, full, short }: Telling, message: Message, plain: boolean): Told {
  const from = named(reading, message.from);
  const to = named(reading, message.to);
  if (reading.parties.get(message.to) === "node") {
    // The sentence of the operation that it began says for whom.
    const told = message.operation !== undefined && !full;
    const down = isDown(reading, message.to, message.sent.atUs);
    return told ? undefined : `${from} asks ${to}${down ? ", which is down" : ""}`;
  }
  const asked = describeAsk(message.ask, short);
  if (message.ask.ask === "call") {
    return `${from} calls ${to}: ${asked}`;
  }
  const [first] = message.arrivals;
  const answer = plain && first !== undefined ? `: ${short.outcome(first.outcome)}` : "";
  return `${from} asks ${to} to ${asked}${answer}`;
}

/** Whether the sentence before said already what came of a call to a sink. */
function tookEffect({ trace }: Reading, index: number): boolean {
  const before = trace[index - 1];
  return before?.type === "effect" && before.atUs === trace[index]?.atUs;
}

/** Faults that say by themselves that the message is lost. */
const LOSES: ReadonlySet<string> = new Set([
  ...["dropRequest", "dropReply", "refuse", "crash", "restartStore", "failover", "disconnect"],
]);

/** What `onEvent` told that a short story repeats; the rest shows in answers and effects. */
const TELLING: ReadonlySet<string> = new Set(["takenOver", "leaseLost", "renewalFailed"]);

function tellNode(
  event: Extract<TraceEvent, { type: "node" }>,
  index: number,
  { trace }: Reading,
  full: boolean,
): Told {
  switch (event.change) {
    case "started": {
      const again = trace
        .slice(0, index)
        .some((each) => each.type === "node" && each.node === event.node);
      return again ? `${event.node} starts anew` : full ? `${event.node} starts` : undefined;
    }
    case "resumed":
      return `${event.node} goes on`;
    default:
      // The fault that did it was told.
      return full ? `${event.node} is ${event.change}` : undefined;
  }
}

function tellEffect(
  event: Extract<TraceEvent, { type: "effect" }>,
  count: number,
  short: Shortener,
): Told {
  const { sink, from, what, fencingToken } = event;
  const token =
    fencingToken === undefined ? "" : ` (fencing token ${short.revision(fencingToken)})`;
  if (!event.accepted) {
    return { kind: "effect", text: `the ${sink} refuses ${what} from ${from}${token}: no effect` };
  }
  const done = sink === "bank" ? "is charged for" : "takes a write of";
  const again = count > 1 && takesOnce(sink);
  const times = again ? ` a ${count === 2 ? "second" : ordinal(count)} time` : "";
  return {
    kind: again ? "again" : "effect",
    text: `the ${sink} ${done} ${what}${times} by ${from}${token}`,
  };
}

/** Whether a second effect of one key is what should not happen; holders of a lock write at will. */
export function takesOnce(sink: string): boolean {
  return sink !== "disk" && sink !== "printer";
}

function tellSpan(
  { what, node, edge, fencingToken }: Extract<TraceEvent, { type: "span" }>,
  takeover: boolean,
  short: Shortener,
  open: boolean,
): Told {
  const [kind = "", ...rest] = what.split(" ");
  const key = rest.join(" ");
  const token =
    fencingToken === undefined ? "" : ` with fencing token ${short.revision(fencingToken)}`;
  const first = takeover ? `${node} takes over and` : node;
  switch (`${kind} ${edge}`) {
    case "handler from":
      return `${first} runs the handler of ${key}${token}${open ? ", which never ends" : ""}`;
    case "handler until":
      return `the handler of ${key} on ${node} ends`;
    case "holds from":
      return `${first} holds ${key}${token}`;
    case "holds until":
      return `${node} no longer holds ${key}${token}`;
    case "step from":
      return `${node} does the step of ${key}`;
    case "step until":
      return undefined;
    default:
      return `${node}: ${what} ${edge === "from" ? "begins" : "ends"}${token}`;
  }
}

function tellTold(
  event: Extract<TraceEvent, { type: "told" }>,
  full: boolean,
  merged: boolean,
): Told {
  if (full) {
    return `${event.node} reports: ${event.what}`;
  }
  return TELLING.has(event.what) && !merged ? `${event.node} reports: ${event.what}` : undefined;
}

/** Takeovers whose span begins at the same moment: one sentence says both. */
function takeoversOf({ trace, spans }: Reading): ReadonlyMap<number, Stretch> {
  const found = new Map<number, Stretch>();
  for (const [index, event] of trace.entries()) {
    if (event.type === "told" && event.what === "takenOver") {
      const span = [...spans.values()].find(
        ({ node, from }) => node === event.node && from.index > index && from.atUs === event.atUs,
      );
      if (span !== undefined) {
        found.set(index, span);
      }
    }
  }
  return found;
}
