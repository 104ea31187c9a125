// Arrows, bars, dots, shades and marks of a diagram, once every moment has its height.

import type { Reading, Stretch } from "../reading.js";
import { formatUs, type Shortener } from "../words.js";
import { crossX, type Flight } from "./ends.js";
import { isAgain, type Scene } from "./happenings.js";
import { endIndex, OPERATION_STEP, SPAN_STEP } from "./lanes.js";

/** What a violation is about, to be drawn in the colour of attention. Ids are those of the trace. */
export interface Highlight {
  readonly messages?: readonly number[];
  readonly operations?: readonly number[];
  readonly spans?: readonly number[];
  /** Effects by their place among all effects of the run, from 0, as in the history. */
  readonly effects?: readonly number[];
}

export interface Arrow extends Pick<Flight, "leg" | "end" | "held"> {
  readonly message: number;
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
  readonly hot: boolean;
  readonly title: string;
}

export interface Bar {
  readonly kind: "operation" | "span";
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Which fencing token of the run it bears, counted from 0 in their order. */
  readonly token?: number;
  readonly hot: boolean;
  readonly title: string;
}

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly accepted: boolean;
  readonly again: boolean;
  readonly token?: number;
  readonly hot: boolean;
  readonly title: string;
}

export interface Shade {
  readonly kind: "down" | "paused" | "suspended" | "cut";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

export interface Mark {
  readonly kind: "store" | "clock" | "healed";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly title: string;
}

/** A scene whose moments have heights. */
export interface Drawing {
  readonly scene: Scene;
  readonly at: (key: string) => number;
  readonly bottom: number;
  readonly highlight: Highlight;
}

const SHADE_HALF = 13;

export function arrowsOf({ scene, at, highlight }: Drawing): readonly Arrow[] {
  const arrows: Arrow[] = [];
  for (const message of scene.reading.messages.values()) {
    const from = scene.lanes.get(message.from);
    const to = scene.lanes.get(message.to);
    if (from === undefined || to === undefined || scene.quiet.has(message.id)) {
      continue;
    }
    const hot = highlight.messages?.includes(message.id) ?? false;
    for (const flight of scene.ends.get(message.id)?.flights ?? []) {
      const [source, target] = flight.leg === "reply" ? [to, from] : [from, to];
      const lostX = crossX(
        { flights: [flight], reckoned: [] },
        source,
        target,
        flight.leg === "reply" ? "reply" : "request",
      );
      arrows.push({
        ...{ message: message.id, leg: flight.leg, end: flight.end, held: flight.held, hot },
        from: { x: source.x, y: at(flight.from) },
        to: { x: flight.end === "lost" ? lostX : target.x, y: at(flight.to) },
        title: titleOf(scene, flight, message.id),
      });
    }
  }
  return arrows;
}

function titleOf({ reading, short }: Scene, { leg, end, held }: Flight, id: number): string {
  const message = reading.messages.get(id);
  if (message === undefined) {
    return "";
  }
  const { from, to, nth, ask, arrivals, sent } = message;
  const what =
    ask.ask === "call" ? ask.what : `${ask.ask} ${ask.ask === "write" ? ask.write.key : ""}`;
  const outcome = arrivals.map((each) => short.outcome(each.outcome)).join(", then ");
  return [
    `${leg} of call ${nth} of ${from} to ${to}: ${what}`,
    `sent at ${formatUs(sent.atUs)}`,
    ...(outcome === "" ? [] : [outcome]),
    ...(held ? ["late"] : []),
    ...(end === "heeded" ? [] : [end === "lost" ? "lost" : "nobody waits for it"]),
  ].join("; ");
}

export function barsOf({ scene, at, bottom, highlight }: Drawing): readonly Bar[] {
  const { reading, lanes, short } = scene;
  const tokens = tokensOf(reading);
  const bar = (kind: Bar["kind"], stretch: Stretch): Bar[] => {
    const lane = lanes.get(stretch.node);
    const column = (kind === "span" ? lane?.spans : lane?.operations)?.get(stretch.id);
    if (lane === undefined || column === undefined) {
      return [];
    }
    const end = endIndex(reading, stretch);
    const y = at(`e${stretch.from.index}`);
    const height = (end === undefined ? bottom : at(`e${end}`)) - y;
    const hot = (kind === "span" ? highlight.spans : highlight.operations)?.includes(stretch.id);
    const token = stretch.fencingToken;
    return [
      {
        ...{ kind, id: stretch.id, y, height: Math.max(4, height), hot: hot ?? false },
        x:
          kind === "span"
            ? lane.x + 3 + SPAN_STEP * column
            : lane.x - 1 - OPERATION_STEP * (column + 1),
        width: kind === "span" ? SPAN_STEP - 2 : OPERATION_STEP - 2,
        ...(token !== undefined && { token: tokens.indexOf(token) }),
        title: stretchTitle(stretch, short),
      },
    ];
  };
  return [
    ...[...reading.operations.values()].flatMap((each) => bar("operation", each)),
    ...[...reading.spans.values()].flatMap((each) => bar("span", each)),
  ];
}

function stretchTitle(
  { what, node, from, until, answer, fencingToken }: Stretch,
  short: Shortener,
): string {
  const token = fencingToken === undefined ? "" : `, fencing token ${short.revision(fencingToken)}`;
  const end = until === undefined ? "without an end" : `until ${formatUs(until.atUs)}`;
  return `${what} on ${node}${token}, from ${formatUs(from.atUs)} ${end}${answer === undefined ? "" : `: ${answer}`}`;
}

/** All fencing tokens of a run, oldest first. */
function tokensOf({ trace }: Reading): readonly number[] {
  const tokens = trace.flatMap((event) =>
    "fencingToken" in event && event.fencingToken !== undefined ? [event.fencingToken] : [],
  );
  return [...new Set(tokens)].sort((a, b) => a - b);
}

export function dotsOf({ scene, at, highlight }: Drawing): readonly Dot[] {
  const { reading, lanes, short } = scene;
  const tokens = tokensOf(reading);
  const dots: Dot[] = [];
  let effects = 0;
  for (const [index, event] of reading.trace.entries()) {
    if (event.type !== "effect") {
      continue;
    }
    const token = event.fencingToken;
    const again = isAgain(reading, index);
    const told = event.accepted ? (again ? "once too often" : "takes place") : "refused";
    dots.push({
      ...{ x: lanes.get(event.sink)?.x ?? 0, y: at(`e${index}`), accepted: event.accepted, again },
      ...(token !== undefined && { token: tokens.indexOf(token) }),
      hot: again || (highlight.effects?.includes(effects) ?? false),
      title: `${event.what} at the ${event.sink} by ${event.from}${token === undefined ? "" : `, fencing token ${short.revision(token)}`}: ${told}`,
    });
    effects += 1;
  }
  return dots;
}

export function shadesOf({ scene, at, bottom }: Drawing): readonly Shade[] {
  const { reading, lanes } = scene;
  const shades: Shade[] = [];
  for (const [index, event] of reading.trace.entries()) {
    const y = at(`e${index}`);
    if (
      event.type === "node" &&
      (event.change === "crashed" || event.change === "paused" || event.change === "suspended")
    ) {
      const x = lanes.get(event.node)?.x ?? 0;
      const end = reading.trace.findIndex(
        (each, later) => later > index && each.type === "node" && each.node === event.node,
      );
      const height = (end < 0 ? bottom : at(`e${end}`)) - y;
      const kind = event.change === "crashed" ? "down" : event.change;
      shades.push({
        kind,
        x: x - SHADE_HALF,
        y,
        width: 2 * SHADE_HALF,
        height,
        title: `${event.node} is ${kind}`,
      });
    }
    if (event.type === "fault" && event.fault.fault === "cut") {
      const { from, to, forMs } = event.fault;
      const untilUs = Math.min(event.atUs + forMs * 1000, healedUs(reading));
      const end = reading.trace.findIndex(({ atUs }, later) => later > index && atUs >= untilUs);
      const [left, right] = [lanes.get(from)?.x ?? 0, lanes.get(to)?.x ?? 0].sort((a, b) => a - b);
      const height = (end < 0 ? bottom : firstDrawn(reading, end, at, bottom)) - y;
      const title = `messages between ${from} and ${to} are lost`;
      shades.push({
        kind: "cut",
        x: left ?? 0,
        y,
        width: (right ?? 0) - (left ?? 0),
        height,
        title,
      });
    }
  }
  return shades;
}

function healedUs({ trace }: Reading): number {
  return trace.find(({ type }) => type === "healed")?.atUs ?? Number.POSITIVE_INFINITY;
}

/** The height of the first event from there on that is drawn at all. */
function firstDrawn(
  { trace }: Reading,
  from: number,
  at: (key: string) => number,
  bottom: number,
): number {
  for (let index = from; index < trace.length; index += 1) {
    const y = at(`e${index}`);
    if (y !== bottom) {
      return y;
    }
  }
  return bottom;
}

export function marksOf({ scene, at }: Drawing): readonly Mark[] {
  const { reading, lanes } = scene;
  const marks: Mark[] = [];
  const xs = [...lanes.values()].map(({ x }) => x);
  for (const [index, event] of reading.trace.entries()) {
    const y = at(`e${index}`);
    if (event.type === "store") {
      const x = lanes.get("store")?.x ?? 0;
      marks.push({
        kind: "store",
        x: x - SHADE_HALF,
        y,
        width: 2 * SHADE_HALF,
        title: `the store: ${event.change}`,
      });
    } else if (event.type === "fault" && event.fault.fault === "jumpClock") {
      const x = lanes.get(event.fault.from)?.x ?? 0;
      marks.push({
        kind: "clock",
        x: x - SHADE_HALF,
        y,
        width: 2 * SHADE_HALF,
        title: "its wall clock jumps",
      });
    } else if (event.type === "healed") {
      const x = Math.min(...xs) - 20;
      marks.push({
        kind: "healed",
        x,
        y,
        width: Math.max(...xs) + 20 - x,
        title: "no more faults from here on",
      });
    }
  }
  return marks;
}
