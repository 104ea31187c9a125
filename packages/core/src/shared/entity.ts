// An entity as its key holds it: the algorithm's own body and the log of answered requests; and
// what was seen of it at one instant, as plain data that a snapshot can carry.

import type { AtomicStore, Entry, Stamp } from "../contract/atomic-store.js";
import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "./arguments.js";
import { decodeRecord, encodeRecord } from "./record.js";
import type { RequestLog } from "./request-log.js";

/** What the algorithm keeps: a small head and an encoded value. */
export interface Body<Head> {
  readonly head: Head;
  readonly payload: string;
}

export interface Entity<Head> {
  /** Undefined while there is none, although refusals may be logged. */
  readonly body: Body<Head> | undefined;
  readonly log: RequestLog;
}

/** What was seen of an entity: opaque, survives JSON, and is to be handed back unchanged. */
export interface Seen {
  readonly entry?: { readonly value: string; readonly stamp: Stamp } | undefined;
  /** The key's latest revision; 0 if it has none. */
  readonly revision: number;
  /** The store's clock at that instant, in microseconds. */
  readonly now: number;
}

/** What an observation or a refusal shows. */
export function seenIn(at: {
  readonly entry?: Entry;
  readonly revision?: number;
  readonly now: number;
}): Seen {
  const { entry, now } = at;
  if (entry === undefined) {
    return { revision: at.revision ?? 0, now };
  }
  const { value, stamp } = entry;
  return { entry: { value, stamp }, revision: stamp.revision, now };
}

/** Looks at an entity. Cost: 1. */
export async function look(store: AtomicStore, key: string): Promise<Seen> {
  return seenIn(await store.read(key));
}

/** A caller's key, or its snapshot: the key, and what the snapshot saw. */
export function keyAndSeen(
  at: unknown,
  field: "id" | "key",
): { readonly key: string; readonly snapshot: Seen | undefined } {
  if (typeof at !== "object" || at === null) {
    checkKey(at, field);
    return { key: at, snapshot: undefined };
  }
  const { [field]: key, seen } = at as { readonly [member: string]: unknown };
  checkKey(key, `a snapshot's ${field}`);
  const { entry, revision, now } = (seen ?? {}) as Partial<Seen>;
  const stamped = entry === undefined || typeof entry.stamp?.opId === "string";
  if (typeof revision !== "number" || typeof now !== "number" || !stamped) {
    throw new ArgumentError("optionInvalid", "hand a snapshot back as get() returned it");
  }
  return { key, snapshot: { entry, revision, now } };
}

interface Header<Head> {
  readonly head?: Head | undefined;
  /** How many UTF-16 units the log takes, before the payload. */
  readonly log: number;
  readonly count: number;
  readonly dropped: number;
}

export function encodeEntity<Head>({ body, log }: Entity<Head>): string {
  const { lines, count, dropped } = log;
  const header: Header<Head> = { head: body?.head, log: lines.length, count, dropped };
  return encodeRecord(header, lines + (body?.payload ?? ""));
}

export function decodeEntity<Head>({ entry, revision }: Seen): Entity<Head> {
  if (entry === undefined) {
    // Whatever an expired entity logged was based on a revision below its last one.
    return { body: undefined, log: { lines: "", count: 0, dropped: revision - 1 } };
  }
  const { header, payload } = decodeRecord<Header<Head>>(entry.value);
  const { head, log, count, dropped } = header;
  return {
    body: head === undefined ? undefined : { head, payload: payload.slice(log) },
    log: { lines: payload.slice(0, log), count, dropped },
  };
}
