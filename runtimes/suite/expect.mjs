// The few assertions that the smoke cases need, without any runtime's own library.

/** Fails unless both have the same JSON; for what JSON cannot hold, compare field by field. */
export function same(actual, expected, what = "value") {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

/** Fails unless the condition holds. */
export function holds(condition, what) {
  if (!condition) throw new Error(`does not hold: ${what}`);
}

/** Fails unless `work` throws or rejects with an error of this code. */
export async function failsWith(code, work) {
  try {
    await work();
  } catch (error) {
    return same(error?.code, code, "error code");
  }
  throw new Error(`expected an error with code ${code}, but nothing was thrown`);
}
