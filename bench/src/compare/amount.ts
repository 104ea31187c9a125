// Numbers as people read them: to three digits, since the next ones differ from run to run.

import type { Figure } from "./comparison.js";

export function rounded(rate: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return Math.round(Math.round(rate / unit) * unit).toLocaleString("en");
}

/** A figure with its unit: ratios to two digits, small numbers to one behind the point. */
export function amount({ value, unit, spread }: Figure): string {
  const digits = (number: number): string => {
    if (unit === "times") {
      return number.toFixed(2);
    }
    return Math.abs(number) < 1000 ? number.toFixed(1) : rounded(number);
  };
  const around = spread ? ` (${digits(spread.lower)} to ${digits(spread.upper)})` : "";
  return `${digits(value)} ${unit}${around}`;
}
