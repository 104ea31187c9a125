// What can go wrong between a client and its store, as plain data: a fault can be planned, drawn
// from a seed, recorded, shrunk and replayed.

import type { Random } from "./random.js";

/** One thing that goes wrong with one call. Times count from the moment the call is sent. */
export type Fault =
  /** The request is lost: nothing is applied, and the caller learns nothing. */
  | { readonly fault: "dropRequest" }
  /** It is applied and the reply is lost. */
  | { readonly fault: "dropReply" }
  /** Both ways are slower; beyond the operation timeout the caller learns nothing. */
  | { readonly fault: "delay"; readonly requestMs: number; readonly replyMs: number }
  /** The request arrives a second time, perhaps after other calls and after its first answer. */
  | { readonly fault: "duplicate"; readonly afterMs: number }
  /** The request arrives only after the caller has been told `unknown`. */
  | { readonly fault: "deliverLate"; readonly afterMs: number }
  /** The connection is refused: certainly nothing happened, and the call throws. */
  | { readonly fault: "unavailable" }
  /** Before the call is sent, the store's clock jumps to this distance from the client's. */
  | { readonly fault: "clockOffset"; readonly offsetMs: number };

/** A fault and the call that it strikes: 1 is the first read, write, writeAll or transaction. */
export type PlannedFault = Fault & { readonly call: number };

/** How often each fault strikes, as a probability per call from 0 to 1. */
export interface FaultRates {
  /** @defaultValue 0.05 */
  readonly dropRequest: number;
  /** @defaultValue 0.1 */
  readonly dropReply: number;
  /** @defaultValue 0.1 */
  readonly delay: number;
  /** @defaultValue 0.1 */
  readonly duplicate: number;
  /** @defaultValue 0.05 */
  readonly deliverLate: number;
  /** @defaultValue 0.05 */
  readonly unavailable: number;
  /** Needs a `clock`. @defaultValue 0.05 */
  readonly clockOffset: number;
  /** A watch that sleeps through every change. @defaultValue 0.1 */
  readonly lostWakeUp: number;
}

/** The default of every rate. */
export const DEFAULT_RATES: FaultRates = {
  dropRequest: 0.05,
  dropReply: 0.1,
  delay: 0.1,
  duplicate: 0.1,
  deliverLate: 0.05,
  unavailable: 0.05,
  clockOffset: 0.05,
  lostWakeUp: 0.1,
};

/** Nothing goes wrong. */
export const NO_FAULTS: FaultRates = {
  dropRequest: 0,
  dropReply: 0,
  delay: 0,
  duplicate: 0,
  deliverLate: 0,
  unavailable: 0,
  clockOffset: 0,
  lostWakeUp: 0,
};

/** The extents of drawn faults. */
export interface FaultExtents {
  readonly operationTimeoutMs: number;
  readonly maxDelayMs: number;
  readonly maxLateMs: number;
  readonly maxClockOffsetMs: number;
}

/** Draws the faults of one call; each kind costs the same draws whether it strikes or not. */
export function drawFaults(random: Random, rates: FaultRates, extents: FaultExtents): Fault[] {
  const { operationTimeoutMs, maxDelayMs, maxLateMs, maxClockOffsetMs } = extents;
  const faults: Fault[] = [];
  const draw = (rate: number, fault: Fault): void => {
    if (random.chance(rate)) {
      faults.push(fault);
    }
  };
  draw(rates.clockOffset, {
    fault: "clockOffset",
    offsetMs: random.int(-maxClockOffsetMs, maxClockOffsetMs),
  });
  draw(rates.unavailable, { fault: "unavailable" });
  draw(rates.dropRequest, { fault: "dropRequest" });
  draw(rates.deliverLate, {
    fault: "deliverLate",
    afterMs: random.int(operationTimeoutMs, Math.max(operationTimeoutMs, maxLateMs)),
  });
  draw(rates.dropReply, { fault: "dropReply" });
  draw(rates.delay, {
    fault: "delay",
    requestMs: random.int(0, maxDelayMs),
    replyMs: random.int(0, maxDelayMs),
  });
  draw(rates.duplicate, { fault: "duplicate", afterMs: random.int(0, maxLateMs) });
  return faults;
}

/** What the faults of one call amount to. */
export interface Route {
  refused: boolean;
  requestMs: number | "lost";
  replyMs: number | "lost";
  readonly duplicatesMs: number[];
  clockOffsetMs: number | undefined;
}

/** Adds the faults of one call up; of several that lose the same message one is enough. */
export function routeOf(faults: readonly Fault[], latency: readonly [number, number]): Route {
  const route: Route = {
    refused: false,
    requestMs: latency[0],
    replyMs: latency[1],
    duplicatesMs: [],
    clockOffsetMs: undefined,
  };
  const later = (ms: number | "lost", byMs: number): number | "lost" =>
    ms === "lost" ? ms : ms + byMs;
  for (const fault of faults) {
    switch (fault.fault) {
      case "dropRequest":
        route.requestMs = "lost";
        break;
      case "dropReply":
        route.replyMs = "lost";
        break;
      case "delay":
        route.requestMs = later(route.requestMs, fault.requestMs);
        route.replyMs = later(route.replyMs, fault.replyMs);
        break;
      case "duplicate":
        route.duplicatesMs.push(fault.afterMs);
        break;
      case "deliverLate":
        route.requestMs = later(route.requestMs, fault.afterMs);
        route.replyMs = "lost";
        break;
      case "unavailable":
        route.refused = true;
        break;
      case "clockOffset":
        route.clockOffsetMs = fault.offsetMs;
        break;
    }
  }
  return route;
}
