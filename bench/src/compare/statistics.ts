// Medians and quartiles: a batch in which the machine did something else moves neither.

/** The middle of many measurements, and the quartiles around it. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** The value below which the share `part` of the sorted numbers lies, interpolated. */
export function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function spread(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
  };
}
