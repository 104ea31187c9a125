// What dedup keeps under a key: the shapes of its record, in one place, and their encoding.

import { checkedPayload } from "../shared/payload.js";
import { decodeRecord, encodeRecord } from "../shared/record.js";

/** What survives from attempt to attempt. */
interface Attempts {
  /** How many attempts began, this one included. */
  readonly attempt: number;
  readonly fingerprint?: string;
  /** Results of recorded steps, encoded. */
  readonly steps?: { readonly [name: string]: string };
  /** Some earlier attempt ended without a known outcome. */
  readonly unresolved?: true;
}

/** An attempt is under way, or crashed: the lease, counted from `writtenAt`, tells which. */
export interface RunningRecord extends Attempts {
  readonly state: "running";
  /** The opId of the acquiring write. */
  readonly owner: string;
  readonly leaseMs: number;
  /** The handler said that it began to act. */
  readonly started?: true;
}

/** No attempt is under way; if not `unresolved`, the next one may simply run. */
export interface OpenRecord extends Attempts {
  readonly state: "open";
}

export interface DoneRecord {
  readonly state: "done";
  readonly attempt: number;
  readonly fingerprint?: string;
  /** The result could not be stored. */
  readonly unavailable?: true;
}

export interface FailedRecord {
  readonly state: "failed";
  readonly attempt: number;
  readonly fingerprint?: string;
  readonly code: string;
  readonly message: string;
}

/** A key judged by its birth time: too old to know whether it ran, or not yet valid. */
export interface RefusedKeyRecord {
  readonly state: "expired" | "early";
  readonly fingerprint?: string;
}

export type DedupRecord = RunningRecord | OpenRecord | DoneRecord | FailedRecord | RefusedKeyRecord;

/** Encodes a record; `payload` is the encoded result of a done one. */
export function encodeDedup(record: DedupRecord, payload = ""): string {
  return encodeRecord(record, payload);
}

/** Decodes a record and its payload. */
export function decodeDedup(value: string): { record: DedupRecord; payload: string } {
  const { header, payload } = decodeRecord<DedupRecord>(value);
  return { record: header, payload };
}

/** A done record with its result, or without it if it cannot be stored. */
export function encodeDone(done: DoneRecord, value: unknown, maxValueBytes: number): string {
  const payload = checkedPayload(value, maxValueBytes);
  return payload === undefined
    ? encodeDedup({ ...done, unavailable: true })
    : encodeDedup(done, payload);
}
