// Turns a script's raw reply into the contract's answers. The shapes are listed in scripts.ts.

import type { Applied, Observation, Refused, WriteAllResult } from "@onceproof/core/advanced";
import { liveEntry, type PackedState, unpack } from "./packed-entry.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Clients can be told to return buffers, or numbers as strings; whatever they make of a reply, a
// value stays a string.
export function replyText(part: unknown): string {
  return part instanceof Uint8Array ? decoder.decode(part) : String(part);
}

/** What the scripts answer: a list that begins with TIME's two parts. */
type Reply = readonly unknown[];

const HEAD = 2;

// Read by index: a list taken apart into names is made anew for each.
function checkReply(reply: unknown): asserts reply is Reply {
  if (!Array.isArray(reply)) {
    throw new TypeError("a script's reply is not a list");
  }
}

function nowOf(reply: Reply): number {
  return Number(replyText(reply[0])) * 1_000_000 + Number(replyText(reply[1]));
}

/** What stands behind the time, from 0 on; undefined stands for nil and for what is not there. */
function partOf(reply: Reply, index: number): string | undefined {
  const part = reply[HEAD + index];
  return part === null || part === undefined ? undefined : replyText(part);
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
  checkReply(reply);
  const packed = partOf(reply, 0);
  return observe(packed === undefined ? undefined : unpack(packed), nowOf(reply));
}

/** The answer to a write; `ttl` is the header's, for what was applied just now. */
export function decodeWrite(reply: unknown, opId: string, ttl: string): Applied | Refused {
  checkReply(reply);
  const now = nowOf(reply);
  const packed = partOf(reply, 0);
  // By the length: what a key holds may be anything, "" too, where another program writes there.
  if (reply.length !== HEAD + 1) {
    const ahead = partOf(reply, 1);
    const revision = ahead === undefined ? now : Number(ahead);
    const life = Number(partOf(reply, 2) ?? ttl);
    const fresh = { outcome: "applied", revision, writtenAt: now, now, replayed: false } as const;
    return life === 0 ? fresh : { expiresAt: now + life, ...fresh };
  }
  const state = packed === undefined ? undefined : unpack(packed);
  if (state === undefined || state.stamp.opId !== opId) {
    return { outcome: "refused", ...observe(state, now) };
  }
  const { stamp, writtenAt, expiresAt } = state;
  const { revision } = stamp;
  const again = { outcome: "applied", revision, writtenAt, now, replayed: true } as const;
  return expiresAt === undefined ? again : { expiresAt, ...again };
}

/** The answer to a writeAll; write-all.ts lists the shapes. */
export function decodeWriteAll(
  reply: unknown,
): Exclude<WriteAllResult, { readonly outcome: "unknown" }> {
  checkReply(reply);
  const now = nowOf(reply);
  const kind = partOf(reply, 0);
  if (kind === "c") {
    const packed = partOf(reply, 2);
    const state = packed === undefined ? undefined : unpack(packed);
    return { outcome: "refused", index: Number(partOf(reply, 1)), ...observe(state, now) };
  }
  const revisions = reply.slice(HEAD + 1).map((part) => Number(replyText(part)));
  return { outcome: "applied", revisions, now, replayed: kind === "r" };
}
