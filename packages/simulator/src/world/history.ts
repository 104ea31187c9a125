// What the oracles judge: who asked what of whom and was told what, which effects took place, and
// when a node believed to hold something. Times are virtual, in whole microseconds.

/** One call of an algorithm's public operation, or one request of a client. */
export interface Operation {
  readonly id: number;
  /** The node that asked, or the client. */
  readonly by: string;
  /** Which life of the node: 1 until its first crash. */
  readonly life: number;
  /** The public method, e.g. `dedup.run`, `lock.acquire`, `tokens.consume`; `request` for a client's. */
  readonly method: string;
  /** What it was about: the idempotency key, the resource, the entity's id, the token's subject. */
  readonly key: string;
  /** The other arguments, as plain data. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly beganUs: number;
  /** Undefined while it has no answer: for ever, if the node crashed. */
  endedUs?: number;
  answer?: Answer;
}

/** What an operation was answered. */
export type Answer =
  | { readonly returned: unknown }
  | { readonly threw: { readonly code: unknown; readonly message: string } };

/** Something that reached a sink. */
export interface Effect {
  readonly id: number;
  readonly sink: string;
  readonly key: string;
  /** The node that caused it, and the operation on whose behalf. */
  readonly by: string;
  readonly operation?: number;
  readonly atUs: number;
  /** False if the sink refused it, or knew it already: then nothing took place. */
  readonly accepted: boolean;
  readonly fencingToken?: number;
  readonly value?: unknown;
}

/** A time during which a node's own code believed something: to hold a lock, to run a handler. */
export interface Span {
  readonly id: number;
  readonly kind: string;
  readonly by: string;
  readonly life: number;
  readonly key: string;
  readonly operation?: number;
  readonly fencingToken?: number;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly fromUs: number;
  /** Undefined if it never ended: the node crashed, or the run was over. */
  untilUs?: number;
  /** How it ended, as plain data. */
  result?: unknown;
}

/** All that a run left for the oracles. */
export interface History {
  readonly operations: readonly Operation[];
  readonly effects: readonly Effect[];
  readonly spans: readonly Span[];
  /** When faults ended; what was asked after it must settle. */
  readonly healedUs: number | undefined;
  /** What the scenario looked up at the very end, without faults, by name. */
  readonly findings: Readonly<Record<string, unknown>>;
}
