// What dedup keeps under a key: the shapes of its record, in one place, and their encoding.
// Fields that are undefined are not stored.

import type { Entry } from "../contract/atomic-store.js";
import { checkedPayload } from "../shared/payload.js";
import { decodeRecord, encodeRecord } from "../shared/record.js";
import type { OnCrash } from "./options.js";

/** What survives from attempt to attempt. */
interface Attempts {
  /** How many attempts began, this one included. */
  readonly attempt: number;
  readonly fingerprint: string | undefined;
  /** Results of recorded steps, encoded. */
  readonly steps: { readonly [name: string]: string } | undefined;
  /** Some earlier attempt ended without a known outcome. */
  readonly unresolved: boolean | undefined;
}

/** An attempt is under way, or crashed: the lease, counted from `writtenAt`, tells which. */
export interface RunningRecord extends Attempts {
  readonly state: "running";
  /** The opId of the acquiring write. */
  readonly owner: string;
  readonly leaseMs: number;
  /** The handler said that it began to act. */
  readonly started?: boolean;
}

/** No attempt is under way; if not `unresolved`, the next one may simply run. */
export interface OpenRecord extends Attempts {
  readonly state: "open";
}

/** What every finished record keeps. */
interface Finished {
  readonly attempt: number;
  readonly fingerprint: string | undefined;
}

/** The payload is the encoded result, unless it could not be stored. */
export interface DoneRecord extends Finished {
  readonly state: "done";
  readonly unavailable?: boolean | undefined;
  /** It was recorded in one transaction with its effect; absent if not. */
  readonly exactlyOnce?: boolean;
}

/** A final business rejection. */
export interface Rejection {
  readonly state: "failed";
  readonly code: string;
  readonly message: string;
}

export type FailedRecord = Finished & Rejection;

/** A key judged by its birth time: too old to know whether it ran, or not yet valid. */
export interface RefusedKeyRecord extends Finished {
  readonly state: "expired" | "early";
}

export type DedupRecord = RunningRecord | OpenRecord | DoneRecord | FailedRecord | RefusedKeyRecord;

/** An entry with its record and payload decoded. */
export interface Standing {
  readonly entry: Entry;
  readonly record: DedupRecord;
  readonly payload: string;
}

export function standing(entry: Entry): Standing {
  const { header, payload } = decodeRecord<DedupRecord>(entry.value);
  return { entry, record: header, payload };
}

export function encodeDedup(record: DedupRecord): string {
  return encodeRecord(record);
}

/** A done record with its result, or without it if it cannot be stored. */
export function encodeDone(
  { attempt, fingerprint }: Finished,
  value: unknown,
  maxValueBytes: number,
): string {
  const payload = checkedPayload(value, maxValueBytes);
  const unavailable = payload === undefined || undefined;
  const done: DoneRecord = { state: "done", attempt, fingerprint, unavailable };
  return encodeRecord(done, payload);
}

/** A rejection as it is kept; what is too long to be stored is cut, since it has to be recorded. */
export function rejection(code: string, message: string): Rejection {
  const cut = (text: string): string => text.slice(0, 2 ** 16);
  return { state: "failed", code: cut(code), message: cut(message) };
}

/**
 * How long a running record lives: evidence of a crash must not vanish. Only under "rerun" does it
 * end, and not even there once an attempt ended without a known outcome.
 */
export function runningTtlMs(
  { onCrash }: { readonly onCrash: OnCrash },
  { retentionMs }: { readonly retentionMs: number },
  { unresolved }: Pick<Attempts, "unresolved">,
): number | "never" {
  return onCrash === "rerun" && !unresolved ? retentionMs : "never";
}

/** What is left of a record's lease in store time; 0 or less unless it is running. */
export function leaseLeftMs({ record, entry }: Standing, now: number): number {
  return record.state === "running" ? record.leaseMs - (now - entry.writtenAt) / 1000 : 0;
}

/** Whether an attempt ended without a known outcome, once no lease runs. */
export function isUnresolved(record: RunningRecord | OpenRecord): boolean {
  return record.state === "running" || record.unresolved === true;
}
