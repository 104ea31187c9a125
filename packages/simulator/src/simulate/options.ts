// The options of `simulate` and their defaults.

import type { FaultName } from "../world/fault-plan.js";
import type { ProfileId } from "../world/profile.js";
import type {
  EffectMap,
  EffectsOption,
  HandlerContext,
  NodeContext,
  ServiceMap,
} from "./context.js";
import type { SimulatedHistory } from "./run-log.js";

/**
 * How requests come: `retries`, once and again until answered; `doubleClick`, by a second sender at
 * the same time too; `redelivery`, a second time some seconds later.
 */
export type Traffic = "retries" | "doubleClick" | "redelivery";

/** How a client goes on until it has its answer. */
export interface ClientOptions {
  /** @defaultValue 8 */
  readonly tries?: number;
  /** How long one try waits for an answer. @defaultValue 15_000 */
  readonly patienceMs?: number;
  /** How long it pauses before the next try. @defaultValue 1_000 */
  readonly gapMs?: number;
  /**
   * Whether an error that the handler threw is an answer, so that the client does not ask again.
   * @defaultValue core's `Final` is one
   */
  readonly isFinal?: (error: unknown) => boolean;
}

/** Options of `simulate`. */
export interface SimulateOptions<R, S extends ServiceMap, E extends EffectsOption, L> {
  /** Your code. What it returns is the answer; what it throws makes the client try again. */
  readonly handler: (request: R, context: HandlerContext<S, E, L>) => unknown;
  /** Whatever must not happen twice or get lost: names, or options by name; made anew for each run. */
  readonly effects: E | ((services: S) => E);
  /** What the handler reads and writes: plain objects, made anew for each run. @defaultValue none */
  readonly services?: () => S;
  /** Sent at the same time, each by a client of its own. @defaultValue `[{ id: "r1" }]` */
  readonly requests?: readonly R[];
  /** Runs at each start of a node: what a process keeps in memory. @defaultValue nothing */
  readonly start?: (context: NodeContext<S, E>) => L;
  /** A check of your own at the end of each run: what is wrong, in one line. @defaultValue none */
  readonly check?: (history: SimulatedHistory<S>) => string | undefined;
  /** @defaultValue 2 */
  readonly nodes?: number;
  /** The kind of store behind `context.store`. @defaultValue "durable" */
  readonly store?: ProfileId;
  /** @defaultValue all three */
  readonly traffic?: readonly Traffic[];
  readonly client?: ClientOptions;
  /** Whether all answers to one request must be equal. @defaultValue true */
  readonly sameAnswers?: boolean;
  /** The lease of what you use: faults last shorter and longer than it. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** How long a call waits for its answer. @defaultValue 200 */
  readonly timeoutMs?: number;
  /** Faults that are left out. @defaultValue none */
  readonly without?: readonly FaultName[];
  /**
   * How many plans are tried: those of one fault first, then a sample of two.
   * @defaultValue all of one fault, up to 3_000, and 300 of two
   */
  readonly budget?: { readonly plans?: number };
  /** Determines latencies, clocks, random bytes and the sample. @defaultValue 1 */
  readonly seed?: number;
  /** Whether real time and randomness inside the handler are an error. @defaultValue true */
  readonly guard?: boolean;
  /** A finding's token: carries out that run alone. */
  readonly replay?: string;
  /** Ends the search early; the report says that it is not complete. */
  readonly signal?: AbortSignal;
}

/** The options as the parts of the simulation use them, without the caller's types. */
export interface Resolved {
  readonly handler: (
    request: unknown,
    context: HandlerContext<unknown, unknown, unknown>,
  ) => unknown;
  readonly start: ((context: NodeContext<unknown, unknown>) => unknown) | undefined;
  readonly check: ((history: SimulatedHistory) => string | undefined) | undefined;
  readonly makeServices: () => ServiceMap;
  readonly makeEffects: (services: ServiceMap) => EffectMap;
  readonly effects: EffectMap;
  readonly services: readonly string[];
  readonly requests: readonly unknown[];
  readonly nodes: readonly string[];
  readonly store: ProfileId;
  readonly traffic: readonly Traffic[];
  readonly client: Required<ClientOptions>;
  readonly sameAnswers: boolean;
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly without: readonly FaultName[];
  readonly plans: number | undefined;
  readonly seed: number;
  readonly guard: boolean;
  readonly replay: string | undefined;
  readonly signal: AbortSignal | undefined;
}
