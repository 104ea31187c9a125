// Guesses whether a write will apply by the cheapest statement, from what became of the last ones.
// Nothing but cost depends on it.

import { prefixEnd } from "@onceproof/core/advanced";

/** Two bits for each: from 2 on it is likely, and one surprise in a row changes no mind. */
const MOST = 3;
const LIKELY = 2;
/** Keys of one factory share a place; more factories than that share theirs. */
const PLACES = 256;

/** The guess for one write. */
export interface Guess {
  /** Whether it is likely to apply by the cheapest statement. */
  likely(): boolean;
  /** Tells whether it did, or would have. */
  learn(applied: boolean): void;
}

/** What one store has learned. */
export interface Guesses {
  of(key: string, create: boolean): Guess;
}

/** Where keys of one factory, and writes of one kind, have their place. */
function placeOf(key: string, create: boolean): number {
  let hash = create ? 1 : 0;
  for (let index = prefixEnd(key) - 1; index >= 0; index -= 1) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  }
  return (hash >>> 0) % PLACES;
}

/** The guess where no answer without a row can be trusted: the whole statement always has one. */
export const UNLIKELY: Guesses = { of: () => ({ likely: () => false, learn: () => {} }) };

/** Builds the guesses of a store: likely at first. */
export function createGuesses(): Guesses {
  const places = new Uint8Array(PLACES).fill(LIKELY);
  return {
    of(key, create) {
      const place = placeOf(key, create);
      const held = (): number => places[place] ?? LIKELY;
      return {
        likely: () => held() >= LIKELY,
        learn(applied) {
          places[place] = applied ? Math.min(MOST, held() + 1) : Math.max(0, held() - 1);
        },
      };
    },
  };
}
