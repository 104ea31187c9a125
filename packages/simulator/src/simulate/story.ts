// A run of a handler as a story: the simulator's own, with calls and effects as the handler names
// them.

import { type StoryLine, storyLines } from "../report/story.js";
import { formatUs, ordinal } from "../report/words.js";
import type { TraceEvent } from "../world/trace.js";

const MARKS: { readonly [kind in StoryLine["kind"]]: string } = {
  fault: "✗ ",
  again: "‼ ",
  effect: "→ ",
  other: "  ",
};

/** Tells a run, one line per thing that happened. */
export function tellHandlerStory(trace: readonly TraceEvent[], effects: readonly string[]): string {
  const lines = storyLines(trace);
  const width = Math.max(0, ...lines.map(({ atUs }) => formatUs(atUs).length));
  const took = effectsInWords(trace);
  const calls = trace.flatMap((event) => (event.type === "sent" ? [event] : []));
  return lines
    .map((line) => {
      const { atUs, kind, text } = line;
      const told =
        kind === "effect" || kind === "again" ? took.shift() : callInWords(line, calls, effects);
      return `${formatUs(atUs).padStart(width)}  ${MARKS[kind]}${told ?? text}`;
    })
    .join("\n");
}

/** Each effect of the trace, in its order, as the story has one line for each. */
function effectsInWords(trace: readonly TraceEvent[]): string[] {
  const counts = new Map<string, number>();
  const told: string[] = [];
  for (const event of trace) {
    if (event.type !== "effect") {
      continue;
    }
    const { what, from, accepted } = event;
    const count = (counts.get(what) ?? 0) + (accepted ? 1 : 0);
    counts.set(what, count);
    const times = count < 2 ? "" : ` a ${count === 2 ? "second" : ordinal(count)} time`;
    told.push(
      accepted
        ? `${what} takes place${times}, by ${from}`
        : `${what} has no effect by ${from}: its key was known, or the sink threw`,
    );
  }
  return told;
}

type Sent = Extract<TraceEvent, { type: "sent" }>;

/** A line that says that a node makes a call, by the call's name in the handler. */
function callInWords(
  { atUs, text }: StoryLine,
  calls: readonly Sent[],
  effects: readonly string[],
): string | undefined {
  const made = calls.find(
    (call) =>
      call.atUs === atUs &&
      call.ask.ask === "call" &&
      text.startsWith(call.from) &&
      text.endsWith(`: ${call.ask.what}`),
  );
  if (made?.ask.ask !== "call") {
    return undefined;
  }
  const { from, to, ask } = made;
  return `${from} calls ${effects.includes(to) ? "" : `${to}.`}${ask.what}`;
}
