// Values as text and back, deep-equal: plain JSON takes the fast way, everything else (Date,
// bigint, Map, Set, Uint8Array, undefined, NaN, -0, cycles) goes through devalue.

import { parse, stringify } from "devalue";
import { FormatError } from "../errors/errors.js";

const DEEPEST = 64;

/** Whether JSON alone returns this value deep-equal. */
function isPlainJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) {
    return true;
  }
  if (depth === DEEPEST) {
    return false;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (!isPlainJson(value[index], depth + 1)) {
        return false;
      }
    }
    return true;
  }
  if (
    Object.getPrototypeOf(value) !== Object.prototype ||
    Object.getOwnPropertySymbols(value).length > 0
  ) {
    return false;
  }
  for (const key of Object.keys(value)) {
    if (!isPlainJson((value as Record<string, unknown>)[key], depth + 1)) {
      return false;
    }
  }
  return true;
}

/** Encodes a value. Throws what devalue throws for functions, symbols and class instances. */
export function encodeValue(value: unknown): string {
  if (value === undefined) {
    return "u";
  }
  return isPlainJson(value, 0) ? `j${JSON.stringify(value)}` : `d${stringify(value)}`;
}

/** Decodes what `encodeValue` gave. */
export function decodeValue(text: string): unknown {
  switch (text[0]) {
    case "u":
      return undefined;
    case "j":
      return JSON.parse(text.slice(1));
    case "d":
      return parse(text.slice(1));
    default:
      throw new FormatError("formatUnknown", "a stored value is in a format this version lacks");
  }
}
