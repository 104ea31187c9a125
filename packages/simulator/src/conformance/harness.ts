// What an adapter's author supplies to the conformance kit, and the cases that come back. No test
// runner is imported: a case is a title and a function.

import type { AtomicStore, Runtime } from "@onceproof/core/advanced";

/** The clauses of the contract, and the optional capabilities with clauses of their own. */
export type Clause =
  | "S0"
  | "S1"
  | "S2"
  | "S3"
  | "S4"
  | "S5"
  | "S6"
  | "S7"
  | "S8"
  | "S9"
  | "S10"
  | "S11"
  | "multiKey"
  | "transactional"
  | "watchable"
  | "sweepable";

/** Ends what was begun. */
export type Lift = () => Promise<void> | void;

/**
 * One data set, empty at the start, and what can be done to it. Each hook that is left out skips
 * the cases that need it, with the reason.
 */
export interface ConformanceFixture {
  /** The client under test. */
  readonly store: AtomicStore;
  /** A second client of the same data, on a connection of its own. */
  readonly peer?: AtomicStore;
  /** A client of another namespace on the same server. */
  readonly otherNamespace?: AtomicStore;
  /**
   * What the name of `otherNamespace` has beyond the name of this one, if it begins with that name.
   * Let it begin with whatever the adapter puts between name and key: `"orders"` and `"orders:x"`
   * have the tail `":x"`.
   */
  readonly otherNamespaceTail?: string;
  /**
   * Moves the store's clock forward by so much; a case fails where it does not. Without it, cases
   * that need little time wait for it, and cases that need more are skipped.
   */
  readonly advance?: (byMs: number) => Promise<void>;
  /**
   * Moves the store's clock back by so much; a case fails where it does not. Leave it out where the
   * store's clock never goes back.
   */
  readonly stepBack?: (byMs: number) => Promise<void>;
  /** Stops and starts the server and returns a new client of the same data. */
  readonly restart?: () => Promise<AtomicStore>;
  /** The next call on `store` reaches the server, and its reply is lost. */
  readonly loseReply?: () => Promise<void> | void;
  /** The next call on `store` is lost before it reaches the server. */
  readonly loseRequest?: () => Promise<void> | void;
  /**
   * From now on the server takes the calls of `store` and answers none of them, or no writes where
   * reads need no server, until what this returns is called. What was taken may be carried out then.
   * Other clients may be held up too.
   */
  readonly stall?: () => Promise<Lift> | Lift;
  /** Frees everything; also called after a case has closed `store`. */
  close(): Promise<void>;
}

/** How the kit gets at a store. */
export interface ConformanceHarness {
  /** Makes a new, empty data set: a fresh namespace will do. */
  create(): Promise<ConformanceFixture>;
  /** Frees what all data sets share; `runStoreConformance` calls it at its end. */
  destroy?(): Promise<void>;
  /** Whose timers carry the kit's own waits. @defaultValue `systemRuntime` */
  readonly runtime?: Runtime;
  /** The longest wait for the store's clock where it is not driven. @defaultValue 2_000 */
  readonly maxWaitMs?: number;
  /** How much later than its operation timeout a call may settle. @defaultValue 1_000 */
  readonly settleMarginMs?: number;
  /**
   * Cases that this store is known not to meet, by id, each with the reason to print. They are run
   * all the same, and one that passes is a failure: a gap that has been closed is no gap.
   */
  readonly knownGaps?: Readonly<Record<string, string>>;
  /** Decides what the recorded workloads do; a failure prints it. @defaultValue 1 */
  readonly seed?: number;
  /** Carries a case to its end where time is virtual. @defaultValue it is awaited */
  readonly drive?: <T>(promise: Promise<T>) => Promise<T>;
  /** Told of each skip, known gaps included, when the test runner's context can't be. */
  readonly onSkip?: (conformanceCase: ConformanceCase, reason: string) => void;
}

/** What Vitest and node:test pass to a test, as far as the kit uses it. */
export interface SkipContext {
  skip(reason: string): unknown;
}

/** One law of the contract that a plain test can show. */
export interface ConformanceCase {
  /** Stable across releases. */
  readonly id: string;
  readonly clause: Clause;
  readonly title: string;
  /** Without one of these it is skipped. */
  readonly needs: readonly Need[];
  /**
   * Rejects with a ConformanceError if the store breaks the law. A skip goes to `context.skip`, else
   * to the harness' `onSkip`; with neither it rejects with a ConformanceSkip, so none is hidden.
   */
  readonly run: (context?: SkipContext) => Promise<void>;
}

/** What a case needs beside a store. */
export type Need =
  | Exclude<keyof ConformanceFixture, "store" | "close">
  | "writeAll"
  | "transaction"
  | "watch"
  | "sweep"
  | "durable";
