// Where in a handler a fault struck: between which two of its awaited calls, in words.

import type { FaultAt } from "../world/fault-plan.js";
import type { LoggedCall } from "./run-log.js";

/** The faults of a gap, as columns. */
export type GapFault =
  | "lost request"
  | "lost reply"
  | "late request"
  | "late reply"
  | "duplicate"
  | "refused"
  | "cut"
  | "crash"
  | "pause"
  | "clock"
  | "store";

export const GAP_FAULTS: readonly GapFault[] = [
  "lost request",
  "lost reply",
  "late request",
  "late reply",
  "duplicate",
  "refused",
  "cut",
  "crash",
  "pause",
  "clock",
  "store",
];

export function gapFaultOf({ fault }: FaultAt): GapFault {
  switch (fault) {
    case "dropRequest":
      return "lost request";
    case "dropReply":
      return "lost reply";
    case "holdRequest":
      return "late request";
    case "holdReply":
      return "late reply";
    case "refuse":
      return "refused";
    case "suspend":
      return "pause";
    case "jumpClock":
      return "clock";
    case "duplicate":
    case "cut":
    case "crash":
    case "pause":
      return fault;
    default:
      return "store";
  }
}

/** Two steps of a handler with an `await` between them. */
export interface Gap {
  readonly after: string;
  readonly before: string;
  /** The call that was struck. */
  readonly step: string;
}

export const REQUEST = "request";
export const ANSWER = "answer";
const CLIENT = "client";

/** The gap in which what happens to a client's request falls. */
export const FROM_CLIENT: string = `${CLIENT} → ${REQUEST}`;

export function labelOf({ after, before }: Gap): string {
  return `${after} → ${before}`;
}

/** `between charge and mail`, `before find`, `after save`. */
export function gapInWords({ after, before }: Gap): string {
  if (after === CLIENT) {
    return "before the handler runs";
  }
  if (after === ANSWER) {
    return "after the handler has answered";
  }
  if (after === REQUEST) {
    return `before ${before}`;
  }
  return before === ANSWER ? `between ${after} and the answer` : `between ${after} and ${before}`;
}

/** Where a fault strikes in a run that made these calls. */
export function gapOf(fault: FaultAt, calls: readonly LoggedCall[], nodes: readonly string[]): Gap {
  if (!nodes.includes(fault.from)) {
    // A copy that reaches a node is another request to its handler.
    return isAfter(fault) && fault.fault !== "duplicate"
      ? { after: ANSWER, before: CLIENT, step: ANSWER }
      : { after: CLIENT, before: REQUEST, step: REQUEST };
  }
  const struck = calls.find(
    ({ from, to, nth }) => from === fault.from && to === fault.to && nth === fault.nth,
  );
  const step = struck?.step ?? fault.to;
  const own = calls.filter(({ run }) => run === struck?.run);
  const at = struck === undefined ? -1 : own.indexOf(struck);
  return isAfter(fault)
    ? { after: step, before: own[at + 1]?.step ?? ANSWER, step }
    : { after: own[at - 1]?.step ?? REQUEST, before: step, step };
}

/** Whether the struck call was carried out before the fault is felt. */
function isAfter(fault: FaultAt): boolean {
  switch (fault.fault) {
    case "dropReply":
    case "holdReply":
    case "duplicate":
      return true;
    case "cut":
      return fault.legs === "replies";
    case "crash":
    case "pause":
    case "suspend":
      return fault.phase === "reply";
    case "restartStore":
    case "failover":
      return fault.phase === "apply";
    default:
      return false;
  }
}

/** The labels of all gaps of a run that made these calls, in the order of its handlers' steps. */
export function gapsOf(calls: readonly LoggedCall[]): readonly string[] {
  const labels = [FROM_CLIENT];
  for (const run of new Set(calls.map((call) => call.run))) {
    const steps = calls.filter((call) => call.run === run).map(({ step }) => step);
    const all = [REQUEST, ...steps, ANSWER];
    labels.push(...steps.map((step, at) => `${all[at]} → ${step}`), `${all.at(-2)} → ${ANSWER}`);
  }
  return [...new Set(labels), `${ANSWER} → ${CLIENT}`];
}
