// A run as a space-time diagram: lanes for who takes part, time downwards, one self-contained SVG.

import type { TraceEvent } from "../world/trace.js";
import type { Lane } from "./diagram/lanes.js";
import { type DiagramOptions, type Layout, layOutDiagram } from "./diagram/layout.js";
import type { Arrow, Bar, Dot } from "./diagram/shapes.js";
import { DIAGRAM_CLASS, DIAGRAM_STYLE } from "./diagram/style.js";
import type { Label } from "./diagram/sweep.js";
import { escapeXml } from "./diagram/text.js";

export { type DiagramOptions, type Layout, layOutDiagram } from "./diagram/layout.js";
export type { Highlight } from "./diagram/shapes.js";

/** Draws a run as SVG. It brings its colours, dark and light, and loads nothing. */
export function drawDiagram(trace: readonly TraceEvent[], options: DiagramOptions = {}): string {
  return renderLayout(layOutDiagram(trace, options), options.style !== "none");
}

function renderLayout(layout: Layout, styled: boolean): string {
  const { width, height, title, lanes, gaps, shades, marks, arrows, bars, dots, labels } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${DIAGRAM_CLASS}" role="img"`,
    ` viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` aria-label="${escapeXml(title)}"><desc>${escapeXml(title)}</desc>`,
    ...(styled ? [`<style>${DIAGRAM_STYLE}</style>`] : []),
    ...lanes.map((lane) => renderLane(lane, layout)),
    ...gaps.map(({ y, height: tall }) => renderGap(y, tall, layout)),
    ...shades.map(({ kind, title: told, ...box }) => rect(`shade ${kind}`, box, told)),
    ...marks.map(
      ({ kind, x, y, width: wide, title: told }) =>
        `<g>${titled(told)}<path class="${kind === "healed" ? "healed" : "mark"}" d="M${n(x)} ${n(y)}h${n(wide)}"/></g>`,
    ),
    ...bars.map(renderBar),
    ...arrows.map(renderArrow),
    ...dots.map(renderDot),
    ...labels.map(renderLabel),
    "</svg>",
  ].join("\n");
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Numbers with at most a tenth: shorter, and the same on every machine. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function titled(text: string): string {
  return `<title>${escapeXml(text)}</title>`;
}

function rect(classes: string, { x, y, width, height }: Rect, title: string): string {
  return (
    `<rect class="${classes}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="1.5">` +
    `${titled(title)}</rect>`
  );
}

function renderLane({ name, kind, x }: Lane, { top, bottom }: Layout): string {
  return `<g>${titled(`${kind} ${name}`)}<path class="lane" d="M${n(x)} ${n(top)}V${n(bottom)}"/></g>`;
}

function renderGap(y: number, height: number, { lanes }: Layout): string {
  const xs = lanes.map(({ x }) => x);
  const left = Math.min(...xs) - 20;
  const width = Math.max(...xs) + 20 - left;
  const lines = lanes.map(({ x }) => `<path class="breakline" d="M${n(x)} ${n(y)}v${n(height)}"/>`);
  return `${rect("break", { x: left, y, width, height }, "nothing happens here")}${lines.join("")}`;
}

function renderBar({ kind, token, hot, title, ...box }: Bar): string {
  const colour = token === undefined ? "" : ` t${token % 5}`;
  return rect(`bar ${kind}-bar${colour}${hot ? " hot" : ""}`, box, title);
}

function renderDot({ x, y, accepted, again, token, hot, title }: Dot): string {
  const colour = token === undefined ? "" : ` t${token % 5}`;
  const classes = `dot${colour}${accepted ? "" : " refused"}${hot ? " hot" : ""}`;
  const ring = again ? `<circle class="ring" cx="${n(x)}" cy="${n(y)}" r="9"/>` : "";
  return `<g>${titled(title)}<circle class="${classes}" cx="${n(x)}" cy="${n(y)}" r="5"/>${ring}</g>`;
}

const HEAD = 8;

function renderArrow({ message, leg, end, held, hot, from, to, title }: Arrow): string {
  const classes = `arrow ${leg}${held ? " held" : ""}${end === "lost" ? " lost" : ""}${hot ? " hot" : ""}`;
  const line = `<path d="M${n(from.x)} ${n(from.y)}L${n(to.x)} ${n(to.y)}"/>`;
  return (
    `<g class="${classes}" data-message="${message}" data-leg="${leg}" data-end="${end}">` +
    `${titled(title)}${line}${renderEnd(end, from, to)}</g>`
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function renderEnd(end: Arrow["end"], from: Point, { x, y }: Point): string {
  switch (end) {
    case "lost":
      return `<path class="cross" d="M${n(x - 5)} ${n(y - 5)}l10 10m0 -10l-10 10"/>`;
    case "unheeded":
      return `<circle class="hollow" cx="${n(x)}" cy="${n(y)}" r="3.5"/>`;
    case "heeded": {
      const length = Math.hypot(x - from.x, y - from.y) || 1;
      const [ux, uy] = [(x - from.x) / length, (y - from.y) / length];
      const [bx, by] = [x - ux * HEAD, y - uy * HEAD];
      const half = HEAD * 0.42;
      return (
        `<path class="head" d="M${n(x)} ${n(y)}L${n(bx - uy * half)} ${n(by + ux * half)}` +
        `L${n(bx + uy * half)} ${n(by - ux * half)}z"/>`
      );
    }
  }
}

function renderLabel({ text, style, anchor, x, y }: Label): string {
  return `<text class="${style}" x="${n(x)}" y="${n(y)}" text-anchor="${anchor}">${escapeXml(text)}</text>`;
}
