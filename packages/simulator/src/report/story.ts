// A run as a story: one plain sentence with its time per thing that matters, for people who read a
// violation. The short one leaves out what went as it always goes.

import type { TraceEvent } from "../world/trace.js";
import { describeAsk } from "./ask-words.js";
import { describeFault } from "./fault-words.js";
import { quietMessages } from "./quiet.js";
import { isDown, type Message, type Reading, readTrace, type Stretch } from "./reading.js";
import { createShortener, formatUs, ordinal, type Shortener } from "./words.js";

export { describeFault, describePlan } from "./fault-words.js";

export interface StoryOptions {
  /** @defaultValue "short" */
  readonly detail?: "short" | "full";
}

/** One sentence. `kind` says what to make of it: reports colour it. */
export interface StoryLine {
  readonly atUs: number;
  readonly kind: "fault" | "effect" | "again" | "other";
  readonly text: string;
}

/** Tells a run, one line per sentence, with times since its start. */
export function tellStory(trace: readonly TraceEvent[], options: StoryOptions = {}): string {
  const lines = storyLines(trace, options);
  const width = Math.max(0, ...lines.map(({ atUs }) => formatUs(atUs).length));
  return lines
    .map(({ atUs, kind, text }) => {
      const mark = kind === "fault" ? "✗ " : kind === "again" ? "‼ " : "  ";
      return `${formatUs(atUs).padStart(width)}  ${mark}${text}`;
    })
    .join("\n");
}

/** The sentences of `tellStory`. */
export function storyLines(
  trace: readonly TraceEvent[],
  options: StoryOptions = {},
): readonly StoryLine[] {
  const reading = readTrace(trace);
  const teller = createTeller(reading, createShortener(trace), options.detail ?? "short");
  const lines: StoryLine[] = [];
  for (const [index, event] of trace.entries()) {
    const told = teller(event, index);
    if (told !== undefined) {
      const line = typeof told === "string" ? { kind: "other" as const, text: told } : told;
      lines.push({ atUs: event.atUs, ...line });
    }
  }
  return lines;
}

type Told = string | Omit<StoryLine, "atUs"> | undefined;
type Teller = (event: TraceEvent, index: number) => Told;

function createTeller(reading: Reading, short: Shortener, detail: "short" | "full"): Teller {
  const full = detail === "full";
  const { messages, operations, parties, spans } = reading;
  const the = (name: string): string => {
    const kind = parties.get(name);
    return kind === "store" || kind === "sink" ? `the ${name}` : name;
  };
  const clientOf = new Map<number, Message>();
  for (const message of messages.values()) {
    if (message.operation !== undefined) {
      clientOf.set(message.operation, message);
    }
  }
  const quiet = full ? new Set<number>() : quietMessages(reading);
  const takeovers = full ? new Map<number, Stretch>() : takeoversOf(reading);

  const tellMessage = (event: TraceEvent & { readonly message: number }, index: number): Told => {
    const message = messages.get(event.message);
    if (message === undefined || quiet.has(message.id)) {
      return undefined;
    }
    const plain = !full && message.faults.length === 0 && message.lost === undefined;
    const from = the(message.from);
    const to = the(message.to);
    switch (event.type) {
      case "sent":
        return tellSent(message, plain);
      case "arrived": {
        const { copy } = event;
        const outcome = short.outcome(event.outcome);
        if (copy > 0) {
          return `the copy of ${from}'s ${ordinal(message.nth)} call reaches ${to}: ${outcome}`;
        }
        const shown = plain || parties.get(message.to) === "node" || tookEffect(reading, index);
        return shown
          ? undefined
          : `${to} has carried out ${from}'s ${ordinal(message.nth)} call: ${outcome}`;
      }
      case "answered":
        return full ? `${from} has the answer of ${to}` : undefined;
      case "lost": {
        // What a fault of this very call did was told already.
        const own = message.faults.some(({ fault }) => LOSES.has(fault.fault));
        const leg = event.leg === "request" ? "request" : "reply";
        return own
          ? undefined
          : `the ${leg} of ${from}'s ${ordinal(message.nth)} call to ${to} is lost`;
      }
      case "timedOut":
        return `${from} stops waiting for ${to}`;
      default:
        return undefined;
    }
  };

  const tellSent = (message: Message, plain: boolean): Told => {
    const from = the(message.from);
    const to = the(message.to);
    if (parties.get(message.to) === "node") {
      if (message.operation !== undefined && !full) {
        return undefined;
      }
      const down = isDown(reading, message.to, message.sent.atUs);
      return `${from} asks ${to}${down ? ", which is down" : ""}`;
    }
    const call = message.ask.ask === "call" ? "call" : "ask";
    const asked =
      call === "call"
        ? `${from} calls ${to}: ${describeAsk(message.ask, short)}`
        : `${from} asks ${to} to ${describeAsk(message.ask, short)}`;
    const [first] = message.arrivals;
    return plain && call === "ask" && first !== undefined
      ? `${asked}: ${short.outcome(first.outcome)}`
      : asked;
  };

  return (event, index) => {
    switch (event.type) {
      case "sent":
      case "arrived":
      case "answered":
      case "lost":
      case "timedOut":
        return tellMessage(event, index);
      case "fault":
        return { kind: "fault", text: describeFault(event.fault) };
      case "node":
        return tellNode(event, index, reading, full);
      case "mended":
        return `${the(event.from)} and ${the(event.to)} reach each other again`;
      case "store":
        return full ? `the store: ${event.change}` : undefined;
      case "began": {
        const client = clientOf.get(event.operation);
        const by = client === undefined ? "" : ` for ${client.from}`;
        return `${event.node} begins ${event.what}${by}`;
      }
      case "ended": {
        const what = operations.get(event.operation)?.what ?? "";
        return `${event.node} ends ${what}: ${short.text(event.what)}`;
      }
      case "effect":
        return tellEffect(event, reading.effects.get(index) ?? 0, short);
      case "span": {
        const takeover = [...takeovers.values()].some(({ id }) => id === event.span);
        return tellSpan(event, takeover, short, spans.get(event.span)?.until === undefined);
      }
      case "told":
        return tellTold(event, full, takeovers.has(index));
      case "healed":
        return "no more faults from here on: what was cut, down or standing still goes on";
    }
  };
}

/** Whether the sentence before said already what came of a call to a sink. */
function tookEffect({ trace }: Reading, index: number): boolean {
  const before = trace[index - 1];
  return before?.type === "effect" && before.atUs === trace[index]?.atUs;
}

/** Faults that say by themselves that the message is lost. */
const LOSES: ReadonlySet<string> = new Set([
  ...["dropRequest", "dropReply", "refuse", "crash", "restartStore", "failover"],
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
