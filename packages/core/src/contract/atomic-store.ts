// The contract every store adapter implements: two atomic primitives, `read` and `write`.
// Clauses S0 to S11 (docs/guarantees.md) fix what they mean; every algorithm rests on them alone.

import type { StoreCapabilities } from "./store-capabilities.js";

/**
 * Names one applied write, even across a failover that lost some: the key's revision and the opId
 * of the write that made it.
 */
export interface Stamp {
  /** Strictly increasing per key; a safe integer in microseconds of the store's clock. */
  readonly revision: number;
  /** 128 unguessable bits as 22 base64url characters. */
  readonly opId: string;
}

/** What a key holds while it is live. All times are integer microseconds of the store's clock. */
export interface Entry {
  readonly value: string;
  readonly stamp: Stamp;
  /** Between the arrival of the write that made this entry and its application. */
  readonly writtenAt: number;
  /** The entry is seen before this instant and never at or after it; absent means never. */
  readonly expiresAt?: number;
}

/** The answer to a read: one instant of one key. */
export interface Observation {
  /** The live entry, if there is one. */
  readonly entry?: Entry;
  /** The key's latest revision, also when only a tombstone is left. */
  readonly revision?: number;
  /** The store's clock at that instant, in microseconds. */
  readonly now: number;
}

/** How long an entry lives from the moment it is written; never rounded down by the store. */
export type Ttl = number | "never";

/** A new value with a new life. */
export interface NextValue {
  readonly value: string;
  readonly ttlMs: Ttl;
}

/** Applies only if there is no live entry (and, with `absentSince: r`, no revision beyond r). */
export interface CreateWrite {
  readonly key: string;
  /** Fresh per intent and the same on every re-issue of it. */
  readonly opId: string;
  readonly expect: "absent" | { readonly absentSince: number };
  readonly next: NextValue;
}

/** Applies only if the live entry bears exactly this stamp. */
export interface StampedWrite {
  readonly key: string;
  readonly opId: string;
  readonly expect: Stamp;
  readonly next:
    | { readonly value: string; readonly ttlMs: Ttl | "keep" }
    /** The same value under a new stamp: a cheap renewal of a large value. */
    | { readonly touch: true; readonly ttlMs: Ttl }
    | "removed";
}

/** One conditional step. There is no blind write: every write names the state it expects. */
export type Write = CreateWrite | StampedWrite;

/** It was applied, now or by an earlier send of the same opId (`replayed`). */
export interface Applied {
  readonly outcome: "applied";
  readonly revision: number;
  readonly writtenAt: number;
  readonly expiresAt?: number;
  readonly now: number;
  /** True if an earlier send of this opId had applied it: it happened, not that it still stands. */
  readonly replayed: boolean;
}

/** It did not apply; the state that refused it, observed at one instant within the call. */
export interface Refused {
  readonly outcome: "refused";
  readonly entry?: Entry;
  readonly revision?: number;
  readonly now: number;
}

/** It may have happened, or may yet happen. */
export interface Unknown {
  readonly outcome: "unknown";
  readonly cause: unknown;
}

export type WriteResult = Applied | Refused | Unknown;

/**
 * A key-value store with two atomic primitives.
 *
 * Guarantee: clauses S0 to S11. Per key, reads and writes are linearizable; time is the store's.
 * Cost: one store call each.
 * Fails: `read` throws StoreError `unavailable`; `write` never throws for a lost reply (it answers
 * `unknown`) and throws StoreError only for what certainly did nothing. After `close`: `closed`.
 */
export interface AtomicStore {
  readonly capabilities: StoreCapabilities;
  read(key: string): Promise<Observation>;
  write(write: Write): Promise<WriteResult>;
  close(): Promise<void>;
}
