// Refuses, before anything is sent, options of a Redis store that would otherwise be taken for
// something else than was meant: JavaScript callers have no types, and a misspelt option no effect.

import { ArgumentError } from "@onceproof/core/advanced";
import { isClient } from "./connection-of.js";
import { emptyHashTag } from "./hash-slot.js";

const BOOLEANS = ["hashTags", "watch", "evictionAllowed"] as const;
const DURABILITIES: readonly unknown[] = ["process", "asynchronous", "durable"];
const RUNTIME = ["wallNow", "monotonicNow", "setTimer", "randomBytes"] as const;

function refuse(message: string): never {
  throw new ArgumentError("optionInvalid", message);
}

/** A value in words: any but a short text or a number may be long, or a secret. */
function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}

/** Throws for an option that is none of `names`, or is of another type. */
export function checkOptions(options: unknown, names: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null) {
    refuse("createRedisStore takes an object of options, at least { client }");
  }
  if (isClient(options)) {
    refuse("createRedisStore takes the client in an object: createRedisStore({ client })");
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) {
    refuse(`there is no option ${unknown}: there are ${Object.keys(names).join(", ")}`);
  }
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of BOOLEANS) {
    if (given[name] !== undefined && typeof given[name] !== "boolean") {
      refuse(`${name} must be true or false, got ${shown(given[name])}`);
    }
  }
  if (given.durability !== undefined && !DURABILITIES.includes(given.durability)) {
    refuse(`durability must be one of "${DURABILITIES.join('", "')}"`);
  }
  if (given.onWarning !== undefined && typeof given.onWarning !== "function") {
    refuse(`onWarning must be a function, got ${shown(given.onWarning)}`);
  }
  const runtime = Object(given.runtime ?? {}) as Readonly<Record<string, unknown>>;
  const missing = RUNTIME.find((name) => typeof runtime[name] !== "function");
  if (given.runtime !== undefined && missing !== undefined) {
    refuse(
      `runtime must be a Runtime, and has no ${missing}(): leave it out for the machine's own`,
    );
  }
}

/** Throws for a prefix that cannot stand before keys, or not before those with hash tags. */
export function checkKeyPrefix(keyPrefix: unknown, clientPrefix: string, tagged: boolean): void {
  if (typeof keyPrefix !== "string" || /[|\p{Surrogate}]/u.test(keyPrefix)) {
    refuse("keyPrefix must be a well-formed string without |");
  }
  if (tagged && emptyHashTag(clientPrefix + keyPrefix)) {
    refuse(
      "keyPrefix must not begin its hash tag with {}, in which a cluster sees no tag: what one step" +
        " writes would lie in several slots. Leave {} out, or put a word into it",
    );
  }
}
