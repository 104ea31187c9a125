// OpIds for tests of the store itself: readable, distinct, 22 characters.

/** The opId with this number. */
export function opId(number: number): string {
  return `op${String(number).padStart(19, "0")}A`;
}
