// Seeded randomness: the same seed gives the same draws on every machine.

import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

const RESOLUTION = 2 ** 30;

/** A stream of draws that its seed determines. */
export interface Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** True with this probability, from 0 to 1. One draw, whatever the probability. */
  chance(probability: number): boolean;
  bytes(length: number): Uint8Array;
}

/** Creates the stream of a seed, or of a numbered child of it: children do not disturb each other. */
export function createRandom(seed: number, child = 0): Random {
  const generator = xoroshiro128plus(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ child);
  const int = (least: number, most: number): number => uniformInt(generator, least, most);
  // Seeds that differ in few bits start alike.
  for (let skipped = 0; skipped < 8; skipped += 1) {
    generator.next();
  }
  return {
    int,
    chance: (probability) => int(0, RESOLUTION - 1) < probability * RESOLUTION,
    bytes(length) {
      const bytes = new Uint8Array(length);
      // Four at a time: a draw costs more than the bytes of it.
      for (let index = 0; index < length; index += 4) {
        const word = generator.next();
        bytes[index] = word;
        bytes[index + 1] = word >>> 8;
        bytes[index + 2] = word >>> 16;
        bytes[index + 3] = word >>> 24;
      }
      return bytes;
    },
  };
}
