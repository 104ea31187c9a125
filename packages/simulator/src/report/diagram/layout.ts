// A diagram as numbers: every lane, arrow, bar, dot, shade and label with its place, so that tests
// can check what a drawing would hide.

import type { TraceEvent } from "../../world/trace.js";
import { quietMessages } from "../quiet.js";
import { type Reading, readTrace } from "../reading.js";
import { createShortener, formatUs } from "../words.js";
import { endsOfAll, happeningsOf, type Scene } from "./happenings.js";
import { createLanes, type Lane } from "./lanes.js";
import {
  type Arrow,
  arrowsOf,
  type Bar,
  barsOf,
  type Dot,
  type Drawing,
  dotsOf,
  type Highlight,
  type Mark,
  marksOf,
  type Shade,
  shadesOf,
} from "./shapes.js";
import { type Label, type Swept, sweep } from "./sweep.js";

export interface DiagramOptions {
  /** `short` leaves out messages without news: polls, renewals. @defaultValue "full" */
  readonly detail?: "short" | "full";
  readonly highlight?: Highlight;
  /** `none` leaves its style sheet to the page. @defaultValue "own" */
  readonly style?: "own" | "none";
  /** What the diagram shows, for those who do not see it. @defaultValue a count of what is in it */
  readonly title?: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  readonly title: string;
  readonly lanes: readonly Lane[];
  readonly labels: readonly Label[];
  readonly gaps: Swept["gaps"];
  readonly arrows: readonly Arrow[];
  readonly bars: readonly Bar[];
  readonly dots: readonly Dot[];
  readonly shades: readonly Shade[];
  readonly marks: readonly Mark[];
}

const TOP = 52;
const MARGIN = 16;

/** Lays a diagram out. */
export function layOutDiagram(trace: readonly TraceEvent[], options: DiagramOptions = {}): Layout {
  const reading = readTrace(trace);
  const full = options.detail !== "short";
  const lanes = createLanes(reading);
  const short = createShortener(trace);
  const quiet = full ? new Set<number>() : quietMessages(reading);
  const scene: Scene = { reading, short, lanes, quiet, full, ends: endsOfAll(reading) };
  const right = Math.max(0, ...[...lanes.values()].map(({ x }) => x)) + MARGIN;
  const swept = sweep(happeningsOf(scene), TOP, right);
  const bottom = swept.bottom + 10;
  const at = (key: string): number => swept.yOf.get(key) ?? bottom;
  const names = [...lanes.values()].flatMap((lane) => [
    nameLabel(lane, 24),
    nameLabel(lane, bottom + 22),
  ]);
  const labels = [...names, ...swept.labels];
  const edges = labels.map(({ box }) => box.x + box.width);
  const drawing: Drawing = { scene, at, bottom, highlight: options.highlight ?? {} };
  return {
    ...{ top: TOP - 14, bottom, labels, gaps: swept.gaps, lanes: [...lanes.values()] },
    title: options.title ?? describe(reading),
    width: Math.ceil(Math.max(right, ...edges) + MARGIN),
    height: Math.ceil(bottom + 34),
    arrows: arrowsOf(drawing),
    bars: barsOf(drawing),
    dots: dotsOf(drawing),
    shades: shadesOf(drawing),
    marks: marksOf(drawing),
  };
}

function describe({ messages, operations, trace, parties, endUs }: Reading): string {
  const faults = trace.filter(({ type }) => type === "fault").length;
  const effects = trace.filter(({ type }) => type === "effect").length;
  return (
    `Space-time diagram of a run of ${formatUs(endUs)} between ${[...parties.keys()].join(", ")}: ` +
    `${operations.size} operations, ${messages.size} messages, ${effects} effects, ${faults} faults.`
  );
}

function nameLabel({ shown, shownWidth: width, x }: Lane, y: number): Label {
  const box = { x: x - width / 2, y: y - 12, width, height: 16 };
  return { text: shown, style: "name", anchor: "middle", x, y, box };
}
