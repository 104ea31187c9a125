// Values as text and back, deep-equal: plain JSON takes the fast way, everything else (Date,
// bigint, Map, Set, Uint8Array, undefined, NaN, -0, cycles) goes through devalue.

import { parse, type StringifyOptions, stringify } from "devalue";
import { FormatError } from "../errors/errors.js";

const DEEPEST = 64;
// What holds the same object many times over has more paths than a walk could follow.
const MOST_NODES = 262_144;

/** The bytes of a view alone: what lies beside them in its buffer may be someone else's. */
const OPTIONS: StringifyOptions = {
  operations: {
    viewInfo(view: ArrayBufferView & { readonly length: number }) {
      const { byteLength, length } = view;
      const { buffer } = new Uint8Array(view.buffer, view.byteOffset, byteLength).slice();
      return { buffer, byteOffset: 0, byteLength, length, bufferByteLength: byteLength };
    },
  },
};

let nodes = 0;

/** Whether JSON alone returns this value deep-equal. */
function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0);
  }
  if (typeof value !== "object" || value === null) {
    return value === null || typeof value === "string" || typeof value === "boolean";
  }
  nodes += 1;
  const list = Array.isArray(value);
  if (
    depth === DEEPEST ||
    nodes > MOST_NODES ||
    (!list && Object.getPrototypeOf(value) !== Object.prototype)
  ) {
    return false;
  }
  if (Object.getOwnPropertySymbols(value).length > 0) {
    return false;
  }
  // An index loop also sees holes, which JSON would fill with null.
  const members = list ? (value as unknown[]) : Object.values(value);
  for (let index = 0; index < members.length; index += 1) {
    if (!isPlainJson(members[index], depth + 1)) {
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
  nodes = 0;
  return isPlainJson(value)
    ? `j${JSON.stringify(value)}`
    : `d${stringify(value, undefined, OPTIONS)}`;
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
