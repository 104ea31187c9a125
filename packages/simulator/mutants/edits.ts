// How one text becomes another, as a few replaced ranges: a mutant changes a line or two of a large
// bundle, and sometimes a helper at its other end that is now needed or no longer needed.

import type { Edit } from "../src/mutants/bundle.ts";

// How many equal lines in a row make it sure that both texts are back in step.
const IN_STEP = 3;

/** The lines of a text, each with its end, so that they join to the text again. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The edits that make `to` of `from`, in ascending order, with offsets into `from`. */
export function editsBetween(from: string, to: string): Edit[] {
  const before = linesOf(from);
  const after = linesOf(to);
  const edits: Edit[] = [];
  let at = 0;
  let line = 0;
  let other = 0;
  while (line < before.length || other < after.length) {
    if (line < before.length && before[line] === after[other]) {
      at += before[line]?.length ?? 0;
      line += 1;
      other += 1;
      continue;
    }
    const [skip, take] = backInStep(before, after, line, other);
    const removed = before.slice(line, line + skip).join("");
    edits.push([at, at + removed.length, after.slice(other, other + take).join("")]);
    at += removed.length;
    line += skip;
    other += take;
  }
  return edits;
}

/** How many lines to skip on either side, as few as possible, until both are in step again. */
function backInStep(
  before: readonly string[],
  after: readonly string[],
  line: number,
  other: number,
): [skip: number, take: number] {
  const restBefore = before.length - line;
  const restAfter = after.length - other;
  for (let both = 1; both <= restBefore + restAfter; both += 1) {
    for (let skip = Math.max(0, both - restAfter); skip <= Math.min(both, restBefore); skip += 1) {
      if (isInStep(before, after, line + skip, other + both - skip)) {
        return [skip, both - skip];
      }
    }
  }
  return [restBefore, restAfter];
}

function isInStep(
  before: readonly string[],
  after: readonly string[],
  line: number,
  other: number,
): boolean {
  for (let step = 0; step < IN_STEP; step += 1) {
    // Two ends at once are in step as well.
    if (before[line + step] !== after[other + step]) {
      return false;
    }
  }
  return true;
}
