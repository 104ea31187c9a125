// Every choice of a run is drawn from its seed: which fault when, what a client asks. How the
// machine interleaves them is not, so a seed repeats the plan of a run and not its history.
import { createHash } from "node:crypto";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export interface Random {
  /** A whole number from `least` to `most`. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

const FINE = 1_000_000;

/** The stream of choices of one part of a run, independent of all others. */
export function createRandom(...path: readonly (string | number)[]): Random {
  const digest = createHash("sha256").update(JSON.stringify(path)).digest();
  const generator = xoroshiro128plus(digest.readInt32LE(0));
  const int = (least: number, most: number): number => uniformInt(generator, least, most);
  return {
    int,
    chance: (probability) => int(0, FINE - 1) < probability * FINE,
    pick: ([first, ...rest]) => {
      const at = int(0, rest.length);
      return at === 0 ? first : (rest[at - 1] ?? first);
    },
  };
}
