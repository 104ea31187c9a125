// Where the lanes of a diagram stand: clients, nodes, the store, sinks, from left to right, each as
// far from the next as its labels need.

import type { PartyKind, Reading, Stretch } from "../reading.js";
import { clipped, textWidth } from "./text.js";

export interface Lane {
  readonly name: string;
  /** The name as it is shown, and how wide that is. */
  readonly shown: string;
  readonly shownWidth: number;
  readonly kind: PartyKind;
  readonly x: number;
  /** How far its bars reach to either side. */
  readonly left: number;
  readonly right: number;
  /** The columns of its operations and spans, by id. */
  readonly operations: ReadonlyMap<number, number>;
  readonly spans: ReadonlyMap<number, number>;
}

/** The column of times ends here; nothing else is drawn left of it. */
export const TIME_COLUMN = 86;
/** An operation's bar and what it takes, left of the lane; a span's, right of it. */
export const OPERATION_STEP = 6;
export const SPAN_STEP = 10;

const GAP_AFTER: Readonly<Record<PartyKind, number>> = {
  client: 64,
  node: 158,
  store: 168,
  sink: 168,
};
const GAP_BEFORE_NODES = 112;

/** Lanes of all parties that do something. */
export function createLanes(reading: Reading): ReadonlyMap<string, Lane> {
  const busy = busyParties(reading);
  const lanes = new Map<string, Lane>();
  let before: Lane | undefined;
  for (const [name, kind] of reading.parties) {
    if (!busy.has(name)) {
      continue;
    }
    const operations = columns(reading, reading.operations.values(), name);
    const spans = columns(reading, reading.spans.values(), name);
    const left = 3 + OPERATION_STEP * wide(operations);
    const right = 3 + SPAN_STEP * wide(spans);
    const shown = clipped(name);
    // Names are set larger and bold.
    const shownWidth = textWidth(shown) * 1.12 + 4;
    const half = shownWidth / 2 + 6;
    const lane: Lane = {
      ...{ name, shown, shownWidth, kind, left, right, operations, spans },
      x: before === undefined ? TIME_COLUMN + half + 8 : before.x + gap(before, kind, left, half),
    };
    lanes.set(name, lane);
    before = lane;
  }
  return lanes;
}

function gap(before: Lane, kind: PartyKind, left: number, half: number): number {
  const least = before.kind === "client" && kind !== "client" ? GAP_BEFORE_NODES : 0;
  const names = before.shownWidth / 2 + half + 6;
  return Math.max(names, least + left, GAP_AFTER[before.kind] + before.right + left);
}

/** Who sent, was asked, failed, or did something of its own; who only started is left out. */
function busyParties({ trace }: Reading): ReadonlySet<string> {
  const busy = new Set<string>();
  for (const event of trace) {
    switch (event.type) {
      case "sent":
        busy.add(event.from).add(event.to);
        break;
      case "node":
        if (event.change !== "started") {
          busy.add(event.node);
        }
        break;
      case "began":
      case "span":
      case "told":
        busy.add(event.node);
        break;
      case "effect":
        busy.add(event.sink);
        break;
      case "store":
        busy.add("store");
        break;
      default:
    }
  }
  return busy;
}

/** The last moment of a stretch: its own, or its node's crash; undefined if it never ended. */
export function endIndex({ trace }: Reading, stretch: Stretch): number | undefined {
  if (stretch.until !== undefined) {
    return stretch.until.index;
  }
  const crash = trace.findIndex(
    (event, index) =>
      index > stretch.from.index &&
      event.type === "node" &&
      event.node === stretch.node &&
      event.change === "crashed",
  );
  return crash < 0 ? undefined : crash;
}

/** Gives stretches that overlap columns of their own. */
function columns(
  reading: Reading,
  stretches: Iterable<Stretch>,
  node: string,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const ends: number[] = [];
  for (const stretch of stretches) {
    if (stretch.node !== node) {
      continue;
    }
    const end = endIndex(reading, stretch) ?? Number.POSITIVE_INFINITY;
    const free = ends.findIndex((each) => each < stretch.from.index);
    const column = free < 0 ? ends.length : free;
    ends[column] = end;
    found.set(stretch.id, column);
  }
  return found;
}

function wide(of: ReadonlyMap<number, number>): number {
  return of.size === 0 ? 0 : Math.max(...of.values()) + 1;
}
