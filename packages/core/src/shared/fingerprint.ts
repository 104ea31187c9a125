// A fingerprint tells whether two payloads are the same: canonical (key order does not matter),
// typed (a Date is not its text), versioned. Only its hash is stored.

import canonicalize from "canonicalize";
import { ArgumentError } from "../errors/errors.js";
import { shortHash } from "./hash.js";

// Bump when the canonical form changes: fingerprints of different versions are not compared.
const VERSION = "1";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

function unencodable(what: string): never {
  throw new ArgumentError(
    "inputUnencodable",
    `a fingerprint cannot be taken of ${what}: pass plain data, or leave the field out`,
  );
}

/** The typed JSON form: every array begins with the name of what it stands for. */
function typed(value: unknown, within: Set<object>): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ["number", Object.is(value, -0) ? "-0" : String(value)];
    case "bigint":
      return ["bigint", String(value)];
    case "undefined":
      return ["undefined"];
    case "object":
      break;
    default:
      return unencodable(`a ${typeof value}`);
  }
  if (value === null) {
    return null;
  }
  if (within.has(value)) {
    return unencodable("a value that contains itself");
  }
  within.add(value);
  const form = typedObject(value, within);
  within.delete(value);
  return form;
}

/** Text that orders the members of a Set or the keys of a Map. */
function sorted(members: Json[]): Json[] {
  return members
    .map((member) => ({ member, text: canonicalize(member) ?? "" }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ member }) => member);
}

interface DateLike {
  getTime(): number;
  toISOString(): string;
}

/** By tag and not by `instanceof`, which values of another realm fail. */
function isA<T extends object>(value: object, tag: string): value is T {
  return Object.prototype.toString.call(value) === `[object ${tag}]`;
}

function typedObject(value: object, within: Set<object>): Json {
  if (Array.isArray(value)) {
    return ["array", ...Array.from(value, (member) => typed(member, within))];
  }
  if (isA<DateLike>(value, "Date")) {
    return ["date", Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()];
  }
  if (isA<Map<unknown, unknown>>(value, "Map")) {
    const pairs = [...value].map(([key, member]) => [typed(key, within), typed(member, within)]);
    return ["map", ...sorted(pairs)];
  }
  if (isA<Set<unknown>>(value, "Set")) {
    return ["set", ...sorted([...value].map((member) => typed(member, within)))];
  }
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return ["bytes", Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")];
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return ["json", typed(value.toJSON(), within)];
    }
    return unencodable("a class instance");
  }
  const form: Record<string, Json> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) {
      form[key] = typed(member, within);
    }
  }
  return form;
}

/** A copy without the named top-level fields. */
function leaveOut(input: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined || typeof input !== "object" || input === null) {
    return input;
  }
  return Object.fromEntries(Object.entries(input).filter(([key]) => !fields.includes(key)));
}

/**
 * Takes the fingerprint of a payload: `version.hash`.
 *
 * Fails: ArgumentError `inputUnencodable` for functions, symbols, cycles, class instances without
 * `toJSON`, and text with lone surrogates.
 */
export function fingerprintOf(input: unknown, omit?: readonly string[]): string {
  let text: string | undefined;
  try {
    text = canonicalize(typed(leaveOut(input, omit), new Set()));
  } catch (error) {
    if (error instanceof ArgumentError) {
      throw error;
    }
    throw new ArgumentError("inputUnencodable", "a fingerprint cannot be taken of this input", {
      cause: error,
    });
  }
  return `${VERSION}.${shortHash(text ?? "")}`;
}

/** Whether two fingerprints are known to differ; those of other versions cannot be compared. */
export function fingerprintsDiffer(a: string | undefined, b: string | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a !== b &&
    a.slice(0, a.indexOf(".")) === b.slice(0, b.indexOf("."))
  );
}
