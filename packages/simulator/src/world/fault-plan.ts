// Fault plans as plain data: which call of whom to whom is struck, and by what. Plain data can be
// enumerated, drawn, shrunk, printed and replayed.

/** The call that a fault strikes: the `nth` (from 1) that `from` sends to `to` in a run. */
export interface CallAt {
  readonly from: string;
  readonly to: string;
  readonly nth: number;
}

/**
 * One thing that goes wrong. `send` is the moment before the request leaves, `arrive` the moment
 * before it is carried out, `apply` the moment after, `reply` the moment before its answer is seen.
 */
export type WorldFault =
  /** The request is lost. */
  | { readonly fault: "dropRequest" }
  /** It is carried out and the answer is lost. */
  | { readonly fault: "dropReply" }
  /** The request is under way for so much longer, and arrives all the same. */
  | { readonly fault: "holdRequest"; readonly forMs: number }
  /** The answer is under way for so much longer. */
  | { readonly fault: "holdReply"; readonly forMs: number }
  /** The request arrives a second time, so much later. */
  | { readonly fault: "duplicate"; readonly afterMs: number }
  /** The connection is refused: certainly nothing happens, and the caller is told so. For so long
   * all further calls of the link are refused too; without a time this one alone. */
  | { readonly fault: "refuse"; readonly forMs?: number }
  /** The caller's process dies, and starts anew so much later. */
  | { readonly fault: "crash"; readonly phase: "send" | "reply"; readonly forMs: number }
  /** The caller's process stands still, its clocks go on: a garbage collection, a stalled loop. */
  | { readonly fault: "pause"; readonly phase: "send" | "reply"; readonly forMs: number }
  /** As `pause`, and its monotonic clock stands still: a suspended machine. */
  | { readonly fault: "suspend"; readonly phase: "send" | "reply"; readonly forMs: number }
  /** Messages between the two are lost from the sending on, one way or both. */
  | {
      readonly fault: "cut";
      readonly legs: "requests" | "replies" | "both";
      readonly forMs: number;
    }
  /** The caller's wall clock jumps at the sending. */
  | { readonly fault: "jumpClock"; readonly byMs: number }
  /** The store's clock jumps before the request is carried out. */
  | { readonly fault: "jumpStoreClock"; readonly byMs: number }
  /** The store dies and is back at once, without its last `loses` writes. The request is lost
   * (`arrive`), or answered before (`apply`). */
  | { readonly fault: "restartStore"; readonly phase: "arrive" | "apply"; readonly loses: number }
  /** A replica that lacks the last `loses` writes takes over, its clock `lagMs` behind. */
  | {
      readonly fault: "failover";
      readonly phase: "arrive" | "apply";
      readonly loses: number;
      readonly lagMs: number;
    }
  /** The connection is lost at the store, which rolls back its transaction; the caller is told at
   * once that there will be no answer. The request is lost (`arrive`) or carried out (`apply`). */
  | { readonly fault: "disconnect"; readonly phase: "arrive" | "apply" }
  /** The store evicts the keys of this request before it carries it out. */
  | { readonly fault: "evict" }
  /** From here on and for so long, reads are answered by a replica that stands still. */
  | { readonly fault: "staleReads"; readonly forMs: number };

/** The name of a fault. */
export type FaultName = WorldFault["fault"];

/** A fault and the call that it strikes. */
export type FaultAt = CallAt & WorldFault;

/** What goes wrong in one run. */
export type FaultPlan = readonly FaultAt[];

/** The faults of a plan by call. */
export class FaultIndex {
  readonly #byCall = new Map<string, FaultAt[]>();

  constructor(plan: FaultPlan) {
    for (const fault of plan) {
      const key = callKey(fault.from, fault.to, fault.nth);
      const known = this.#byCall.get(key);
      if (known === undefined) {
        this.#byCall.set(key, [fault]);
      } else {
        known.push(fault);
      }
    }
  }

  at(from: string, to: string, nth: number): readonly FaultAt[] {
    return this.#byCall.size === 0 ? NONE : (this.#byCall.get(callKey(from, to, nth)) ?? NONE);
  }
}

const NONE: readonly FaultAt[] = [];

function callKey(from: string, to: string, nth: number): string {
  return `${from} ${to} ${nth}`;
}
