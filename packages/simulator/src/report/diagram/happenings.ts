// What of a trace is drawn, and what is written beside it.

import type { FaultAt } from "../../world/fault-plan.js";
import type { TraceEvent } from "../../world/trace.js";
import { labelAsk } from "../ask-words.js";
import type { Message, Reading } from "../reading.js";
import { takesOnce } from "../sentences.js";
import { formatGap, ordinal, type Shortener } from "../words.js";
import { crossX, type Ends, endsOf } from "./ends.js";
import type { Lane } from "./lanes.js";
import type { Happening, LabelStyle, LabelWish, Place } from "./sweep.js";

export interface Scene {
  readonly reading: Reading;
  readonly short: Shortener;
  readonly lanes: ReadonlyMap<string, Lane>;
  /** Messages that are left out. */
  readonly quiet: ReadonlySet<number>;
  readonly ends: ReadonlyMap<number, Ends>;
  readonly full: boolean;
}

export const DOT_RADIUS = 6;
const LOST_DROP = 13;

/** All happenings of a scene. */
export function happeningsOf(scene: Scene): readonly Happening[] {
  const found: Happening[] = [];
  for (const [index, event] of scene.reading.trace.entries()) {
    const happening = happeningOf(scene, event, index);
    if (happening !== undefined) {
      found.push({ key: `e${index}`, atUs: event.atUs, order: index, ...happening });
    }
  }
  for (const [id, ends] of scene.ends) {
    if (!scene.quiet.has(id)) {
      // Moments that the trace does not name come after all that it names for their time.
      for (const { key, atUs } of ends.reckoned) {
        found.push({ key, atUs, order: scene.reading.trace.length + id, labels: [] });
      }
    }
  }
  return found;
}

/** Which ends the arrows of each message have. */
export function endsOfAll(reading: Reading): ReadonlyMap<number, Ends> {
  return new Map([...reading.messages.values()].map((each) => [each.id, endsOf(reading, each)]));
}

type Drawn = Omit<Happening, "key" | "atUs" | "order"> | undefined;

function happeningOf(scene: Scene, event: TraceEvent, index: number): Drawn {
  switch (event.type) {
    case "sent":
    case "arrived":
    case "answered":
    case "lost":
    case "timedOut": {
      const message = scene.reading.messages.get(event.message);
      return message === undefined || scene.quiet.has(message.id)
        ? undefined
        : drawMessage(scene, event, message);
    }
    case "fault":
      return drawFault(scene, event.fault);
    case "node":
      return drawNode(scene, event, index);
    case "mended":
      return { labels: [] };
    case "store":
      return beside(scene, "store", event.change, "fault");
    case "began":
      return beside(
        scene,
        event.node,
        withoutAlgorithm(event.what),
        "operation",
        ["left", "right"],
        12,
      );
    case "ended":
      return beside(
        scene,
        event.node,
        `→ ${scene.short.text(event.what)}`,
        "operation",
        ["left", "right"],
        -4,
      );
    case "effect":
      return drawEffect(scene, event, index);
    case "span":
      return event.edge === "until"
        ? { labels: [] }
        : beside(
            scene,
            event.node,
            withToken(scene, event.what, event.fencingToken),
            "span",
            ["right", "left"],
            13,
          );
    case "told":
      return drawTold(scene, event);
    case "healed":
      return drawRow(scene, "no more faults from here on");
  }
}

function drawMessage(
  scene: Scene,
  event: Extract<TraceEvent, { readonly message: number }>,
  message: Message,
): Drawn {
  const { lanes, reading, short } = scene;
  const [from, to] = [lanes.get(message.from), lanes.get(message.to)];
  if (from === undefined || to === undefined) {
    return undefined;
  }
  const near = to.x > from.x ? "right" : "left";
  const far = near === "right" ? "left" : "right";
  switch (event.type) {
    case "sent": {
      const text = reading.parties.get(message.to) === "node" ? "" : labelAsk(message.ask, short);
      return text === "" ? { labels: [] } : beside(scene, from.name, text, "ask", [near, far], -4);
    }
    case "arrived": {
      const told = event.copy > 0 ? `again: ${event.outcome}` : event.outcome;
      const shown = to.kind === "store" || (to.kind === "sink" && !hasEffect(reading, event));
      return shown
        ? beside(scene, to.name, short.outcome(told), "answer", [near, far])
        : { labels: [] };
    }
    case "lost": {
      const x = crossX(scene.ends.get(message.id), from, to, event.leg);
      return {
        labels: [wish(lossText(message), "fault", [at(x + 10, "right", 4), at(x - 10, "left", 4)])],
        blots: [{ x, radius: DOT_RADIUS }],
        drop: LOST_DROP,
      };
    }
    case "timedOut":
      return beside(scene, from.name, "waits no longer", "note", [near, far]);
    default:
      return { labels: [] };
  }
}

function hasEffect({ trace }: Reading, arrived: TraceEvent): boolean {
  const index = trace.indexOf(arrived);
  const before = trace[index - 1];
  return before?.type === "effect" && before.atUs === arrived.atUs;
}

function lossText({ lost, faults }: Message): string {
  const refused = faults.some(({ fault }) => fault.fault === "refuse");
  return refused ? "refused" : `${lost?.leg ?? "request"} lost`;
}

/** Faults whose consequence is labelled by the event that follows need no label of their own. */
function drawFault(scene: Scene, fault: FaultAt): Drawn {
  const near = (text: string, side: Place["side"] = "right"): Drawn =>
    beside(scene, fault.from, text, "fault", [side, other(side)]);
  switch (fault.fault) {
    case "holdRequest":
      return near(`held for ${formatGap(fault.forMs * 1000)}`);
    case "holdReply":
      return beside(scene, fault.to, `reply held for ${formatGap(fault.forMs * 1000)}`, "fault");
    case "duplicate":
      return near("sent twice");
    case "jumpClock":
      return near(
        `wall clock ${fault.byMs < 0 ? "−" : "+"}${formatGap(Math.abs(fault.byMs) * 1000)}`,
      );
    case "cut":
      return near(
        { requests: `cut off from ${fault.to}`, replies: "replies cut off", both: "cut off" }[
          fault.legs
        ],
      );
    default:
      return { labels: [] };
  }
}

function drawNode(
  scene: Scene,
  { node, change }: Extract<TraceEvent, { type: "node" }>,
  index: number,
): Drawn {
  switch (change) {
    case "started": {
      const again = scene.reading.trace
        .slice(0, index)
        .some((each) => each.type === "node" && each.node === node);
      return again ? beside(scene, node, "starts anew", "note", ["left", "right"]) : { labels: [] };
    }
    case "crashed":
      return beside(scene, node, "crashes", "fault", ["left", "right"]);
    case "resumed":
      return beside(scene, node, "goes on", "note", ["left", "right"]);
    default:
      return beside(scene, node, change, "fault", ["left", "right"]);
  }
}

function drawEffect(
  scene: Scene,
  event: Extract<TraceEvent, { type: "effect" }>,
  index: number,
): Drawn {
  const lane = scene.lanes.get(event.sink);
  if (lane === undefined) {
    return undefined;
  }
  const again = isAgain(scene.reading, index);
  const count = scene.reading.effects.get(index) ?? 0;
  const text = withToken(scene, event.what, event.fencingToken);
  const told = again
    ? `✗ ${text}, the ${ordinal(count)} time`
    : event.accepted
      ? text
      : `${text} refused`;
  const clear = DOT_RADIUS + 6;
  return {
    labels: [
      wish(told, again ? "again" : "effect", [
        at(lane.x + clear, "right", 4),
        at(lane.x - clear, "left", 4),
      ]),
    ],
    blots: [{ x: lane.x, radius: DOT_RADIUS + 1 }],
  };
}

/** Whether an effect is one too many of its key. */
export function isAgain({ trace, effects }: Reading, index: number): boolean {
  const event = trace[index];
  return event?.type === "effect" && (effects.get(index) ?? 0) > 1 && takesOnce(event.sink);
}

/** What answers, bars and dots show anyway. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["acquired", "completed", "replayed", "refused", "created", "moved", "updated", "issued"],
  ...["released", "consumed", "admitted", "started", "renewed", "stepRecorded", "resolved"],
]);
const TELLING: ReadonlySet<string> = new Set(["takenOver", "leaseLost", "renewalFailed"]);

const WORDS: Readonly<Record<string, string>> = {
  takenOver: "takes over",
  unknown: "outcome unknown",
  leaseLost: "lease lost",
  renewalFailed: "renewal failed",
};

function drawTold(scene: Scene, { node, what }: Extract<TraceEvent, { type: "told" }>): Drawn {
  const told = TELLING.has(what) || (scene.full && !SHOWN.has(what));
  const text = WORDS[what] ?? what;
  return told ? beside(scene, node, text, "note", ["right", "left"], 13) : { labels: [] };
}

function drawRow({ lanes }: Scene, text: string): Drawn {
  const [first] = lanes.values();
  const place = at(first?.x ?? 0, "right", -5);
  return { labels: [{ ...wish(text, "note", [place]), row: true }], drop: 16 };
}

function withToken({ short }: Scene, what: string, token: number | undefined): string {
  return token === undefined ? what : `${what} · ${short.revision(token)}`;
}

function withoutAlgorithm(what: string): string {
  return what.replace(/^[a-z]+\./i, "");
}

/** A label beside a lane, clear of its bars. */
function beside(
  { lanes }: Scene,
  name: string,
  text: string,
  style: LabelStyle,
  sides: readonly Place["side"][] = ["right", "left"],
  dy = 4,
): Drawn {
  const lane = lanes.get(name);
  if (lane === undefined) {
    return undefined;
  }
  const places = sides.map((side) =>
    at(side === "right" ? lane.x + lane.right + 6 : lane.x - lane.left - 6, side, dy),
  );
  return { labels: [wish(text, style, places)] };
}

function wish(text: string, style: LabelStyle, places: readonly Place[]): LabelWish {
  return { text, style, places };
}

function at(x: number, side: Place["side"], dy: number): Place {
  return { x, side, dy };
}

function other(side: Place["side"]): Place["side"] {
  return side === "right" ? "left" : "right";
}
