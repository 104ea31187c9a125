// Equality, hash and display of plain data: how states and inputs are told apart when the model
// does not say. Whatever is not plain is compared by identity, which is slower and never wrong.

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  for (let index = 0; index < left.length; index += 1) {
    if (!sameData(left[index], right[index])) {
      return false;
    }
  }
  return true;
}

/** Whether two values are equal as plain data; -0 differs from 0, and NaN equals itself. */
export function sameData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) {
    return true;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return false;
  }
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && sameItems(left, right);
  }
  if (!isPlain(left) || !isPlain(right)) {
    return false;
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameData(left[key], right[key]))
  );
}

/** Spreads a whole number over 32 bits. */
export function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

function hashObject(value: object): number {
  if (Array.isArray(value)) {
    return value.reduce((hash: number, item) => mix(Math.imul(hash, 31) ^ hashData(item)), 7);
  }
  if (!isPlain(value)) {
    return 11;
  }
  let sum = 13;
  for (const key of Object.keys(value)) {
    // A sum, as equal objects may list their keys in another order.
    sum = (sum + mix(hashText(key) ^ Math.imul(hashData(value[key]), 31))) | 0;
  }
  return sum;
}

/** A whole number, the same for values that `sameData` calls equal. */
export function hashData(value: unknown): number {
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? mix(value | 0) : hashText(String(value));
    case "string":
      return hashText(value);
    case "object":
      return value === null ? 3 : hashObject(value);
    case "undefined":
    case "boolean":
    case "bigint":
      return hashText(String(value));
    default:
      return 5;
  }
}

/** A value on one line. */
export function show(value: unknown): string {
  if (typeof value === "bigint") {
    return `${value}n`;
  }
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(show).join(", ")}]`;
  }
  if (!isPlain(value)) {
    return String(value);
  }
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${show(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
