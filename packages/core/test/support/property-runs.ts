// How long properties search: ONCEPROOF_RUNS multiplies every number of runs, ONCEPROOF_SEED
// repeats a search, and a mutant run stops at the first counterexample without shrinking it.

/** The runs that an environment asks for. */
export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed?: number;
  readonly endOnFailure: boolean;
}

function runsFactor(): number {
  const { ONCEPROOF_RUNS } = process.env;
  const factor = ONCEPROOF_RUNS === undefined ? 1 : Number(ONCEPROOF_RUNS);
  if (!(factor > 0)) {
    throw new Error(`ONCEPROOF_RUNS must be a positive number, got ${ONCEPROOF_RUNS}`);
  }
  return factor;
}

/** How long one property may take: more runs take longer. */
export function propertyTimeoutMs(): number {
  return 60_000 * Math.max(1, runsFactor());
}

export function propertyRuns(numRuns: number): PropertyRuns {
  const { ONCEPROOF_SEED, ONCEPROOF_MUTANT } = process.env;
  return {
    numRuns: Math.ceil(numRuns * runsFactor()),
    ...(ONCEPROOF_SEED !== undefined && { seed: Number(ONCEPROOF_SEED) }),
    endOnFailure: ONCEPROOF_MUTANT !== undefined,
  };
}
