// Results as they are stored. A result that cannot be stored is no reason to run again.

import { utf8Length } from "../contract/check-write.js";
import { encodeValue } from "./value-codec.js";

// Room for the header beside the payload.
const HEADER_BYTES = 16_384;

/** The encoded value, or undefined if it cannot be encoded or is too large to store. */
export function checkedPayload(value: unknown, maxValueBytes: number): string | undefined {
  let payload: string;
  try {
    payload = encodeValue(value);
  } catch {
    return undefined;
  }
  const most = maxValueBytes - HEADER_BYTES;
  return payload.length * 3 > most && utf8Length(payload) > most ? undefined : payload;
}
