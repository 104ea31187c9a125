// What happened in a run, in order, as plain data. The trace alone feeds the story, the diagram and
// the comparison of two runs; the oracles read the history, which is kept beside it.

import type { Write } from "@onceproof/core/advanced";
import type { FaultAt } from "./fault-plan.js";
import type { SessionStep } from "./sessions.js";

/** What a message asks for. */
export type Ask =
  | { readonly ask: "read"; readonly key: string }
  | { readonly ask: "write"; readonly write: Write }
  | { readonly ask: "writeAll"; readonly opId: string; readonly keys: readonly string[] }
  /** A statement of a transaction. */
  | { readonly ask: "session"; readonly session: string; readonly does: SessionStep }
  /** A call of a sink, or a client's request to a node. */
  | { readonly ask: "call"; readonly what: string };

/** One event. `atUs` is virtual time since the start of the run, in whole microseconds. */
export type TraceEvent = { readonly atUs: number } & (
  | {
      readonly type: "sent";
      readonly message: number;
      readonly from: string;
      readonly to: string;
      readonly nth: number;
      readonly ask: Ask;
    }
  /** Carried out at the receiver; `copy` counts from 0, and 1 is a duplicate. */
  | {
      readonly type: "arrived";
      readonly message: number;
      readonly copy: number;
      /** What the receiver made of it, in a few words. */
      readonly outcome: string;
    }
  | { readonly type: "answered"; readonly message: number }
  | { readonly type: "lost"; readonly message: number; readonly leg: "request" | "reply" }
  /** The sender stopped waiting for an answer. */
  | { readonly type: "timedOut"; readonly message: number }
  | { readonly type: "fault"; readonly fault: FaultAt }
  | {
      readonly type: "node";
      readonly node: string;
      readonly change: "started" | "crashed" | "paused" | "suspended" | "resumed";
    }
  | { readonly type: "mended"; readonly from: string; readonly to: string }
  /** The store's state changed otherwise than by a request. */
  | { readonly type: "store"; readonly change: string }
  /** An operation of an algorithm began, and was answered. */
  | {
      readonly type: "began";
      readonly operation: number;
      readonly node: string;
      readonly what: string;
    }
  | {
      readonly type: "ended";
      readonly operation: number;
      readonly node: string;
      readonly what: string;
    }
  /** Something took place at a sink. */
  | {
      readonly type: "effect";
      readonly sink: string;
      readonly from: string;
      readonly what: string;
      readonly accepted: boolean;
      readonly fencingToken?: number;
    }
  /** A span of a node's own view: it holds a lease, it runs a handler. */
  | {
      readonly type: "span";
      readonly span: number;
      readonly node: string;
      readonly edge: "from" | "until";
      readonly what: string;
      readonly fencingToken?: number;
    }
  /** What an algorithm told through `onEvent`. */
  | { readonly type: "told"; readonly node: string; readonly what: string }
  | { readonly type: "healed" }
);

/** One line per event, the same on every machine. */
export function formatEvent(event: TraceEvent): string {
  const { atUs, type, ...rest } = event;
  return `${atUs} ${type} ${JSON.stringify(rest)}`;
}

/** A hash over all lines, for comparing runs: 106 bits in base 16. */
export function hashTrace(trace: readonly TraceEvent[]): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  let c = 0x9e3779b9;
  let d = 0x7f4a7c15;
  for (const event of trace) {
    const line = formatEvent(event);
    for (let index = 0; index < line.length; index += 1) {
      const code = line.charCodeAt(index);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      c = Math.imul(c ^ code, 0x85ebca6b);
      d = Math.imul(d ^ code, 0xc2b2ae35);
      c ^= a >>> 15;
      d ^= b >>> 13;
    }
    a = Math.imul(a ^ (d >>> 16), 0x85ebca77);
    b = Math.imul(b ^ (c >>> 13), 0xc2b2ae3d);
  }
  return [a, b, c, d].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Where two traces part: the index and both lines, or undefined if they agree. */
export function firstDifference(
  one: readonly TraceEvent[],
  other: readonly TraceEvent[],
): { readonly index: number; readonly one?: string; readonly other?: string } | undefined {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const left = one[index];
    const right = other[index];
    const lines = {
      ...(left !== undefined && { one: formatEvent(left) }),
      ...(right !== undefined && { other: formatEvent(right) }),
    };
    if (lines.one !== lines.other) {
      return { index, ...lines };
    }
  }
  return undefined;
}
