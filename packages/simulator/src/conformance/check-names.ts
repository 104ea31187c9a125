// What a harness and its fixtures may be called by: a misspelt hook would skip, unnoticed, the cases
// that need it.

import { ArgumentError } from "@onceproof/core/advanced";
import { nearest } from "./nearest.js";

/** Throws an ArgumentError for a name that the kit does not know. */
export function checkNames(what: string, object: object, known: readonly string[]): void {
  const prototype: unknown = Object.getPrototypeOf(object);
  const plain = prototype === null || prototype === Object.prototype;
  for (const name of Object.keys(object)) {
    if (known.includes(name)) {
      continue;
    }
    const meant = nearest(name, known);
    // An object of a class has fields of its own, which are none of the kit's affair.
    if (meant !== undefined || plain) {
      const advice =
        meant === undefined ? `it has ${known.join(", ")}` : `did you mean "${meant}"?`;
      throw new ArgumentError("optionInvalid", `a ${what} has no "${name}"; ${advice}`);
    }
  }
}
