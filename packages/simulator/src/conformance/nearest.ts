// The name that was probably meant by a misspelt one.

/** More letters than these make it another name. */
const MAX_CHANGES = 2;

/** The candidate with the fewest letters to change; undefined if none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = MAX_CHANGES + 1;
  for (const candidate of candidates) {
    const changes = distance(name.toLowerCase(), candidate.toLowerCase());
    if (changes < fewest) {
      [best, fewest] = [candidate, changes];
    }
  }
  return best;
}

/** How many letters must be added, dropped or changed (Levenshtein). */
function distance(from: string, to: string): number {
  let row = [...Array(to.length + 1).keys()];
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (row[j] ?? 0) + (letter === to[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
