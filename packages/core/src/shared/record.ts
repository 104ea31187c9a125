// The envelope of every stored record: a format version, a small JSON header, and a payload that
// is kept as it is, so that a large value is not escaped twice.

import { FormatError } from "../errors/errors.js";

const VERSION = "1";

/** Joins header and payload. */
export function encodeRecord(header: object, payload = ""): string {
  return `${VERSION}${JSON.stringify(header)}\n${payload}`;
}

/** Splits a record. The caller knows which header its own algorithm wrote. */
export function decodeRecord<Header>(text: string): { header: Header; payload: string } {
  const end = text.indexOf("\n");
  if (text[0] !== VERSION || end < 0) {
    throw new FormatError("formatUnknown", "a stored record is in a format this version lacks");
  }
  return { header: JSON.parse(text.slice(1, end)) as Header, payload: text.slice(end + 1) };
}
