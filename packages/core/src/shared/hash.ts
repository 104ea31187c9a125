// Hashing is synchronous (an audited library): thread-pool crypto cannot be replayed.

import { sha256 } from "@noble/hashes/sha2.js";
import { base64url } from "./base64url.js";

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

// Most texts are short, and an array of their own for each would cost more than the hash.
const scratch = new Uint8Array(1_024);

function scratchUtf8(text: string): Uint8Array {
  // A UTF-16 unit takes at most three bytes.
  return text.length * 3 > scratch.length
    ? utf8(text)
    : scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

/** Length-prefixed parts: two different lists of parts never give the same text. */
export function lengthPrefixed(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join("");
}

// One hasher for all: each of its own brings buffers outside the heap, which cost more than hashing.
const fresh = /* @__PURE__ */ sha256.create();
const hasher = /* @__PURE__ */ sha256.create();
const digest = new Uint8Array(32);

/** The first 128 bits of SHA-256 of the parts, as 22 base64url characters. */
export function shortHash(...parts: readonly string[]): string {
  fresh._cloneInto(hasher);
  hasher.update(scratchUtf8(lengthPrefixed(parts))).digestInto(digest);
  return base64url(digest, 0, 16);
}
