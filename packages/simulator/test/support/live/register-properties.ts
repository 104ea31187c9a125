// Registers a property of each algorithm for the stores of one data set: drawn concurrent programs,
// judged by the oracles of the simulator.
//
// ONCEPROOF_RUNS=20 multiplies the number of programs, ONCEPROOF_SEED repeats those of a failure;
// on real stores the same program need not fail again, so ask for more of them as well.

import fc from "fast-check";
import { describe, test } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "../../../../core/test/support/property-runs.js";
import type { CoreModule } from "../../../src/scenarios/scenario.js";
import type { Place } from "./place.js";
import { PROGRAMS } from "./programs.js";
import { runProgram } from "./run-program.js";

/** Programs of each algorithm at each place; most servers have two places or more. */
const RUNS = 3;

export interface SearchOptions {
  /** @defaultValue 3 */
  readonly numRuns?: number;
  /** Whether to look for a smaller program that goes wrong as well. @defaultValue true */
  readonly shrinks?: boolean;
  /** @defaultValue the real one */
  readonly core?: CoreModule;
}

/** Searches for a program of an algorithm that goes wrong; throws the smallest that it found. */
export async function assertProperty(
  algorithm: string,
  place: Place,
  { numRuns = RUNS, shrinks = true, core }: SearchOptions = {},
): Promise<void> {
  const programs = PROGRAMS[algorithm];
  if (programs === undefined) throw new Error(`there is no algorithm "${algorithm}"`);
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const { violations, story } = await runProgram(place, program, core);
      if (violations.length === 0) return;
      const told = violations.map(({ guarantee, how }) => `${guarantee}: ${how}`).join("\n");
      throw new Error(`${told}\n\n${story}`);
    }),
    {
      ...propertyRuns(numRuns),
      ...(!shrinks && { endOnFailure: true }),
      // So that shrinking, which tries smaller programs on the same stores, leaves time to tell.
      interruptAfterTimeLimit: propertyTimeoutMs() / 2,
    },
  );
}

/** Registers the properties; each opens a place of its own, and they run side by side. */
export function registerProperties(open: () => Promise<Place>): void {
  describe.concurrent("properties", () => {
    test.each(Object.keys(PROGRAMS))(
      "%s keeps its promises in concurrent programs",
      async (algorithm) => {
        const place = await open();
        try {
          await assertProperty(algorithm, place);
        } finally {
          await place.close();
        }
      },
      propertyTimeoutMs(),
    );
  });
}
