// Structural equality of what handlers return and stores give back: the oracles compare answers
// by it, so a value of another kind must not pass for the same.

/** A date, of whichever realm. */
interface Dated {
  getTime(): number;
}

interface Fields {
  readonly [name: string]: unknown;
}

/**
 * Whether two values are of one kind and hold the same, at every depth. Kinds go by tag, so that a
 * Buffer equals its bytes as Uint8Array, and own properties of arrays, Maps and Dates do not count:
 * the documented exceptions.
 */
export function equal(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (left === null || right === null) return false;
  const tag = tagOf(left);
  if (tag !== tagOf(right)) return false;
  switch (tag) {
    case "[object Array]":
      return equalLists(left as readonly unknown[], right as readonly unknown[]);
    case "[object Date]":
      return Object.is((left as Dated).getTime(), (right as Dated).getTime());
    case "[object Map]":
      return equalLists(
        [...(left as Map<unknown, unknown>)].flat(1),
        [...(right as Map<unknown, unknown>)].flat(1),
      );
    case "[object Set]":
      return equalLists([...(left as Set<unknown>)], [...(right as Set<unknown>)]);
    case "[object Error]":
      return equalErrors(left as Error, right as Error);
    default:
      return equalFields(left as Fields, right as Fields);
  }
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value);
}

function equalLists(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((each, index) => equal(each, right[index]));
}

function equalErrors(left: Error, right: Error): boolean {
  return left.name === right.name && left.message === right.message;
}

function equalFields(left: Fields, right: Fields): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]));
}
