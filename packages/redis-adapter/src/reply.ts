// Turns a script's raw reply into the contract's answers. The shapes are listed in scripts.ts.

import type { Applied, Observation, Refused, WriteAllResult } from "@onceproof/core/advanced";
import { liveEntry, type PackedState, unpack } from "./packed-entry.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Clients can be told to return buffers, or numbers as strings; whatever they make of a reply, a
// value stays a string.
export function replyText(part: unknown): string {
  return part instanceof Uint8Array ? decoder.decode(part) : String(part);
}

interface Reply {
  readonly now: number;
  /** The rest of the list as text; undefined stands for nil. */
  readonly rest: readonly (string | undefined)[];
}

function parse(reply: unknown): Reply {
  if (!Array.isArray(reply)) {
    throw new TypeError("a script's reply is not a list");
  }
  const [seconds, microseconds, ...rest]: unknown[] = reply;
  return {
    now: Number(replyText(seconds)) * 1_000_000 + Number(replyText(microseconds)),
    rest: rest.map((part) => (part === null || part === undefined ? undefined : replyText(part))),
  };
}

function observe(state: PackedState | undefined, now: number): Observation {
  if (state === undefined) {
    return { now };
  }
  const { revision } = state.stamp;
  const entry = liveEntry(state, now);
  return entry === undefined ? { revision, now } : { entry, revision, now };
}

/** The answer to a read. */
export function decodeRead(reply: unknown): Observation {
  const { now, rest } = parse(reply);
  return observe(rest[0] === undefined ? undefined : unpack(rest[0]), now);
}

/** The answer to a write; `ttl` is the header's, for what was applied just now. */
export function decodeWrite(reply: unknown, opId: string, ttl: string): Applied | Refused {
  const { now, rest } = parse(reply);
  const [packed, ahead, kept] = rest;
  if (rest.length === 0 || packed === "") {
    const life = Number(kept ?? ttl);
    return {
      outcome: "applied",
      revision: ahead === undefined ? now : Number(ahead),
      writtenAt: now,
      ...(life === 0 ? undefined : { expiresAt: now + life }),
      now,
      replayed: false,
    };
  }
  const state = packed === undefined ? undefined : unpack(packed);
  if (state === undefined || state.stamp.opId !== opId) {
    return { outcome: "refused", ...observe(state, now) };
  }
  const { writtenAt, expiresAt } = state;
  return {
    outcome: "applied",
    revision: state.stamp.revision,
    writtenAt,
    ...(expiresAt === undefined ? undefined : { expiresAt }),
    now,
    replayed: true,
  };
}

/** The answer to a writeAll; write-all.ts lists the shapes. */
export function decodeWriteAll(
  reply: unknown,
): Exclude<WriteAllResult, { readonly outcome: "unknown" }> {
  const { now, rest } = parse(reply);
  const [kind, ...parts] = rest;
  if (kind === "c") {
    const [index, packed] = parts;
    const state = packed === undefined ? undefined : unpack(packed);
    return { outcome: "refused", index: Number(index), ...observe(state, now) };
  }
  return { outcome: "applied", revisions: parts.map(Number), now, replayed: kind === "r" };
}
