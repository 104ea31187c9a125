// Gives every happening its height: downwards in the order of time, close together where much
// happens and with a mark where nothing does, and so far apart that no two labels meet.

import { formatGap } from "../words.js";
import { TIME_COLUMN } from "./lanes.js";
import { clipped, textWidth } from "./text.js";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where a label may stand: beside `x`, with its baseline `dy` below the happening. */
export interface Place {
  readonly side: "left" | "right";
  readonly x: number;
  readonly dy: number;
}

export interface LabelWish {
  readonly text: string;
  readonly style: LabelStyle;
  /** The first that is free is taken. */
  readonly places: readonly Place[];
  /** Takes the whole width: nothing else stands at its height. */
  readonly row?: boolean;
}

export type LabelStyle =
  | "ask"
  | "answer"
  | "fault"
  | "operation"
  | "span"
  | "effect"
  | "again"
  | "note"
  | "time"
  | "gap"
  | "name";

/** Something that is drawn at a moment. */
export interface Happening {
  readonly key: string;
  readonly atUs: number;
  /** Its place among those of the same time. */
  readonly order: number;
  /** How far below the happening before it must be, in px. */
  readonly drop?: number;
  readonly labels: readonly LabelWish[];
  /** What no label may cover, around this x: a dot, a cross. */
  readonly blots?: readonly { readonly x: number; readonly radius: number }[];
}

export interface Label {
  readonly text: string;
  readonly style: LabelStyle;
  readonly anchor: "start" | "middle" | "end";
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly box: Box;
}

export interface Swept {
  readonly yOf: ReadonlyMap<string, number>;
  readonly labels: readonly Label[];
  readonly gaps: readonly { readonly y: number; readonly height: number; readonly us: number }[];
  readonly bottom: number;
}

const LABEL_ABOVE = 10;
const LABEL_HEIGHT = 14;
const GAP_US = 50_000;
const GAP_PX = 38;
const LEAST_TIME_PX = 14;
/** No label and no blot reaches further above its happening. */
const REACH_PX = 20;

/** Places all happenings below `top`; `right` is as far as rows reach. */
export function sweep(unordered: readonly Happening[], top: number, right: number): Swept {
  const happenings = [...unordered].sort((a, b) => a.atUs - b.atUs || a.order - b.order);
  const yOf = new Map<string, number>();
  const labels: Label[] = [];
  /** What still reaches down to where the next happenings may write. */
  let taken: Box[] = [];
  const gaps: { y: number; height: number; us: number }[] = [];
  let y = top;
  let us = happenings[0]?.atUs ?? 0;
  let timeY = Number.NEGATIVE_INFINITY;
  labels.push(columnLabel("ms", "time", top - 28));
  for (const happening of happenings) {
    const passedUs = happening.atUs - us;
    if (passedUs > GAP_US) {
      gaps.push({ y: y + 8, height: GAP_PX - 16, us: passedUs });
      labels.push(gapLabel(y + GAP_PX / 2, passedUs));
      timeY = y + GAP_PX / 2;
      y += GAP_PX;
    } else {
      y += stepPx(passedUs);
    }
    y += happening.drop ?? 0;
    const placed = place(happening, y, taken, right);
    y = placed.y;
    us = happening.atUs;
    yOf.set(happening.key, y);
    labels.push(...placed.labels);
    const reach = y - REACH_PX;
    taken = [...taken, ...placed.boxes].filter((box) => box.y + box.height > reach);
    if (y - timeY >= LEAST_TIME_PX) {
      labels.push(timeLabel(y, us));
      timeY = y;
    }
  }
  const bottom = Math.max(y, ...labels.map(({ box }) => box.y + box.height));
  return { yOf, labels, gaps, bottom };
}

/** How far apart two moments are drawn: a little more for a longer time, never to scale. */
function stepPx(us: number): number {
  return us === 0 ? 0 : us <= 300 ? 7 : us <= 1_000 ? 10 : us <= 5_000 ? 14 : 18;
}

/** A label's first place is worth a little more height; then any place will do. */
const FIRST_PLACE_PX = 16;

/** Finds the first height from `y` on where each label has a free place. */
function place(
  { labels, blots = [] }: Happening,
  from: number,
  taken: readonly Box[],
  right: number,
): { readonly y: number; readonly labels: readonly Label[]; readonly boxes: readonly Box[] } {
  const sized = labels.map((wish) => {
    const shown = clipped(wish.text);
    return { wish, shown, width: textWidth(shown) };
  });
  for (let y = from; ; y += 1) {
    const found: Label[] = [];
    const boxes = blots.map(({ x, radius }) => around(x, y, radius));
    const own = boxes.length;
    const fits = sized.every((each) => {
      const { places } = each.wish;
      const label = (y - from < FIRST_PLACE_PX ? places.slice(0, 1) : places)
        .map((at) => labelAt(each, at, y, right))
        .find(
          ({ box }) =>
            box.x >= TIME_COLUMN &&
            ![...taken, ...boxes.slice(own)].some((other) => overlap(box, other)),
        );
      if (label !== undefined) {
        found.push(label);
        boxes.push(label.box);
      }
      return label !== undefined;
    });
    const clear = !boxes.slice(0, own).some((box) => taken.some((other) => overlap(box, other)));
    if ((fits && clear) || y > from + MOST_PX) {
      return { y, labels: found, boxes };
    }
  }
}

/** All that was placed lies above this; only a label with no place at all would search further. */
const MOST_PX = 400;

function around(x: number, y: number, radius: number): Box {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}

interface Sized {
  readonly wish: LabelWish;
  readonly shown: string;
  readonly width: number;
}

function labelAt({ wish, shown, width }: Sized, at: Place, y: number, right: number): Label {
  const { style, row } = wish;
  const baseline = y + at.dy;
  const x = at.side === "right" ? at.x : at.x - width;
  const box = { x, y: baseline - LABEL_ABOVE, width, height: LABEL_HEIGHT };
  return {
    ...{ text: shown, style, x: at.x, y: baseline },
    anchor: at.side === "right" ? "start" : "end",
    box:
      row === true ? { ...box, x: TIME_COLUMN, width: Math.max(width, right - TIME_COLUMN) } : box,
  };
}

function timeLabel(y: number, us: number): Label {
  const ms = us / 1000;
  const text = ms.toFixed(ms < 1000 ? 1 : 0).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return columnLabel(text, "time", y);
}

function gapLabel(y: number, us: number): Label {
  return columnLabel(`⋯ ${formatGap(us)}`, "gap", y);
}

function columnLabel(text: string, style: LabelStyle, y: number): Label {
  const width = textWidth(text);
  const x = TIME_COLUMN - 10;
  const box = { x: x - width, y: y + 4 - LABEL_ABOVE, width, height: LABEL_HEIGHT };
  return { text, style, anchor: "end", x, y: y + 4, box };
}

export function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
