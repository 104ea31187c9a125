// Values that a caller hands in to be stored. A result that cannot be stored is no reason to run
// again; an input of that kind is refused before anything is sent.

import { utf8Length } from "../contract/check-write.js";
import { ArgumentError } from "../errors/errors.js";
import { encodeValue } from "./value-codec.js";

/** The encoded value. Throws an ArgumentError if it cannot be encoded or has too many bytes. */
export function encodeInput(value: unknown, what: string, maxBytes: number): string {
  let text: string;
  try {
    text = encodeValue(value);
  } catch (cause) {
    throw new ArgumentError("inputUnencodable", `${what} cannot be stored: pass plain data`, {
      cause,
    });
  }
  if (text.length * 3 > maxBytes && utf8Length(text) > maxBytes) {
    throw new ArgumentError(
      "valueTooLarge",
      `${what} has ${utf8Length(text)} bytes encoded, at most ${maxBytes} are allowed`,
    );
  }
  return text;
}
