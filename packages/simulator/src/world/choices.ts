// Where a run's choices come from. A choice is a whole number below `count`; `site` names where it
// is made, so that a seeded choice never depends on how many others were made before.

/** A source of choices. */
export interface ChoiceSource {
  /** A whole number from 0 to `count - 1`. */
  pick(count: number, site: number): number;
}

/** 32 well mixed bits of two numbers. */
export function mix(seed: number, site: number): number {
  let x = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(site ^ (site >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** The choices of a seed: each depends on the seed and its site alone. */
export function seededChoices(seed: number): ChoiceSource {
  return { pick: (count, site) => mix(seed, site) % count };
}

/** Choices read from a list, as fast-check makes it: shrinking the list shrinks the run. */
export function tapeChoices(tape: readonly number[]): ChoiceSource {
  let next = 0;
  return {
    pick(count) {
      const value = tape[next] ?? 0;
      next += 1;
      return value % count;
    },
  };
}

/** Choices of another source, kept: given to `tapeChoices` they repeat the run. */
export function recordChoices(source: ChoiceSource): ChoiceSource & { readonly tape: number[] } {
  const tape: number[] = [];
  return {
    tape,
    pick(count, site) {
      const value = source.pick(count, site);
      tape.push(value);
      return value;
    },
  };
}

/**
 * Every combination of choices, one after the other: call `next` before each run; false when all
 * were made. Only the first `depth` choices of a run vary, the rest are 0.
 */
export function enumerateChoices(depth: number): ChoiceSource & { next(): boolean } {
  let path: { value: number; count: number }[] = [];
  let cursor = 0;
  let started = false;
  return {
    pick(count) {
      if (cursor >= depth) {
        return 0;
      }
      const known = path[cursor];
      cursor += 1;
      if (known !== undefined) {
        return known.value;
      }
      path.push({ value: 0, count });
      return 0;
    },
    next() {
      cursor = 0;
      if (!started) {
        started = true;
        return true;
      }
      while (path.length > 0) {
        const last = path.at(-1);
        if (last !== undefined && last.value + 1 < last.count) {
          last.value += 1;
          return true;
        }
        path = path.slice(0, -1);
      }
      return false;
    },
  };
}

/**
 * Probabilistic concurrency testing: each party gets a random speed that changes at `changes` random
 * moments, so that a race which needs that many reorderings is found with known probability.
 * @see https://doi.org/10.1145/1735970.1736040
 */
export function pctChoices(seed: number, changes: number, expectedChoices = 200): ChoiceSource {
  // Distinct moments, none before the first choice: fewer changes would find less than promised.
  const turns = new Set<number>();
  for (let draw = 1; turns.size < Math.min(changes, expectedChoices - 1); draw += 1) {
    turns.add(1 + (mix(seed, -draw) % (expectedChoices - 1)));
  }
  let made = 0;
  let epoch = 0;
  return {
    pick(count, site) {
      if (turns.has(made)) {
        epoch += 1;
      }
      made += 1;
      // The upper bits of a site name the party: it keeps its speed until the next change.
      return mix(seed + epoch * 0x61c88647, site >>> 20) % count;
    },
  };
}
