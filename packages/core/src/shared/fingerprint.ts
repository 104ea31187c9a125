// A fingerprint tells whether two payloads are the same: canonical (key order does not matter),
// typed (a Date is not its text), versioned. Only its hash is stored. Plain data takes the form of
// RFC 8785; that has none for anything else, so here every array begins with the name of its type.

import { ArgumentError } from "../errors/errors.js";
import { base64url } from "./base64url.js";
import { shortHash } from "./hash.js";

// Bump when the canonical form changes: fingerprints of different versions are not compared.
const VERSION = "1.";

function canonical(value: unknown): string {
  return JSON.stringify(value, typed) ?? "";
}

/** A JSON replacer that gives each value its typed form; `json` is the value after its `toJSON`. */
function typed(this: unknown, key: string, json: unknown): unknown {
  const value = (this as Record<string, unknown>)[key];
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ["number", Object.is(value, -0) ? "-0" : `${value}`];
    case "undefined":
      // A missing field and an undefined one are the same; a place in a list is not.
      return Array.isArray(this) ? ["undefined"] : value;
    case "bigint":
      return ["bigint", `${value}`];
    case "object":
      return value && typedObject(value, json);
    default:
      throw new TypeError(`a ${typeof value}`);
  }
}

/** By prototypes and not by `instanceof`, which values of another realm fail. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return !prototype || !Object.getPrototypeOf(prototype);
}

function typedObject(value: object, json: unknown): unknown {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return [tag, base64url(new Uint8Array(buffer, byteOffset, byteLength))];
  }
  if (tag === "Array") {
    return [tag, ...(value as unknown[])];
  }
  if (tag === "Map" || tag === "Set") {
    return [tag, ...Array.from(value as Iterable<unknown>, canonical).sort()];
  }
  if (!isPlain(value)) {
    if (json === value) {
      throw new TypeError("a class instance");
    }
    return [tag, json];
  }
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, fields[key]]),
  );
}

/**
 * Takes the fingerprint of a payload: `version.hash`; `omit` names top-level fields to leave out.
 *
 * Fails: ArgumentError `inputUnencodable` for functions, symbols, cycles, and class instances
 * without `toJSON`.
 */
export function fingerprintOf(input: unknown, omit?: readonly string[]): string {
  try {
    const kept =
      omit && typeof input === "object" && input && isPlain(input)
        ? Object.fromEntries(Object.entries(input).filter(([key]) => !omit.includes(key)))
        : input;
    return VERSION + shortHash(canonical(kept));
  } catch (cause) {
    const what = "a fingerprint needs plain data: leave out the field that is not";
    throw new ArgumentError("inputUnencodable", what, { cause });
  }
}

/** Whether two fingerprints are known to differ; those of other versions cannot be compared. */
export function fingerprintsDiffer(a: string | undefined, b: string | undefined): boolean {
  return !!a && !!b && a !== b && a.split(".")[0] === b.split(".")[0];
}
