// A run as a story: one plain sentence with its time per thing that matters, for people who read a
// violation. The short one leaves out what went as it always goes.

import type { TraceEvent } from "../world/trace.js";
import { createTelling, type StoryLine, tellEvent } from "./sentences.js";
import { formatUs } from "./words.js";

export { describeFault, describePlan } from "./fault-words.js";
export type { StoryLine } from "./sentences.js";

export interface StoryOptions {
  /** @defaultValue "short" */
  readonly detail?: "short" | "full";
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
  const telling = createTelling(trace, options.detail === "full");
  const lines: StoryLine[] = [];
  for (const [index, event] of trace.entries()) {
    const told = tellEvent(telling, event, index);
    if (told !== undefined) {
      const line = typeof told === "string" ? { kind: "other" as const, text: told } : told;
      lines.push({ atUs: event.atUs, ...line });
    }
  }
  return lines;
}
