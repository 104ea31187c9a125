// A run of a handler as a story: the simulator's own, with calls and effects as the handler names
// them.

import { type StoryLine, storyLines } from "../report/story.js";
import { formatUs } from "../report/words.js";
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
  return lines
    .map(({ atUs, kind, text }) => {
      const time = formatUs(atUs).padStart(width);
      return `${time}  ${MARKS[kind]}${byNames(text, effects)}`;
    })
    .join("\n");
}

/** Sinks have names of their own in the world; here their calls bear them. */
function byNames(text: string, effects: readonly string[]): string {
  const called = /^(\S+) calls the (\w+): (.*)$/.exec(text);
  if (called !== null) {
    const [, node, to = "", what] = called;
    return effects.includes(to) ? `${node} calls ${what}` : `${node} calls ${to}.${what}`;
  }
  const took = /^the \w+ is (?:written to|charged) for (.*?)( a \w+ time)? by (\S+)$/.exec(text);
  if (took !== null) {
    const [, what, again = "", node] = took;
    return `${what} takes place${again}, by ${node}`;
  }
  const refused = /^the \w+ refuses (.*) from (\S+): no effect$/.exec(text);
  return refused === null
    ? text
    : `${refused[1]} has no effect by ${refused[2]}: it was known or refused`;
}
