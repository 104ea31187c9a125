// The calls of one operation, out of those of several in a row: they must be the same each time, or
// what a table says of one would be true of none.

/** The calls of each of `times` operations. */
export function repeated(name: string, sent: readonly string[], times: number): readonly string[] {
  const calls = sent.slice(0, sent.length / times);
  if (calls.length === 0 || sent.some((call, at) => call !== calls[at % calls.length])) {
    throw new Error(`${name} does not send the same calls each time: ${sent.join(" ")}`);
  }
  return calls;
}
