// Keys that bear their birth time can be told apart from forgotten ones: a key older than the
// retention may have run and been forgotten, so it is never run again.

import { ArgumentError } from "../errors/errors.js";
import { checkDuration } from "../shared/arguments.js";

/** Where a key's birth time comes from: the key itself, or a function of it (ms since the epoch). */
export type KeyTime = "uuidv7" | ((key: string) => number);

const UUID_V7 = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** The first 48 bits. */
function uuidMs(key: string): number {
  const parts = UUID_V7.exec(key);
  if (!parts) {
    throw new ArgumentError("optionInvalid", "keyTime is uuidv7, but the key is no UUIDv7");
  }
  return Number.parseInt(`${parts[1]}${parts[2]}`, 16);
}

/** The birth time of a key in milliseconds since the epoch, or undefined if it bears none. */
export function birthMs(
  key: string,
  keyTime: KeyTime | undefined,
  issuedAtMs: number | undefined,
): number | undefined {
  const ms = issuedAtMs ?? (keyTime === "uuidv7" ? uuidMs(key) : keyTime?.(key));
  if (ms !== undefined) {
    checkDuration(ms, "the time that the key bears", 0);
  }
  return ms;
}

/** Judges a birth time on a reply's `now` (microseconds); undefined when it is valid. */
export function judgeAge(
  { retentionMs, maxSkewMs }: { readonly retentionMs: number; readonly maxSkewMs: number },
  birth: number | undefined,
  now: number,
): { outcome: "expired" } | { outcome: "notYetValid"; validInMs: number } | undefined {
  const ageMs = now / 1000 - (birth ?? now / 1000);
  if (ageMs > retentionMs) {
    return { outcome: "expired" };
  }
  const validInMs = -ageMs - maxSkewMs;
  return validInMs > 0 ? { outcome: "notYetValid", validInMs } : undefined;
}
