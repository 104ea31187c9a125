// Values that a caller hands in to be stored. A result that cannot be stored is no reason to run
// again; an input of that kind is refused before anything is sent.

import { utf8Length } from "../contract/check-write.js";
import { ArgumentError } from "../errors/errors.js";
import { encodeValue } from "./value-codec.js";

/** Whether a text takes more bytes than this. */
export function exceeds(text: string, maxBytes: number): boolean {
  // A UTF-16 unit is at most three bytes, so most texts need no count.
  return text.length * 3 > maxBytes && utf8Length(text) > maxBytes;
}

/** The encoded value. Throws an ArgumentError if it cannot be encoded or has too many bytes. */
export function encodeInput(value: unknown, what: string, maxBytes: number): string {
  let text: string;
  try {
    text = encodeValue(value);
  } catch {
    // Without the cause, which holds the whole value.
    throw new ArgumentError("inputUnencodable", `${what} is not plain data`);
  }
  if (exceeds(text, maxBytes)) {
    throw new ArgumentError("valueTooLarge", `${what} takes more than ${maxBytes} bytes encoded`);
  }
  return text;
}
