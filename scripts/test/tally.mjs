// Sums what the parts of a test run passed, failed and skipped.

/**
 * `failures` says what failed, where the part can name it.
 * @typedef {{ passed: number, failed: number, skipped: number, skips: string[], failures?: string[] }} Tally
 */

/** @returns {Tally} */
export const emptyTally = () => ({ passed: 0, failed: 0, skipped: 0, skips: [], failures: [] });

/** @param {Tally} a @param {Tally} b @returns {Tally} */
export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  skips: [...a.skips, ...b.skips],
  failures: [...(a.failures ?? []), ...(b.failures ?? [])],
});

/** The line that ends every run; machinery reads it. @param {Tally} tally */
export const totalLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;
