// How scenarios record what the algorithms were asked and answered, so that scenarios and oracles
// can be written apart: the method names, inputs and answers of operations, the kinds of spans, the
// sinks. Oracles know this file, world/history.ts and docs/guarantees.md, and nothing of core's code.

import type {
  Admission,
  Consumption,
  CreateResult,
  DedupResult,
  FireResult,
  HistoryItem,
  InsertResult,
  ReleaseOutcome,
  TransactionResult,
  UpdateResult,
} from "@onceproof/core";
import type {
  Observation,
  Write,
  WriteAllResult,
  WriteResult,
  WriteWithoutOpId,
} from "@onceproof/core/advanced";
import type { Answer, Effect, History, Operation, Span } from "../world/history.js";

/**
 * What handlers of dedup and of `tokens.run` return. `run` numbers the runs of handlers over all
 * nodes, so that no two runs return the same; a sink that dedups returns the first one's.
 */
export interface Charge {
  readonly key: string;
  readonly run: number;
}

/** What the data of an order lists: each move, appended in the step that made it. */
export interface MadeMove {
  readonly event: string;
  /** The operation that made it, so that one operation which moved twice is seen. */
  readonly operation: number;
  readonly requestId?: string;
}

/** The table that handlers write to in the transaction of dedup. */
export const CHARGES = "charges";

/** The code of the business rejections of its handlers. */
export const DECLINED = "declined";

/** A row of it: one of several that one run writes. */
export interface ChargeRow {
  readonly run: number;
  /** From 0. */
  readonly part: number;
  readonly of: number;
}

/** What a dedup with transactions answers, also to calls without one. */
export type TransactionAnswer = TransactionResult<Charge> | DedupResult<Charge>;

/**
 * When a node saw what stands in the store, or that it cannot be reached: a read came to an end, or a
 * write was refused the connection.
 */
export interface Look {
  readonly by: string;
  readonly life: number;
  readonly atUs: number;
}

/** The finding `looks` of dedup's scenarios: all looks of some nodes. */
export interface Looks {
  readonly of: readonly string[];
  readonly looks: readonly Look[];
}

/** How a handler ends. Its effect comes before the end, unless it says otherwise. */
export type HandlerEnd =
  | "returns"
  /** A `Retryable`, before any effect, on the first attempt; later attempts return. */
  | "throwsRetryableFirst"
  /** A `Retryable`, before any effect, on each attempt. */
  | "throwsRetryable"
  /** An error that nobody classified, before any effect. */
  | "throwsBeforeEffect"
  /** A `Final`, before any effect. */
  | "throwsFinal"
  /** An error that nobody classified, after the effect. */
  | "throwsAfterEffect";

/**
 * Operations by method: `key` of the operation is the idempotency key (dedup), the subject (tokens),
 * the resource (lock, fence), the id (machine), the key (register), or the keys joined (unique,
 * store).
 *
 * - An answer that was thrown is recorded with its code, e.g. `unavailable`.
 * - An operation without an answer belongs to a node that crashed.
 * - Operations of the node `last` are asked after healing, one after the other, with retries.
 */
export interface Recorded {
  /** `client` tells whose request it serves: retries of one request are operations of their own. */
  readonly "dedup.attempt": {
    readonly input: {
      readonly client: string;
      readonly end: HandlerEnd;
      readonly fingerprint?: string | undefined;
      /** When the key was made, in the world's time; absent if it does not bear that. */
      readonly bornMs?: number | undefined;
    };
    readonly returned: DedupResult<Charge>;
  };
  /** Of a dedup with transactions: `plain` calls do without one. */
  readonly "dedup.transaction": {
    readonly input: {
      readonly client: string;
      readonly end: string;
      readonly fingerprint?: string | undefined;
      /** When the key was made, in the world's time; absent if it does not bear that. */
      readonly bornMs?: number | undefined;
      readonly plain: boolean;
    };
    readonly returned: TransactionAnswer;
  };
  /** A person's word on a key. */
  readonly "dedup.resolve": {
    readonly input: { readonly outcome: "done" | "failed" | "notDone" };
    readonly returned: { readonly outcome: string };
  };
  readonly "lock.acquire": {
    readonly input: { readonly client: string };
    readonly returned:
      | { readonly outcome: "acquired"; readonly token: number }
      | { readonly outcome: "held" }
      | { readonly outcome: "indeterminate" };
  };
  readonly "lock.extend": {
    /** `leaseMs` is the length that was asked for. */
    readonly input: { readonly token: number; readonly leaseMs?: number };
    readonly returned: "extended" | "lost" | "unknown";
  };
  readonly "lock.release": {
    readonly input: { readonly token: number };
    readonly returned: ReleaseOutcome;
  };
  readonly "fence.admit": {
    readonly input: { readonly token: number };
    readonly returned: Admission;
  };
  readonly "tokens.issue": {
    readonly input: { readonly client: string };
    readonly returned: string;
  };
  /** `subject` is the one given with the token: not always the one that it was issued for. */
  readonly "tokens.consume": {
    readonly input: {
      readonly client: string;
      readonly token: string;
      readonly subject: string;
      readonly requestId: string;
    };
    readonly returned: Consumption;
  };
  readonly "tokens.run": {
    readonly input: { readonly client: string; readonly token: string; readonly subject: string };
    readonly returned: Charge;
  };
  readonly "machine.create": {
    readonly input: { readonly client: string; readonly requestId?: string };
    readonly returned: CreateResult<string, unknown>;
  };
  readonly "machine.fire": {
    readonly input: {
      readonly client: string;
      readonly event: string;
      readonly requestId?: string;
      /** Whether it was fired with a snapshot that was taken when the request was made. */
      readonly withSnapshot: boolean;
      /** Whether it was fired without a data function: its move is not listed in the data. */
      readonly unlisted?: true;
    };
    readonly returned: FireResult<string, string>;
  };
  readonly "machine.history": {
    readonly input: Record<string, never>;
    readonly returned: readonly HistoryItem<string, string>[];
  };
  readonly "machine.get": {
    readonly input: Record<string, never>;
    readonly returned: { readonly state: string; readonly data: readonly MadeMove[] } | undefined;
  };
  /** Adds `delta` to a number that starts at `initial` in the workload; refuses to go below 0. */
  readonly "register.update": {
    readonly input: {
      readonly client: string;
      readonly requestId: string;
      readonly delta: number;
      readonly withSnapshot: boolean;
    };
    readonly returned: UpdateResult<number>;
  };
  readonly "register.get": {
    readonly input: Record<string, never>;
    readonly returned: number | undefined;
  };
  readonly "unique.insert": {
    readonly input: {
      readonly client: string;
      readonly requestId?: string;
      readonly keys: Readonly<Record<string, string>>;
      readonly value: unknown;
    };
    readonly returned: InsertResult<unknown>;
  };
  /** What stands under one of several unique keys. */
  readonly "unique.get": {
    readonly input: { readonly name: string; readonly uniqueKey: string };
    readonly returned: { readonly value: unknown; readonly keys: unknown } | undefined;
  };
  readonly "store.read": {
    readonly input: Record<string, never>;
    readonly returned: Observation;
  };
  /** What bears the same opId is one write, sent again. */
  readonly "store.write": {
    readonly input: { readonly client: string; readonly write: Write };
    readonly returned: Exclude<WriteResult, { outcome: "unknown" }> | NoAnswer;
  };
  readonly "store.writeAll": {
    readonly input: {
      readonly client: string;
      readonly opId: string;
      readonly writes: readonly WriteWithoutOpId[];
    };
    readonly returned: Exclude<WriteAllResult, { outcome: "unknown" }> | NoAnswer;
  };
}

/** The store's *unknown*, without its cause. */
export interface NoAnswer {
  readonly outcome: "unknown";
}

export type Method = keyof Recorded;

/**
 * Kinds of spans:
 * - `handler`: a handler of dedup or of `tokens.run` runs. `key`, `operation`, `fencingToken`;
 *   `detail: { run, attempt, takeover }`; `result` is `"returned"` or `"threw"`.
 * - `step`: the function of a step of dedup was called; `fencingToken`; `detail: { run, attempt }`;
 *   it ends, with the result `"recorded"`, when the handler saw its step resolve.
 * - `holds`: a node believes to hold a lock: from its acquisition until its own code saw it end
 *   (released, `lock.held` false, or the signal). `key`, `operation` (the acquisition),
 *   `fencingToken`; `detail: { others }` are the tokens of other acquisitions whose `held` was true
 *   at that very moment; `result` is `"released"` (release was called), `"notHeld"` or `"signal"`.
 *
 * Sinks (`Effect.sink`); `Effect.operation` is the operation on whose behalf it came:
 * - `bank`: charges of a handler; `key`, `fencingToken`, `value` is the run. `accepted` is false when
 *   the bank knew the charge by its child key, or refused an older fencing token.
 * - `disk`: writes of a lock's holder to a sink that checks its fencing token in the same step.
 * - `charges`: rows that were committed in a transaction of dedup; `value` is a `ChargeRow`.
 * - `printer`: writes of a lock's holder to a sink that checks nothing.
 */
export type SpanKind = "handler" | "step" | "holds";

/** An operation of one method. */
export type OperationOf<M extends Method> = Omit<Operation, "input" | "answer"> & {
  readonly input: Recorded[M]["input"];
  readonly answer?:
    | { readonly returned: Recorded[M]["returned"] }
    | Extract<Answer, { readonly threw: unknown }>;
};

/** The operations of one method, in the order in which they began. */
export function operationsOf<M extends Method>(history: History, method: M): OperationOf<M>[] {
  return history.operations.filter((each) => each.method === method) as unknown as OperationOf<M>[];
}

/** What an operation returned, if it did. */
export function returnedBy<M extends Method>(
  operation: OperationOf<M>,
): Recorded[M]["returned"] | undefined {
  const { answer } = operation;
  return answer !== undefined && "returned" in answer ? answer.returned : undefined;
}

export function spansOf(history: History, kind: SpanKind): readonly Span[] {
  return history.spans.filter((span) => span.kind === kind);
}

/** The effects that a sink accepted. */
export function acceptedBy(history: History, sink: string): readonly Effect[] {
  return history.effects.filter((effect) => effect.sink === sink && effect.accepted);
}
