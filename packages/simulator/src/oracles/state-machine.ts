// What state machines promise to those who fire: one answer per request, moves that follow one
// another, states that the moves explain. The entity's own history is judged in machine-history.ts.

import { operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { equal } from "./equality.js";
import { didNothing, firstOf, isOpen, lastAsked, ms, named, precedes, told } from "./judge.js";
import { type Fire, isTold, resultOf } from "./machine-chain.js";
import { answeredAnew, type Memory, outlasted, overlapsOther, requestsOf } from "./requests.js";

export { machineHistory, machineStates } from "./machine-history.js";
export { type MachineRules, machineIllegal } from "./machine-legal.js";
export { machineMovesOnce } from "./machine-moves.js";

const SAME_ANSWER =
  "Each (id, requestId) moves the entity at most once and gets the same answer again, refusals included, though the entity has moved on.";
const ALREADY_THERE = "Without a requestId, already-at-target is success and says so.";

function sayOf(call: Fire): unknown {
  const result = resultOf(call);
  if (result === undefined || !("replayed" in result)) return undefined;
  const { replayed: _, ...say } = result;
  return say;
}

/** Each request gets one answer as long as it is remembered, and moves in one call at most. */
export function machineSameAnswer(memory: Memory = {}): Guarantee {
  return {
    id: "machine/same-answer",
    sentence: SAME_ANSWER,
    judge: (history, setting) =>
      firstOf(requestsOf(operationsOf(history, "machine.fire"), setting, memory), ({ calls }) => {
        const answered = calls.filter(isTold);
        const first = answered[0];
        if (first === undefined) return undefined;
        const other = answered.find((call) => !equal(sayOf(call), sayOf(first)));
        const [one, two] = answered.filter((call) => {
          const result = resultOf(call);
          return result?.outcome === "moved" && !result.replayed;
        });
        if (other === undefined && two === undefined) return undefined;
        const [a, b] = other === undefined ? [one ?? first, two ?? first] : [first, other];
        return `request "${first.input.requestId}" has two answers: ${named(a)} was told ${told(a)}, ${named(b)} ${told(b)}`;
      }),
  };
}

/** Only without a request id is *alreadyThere* told, and then no refusal by the target state. */
export const machineAlreadyThere: Guarantee = {
  id: "machine/already-there",
  sentence: ALREADY_THERE,
  judge(history) {
    const fires = operationsOf(history, "machine.fire");
    const targets = new Map<string, Set<string>>();
    for (const call of fires) {
      const result = resultOf(call);
      if (result?.outcome !== "moved") continue;
      targets.set(result.event, (targets.get(result.event) ?? new Set()).add(result.to));
    }
    return firstOf(fires, (call) => {
      const result = resultOf(call);
      const { requestId } = call.input;
      if (result?.outcome === "alreadyThere" && requestId !== undefined) {
        return `${named(call)} was told ${told(call)}, though it bears the request id "${requestId}"`;
      }
      if (result?.outcome !== "refused" || requestId !== undefined) return undefined;
      const known = targets.get(result.event);
      if (known?.size !== 1 || !known.has(result.state)) return undefined;
      return `${named(call)} without a request id was told ${told(call)}, though ${result.state} is where the event leads`;
    });
  },
};

/** An entity is created by one request, which is told so again, and is found from then on. */
export const machineOneCreator: Guarantee = {
  id: "machine/one-creator",
  sentence: SAME_ANSWER,
  judge(history) {
    const creates = operationsOf(history, "machine.create");
    const known = creates.filter((call) => {
      const outcome = returnedBy<"machine.create">(call)?.outcome;
      return outcome === "created" || outcome === "replayed" || outcome === "exists";
    });
    const outcomeOf = (call: (typeof creates)[number]): string | undefined =>
      returnedBy<"machine.create">(call)?.outcome;
    const twice = firstOf(known, (call) => {
      const other = known.find((each) => {
        if (each === call || each.key !== call.key || outcomeOf(each) === "exists") return false;
        const { requestId } = each.input;
        const same = requestId !== undefined && requestId === call.input.requestId;
        return same ? outcomeOf(call) === "exists" : outcomeOf(call) !== "exists";
      });
      if (other === undefined) return undefined;
      return `"${call.key}" has two creators: ${named(other)} was told ${outcomeOf(other)}, ${named(call)} ${outcomeOf(call)}`;
    });
    if (twice !== undefined) return twice;
    const looks = operationsOf(history, "machine.get").filter((call) => {
      const { answer } = call;
      return answer !== undefined && "returned" in answer && answer.returned === undefined;
    });
    const missed = operationsOf(history, "machine.fire").filter((call) => {
      return resultOf(call)?.outcome === "notFound" && !call.input.withSnapshot;
    });
    return firstOf([...missed, ...looks], (call) => {
      const made = known.find((each) => each.key === call.key && precedes(each, call));
      return (
        made && `${named(call)} found nothing, though ${named(made)} was told ${outcomeOf(made)}`
      );
    });
  },
};

/**
 * *Expired* is told only of a request that came with a snapshot, or that others may have crowded out
 * while it was under way, or that took longer than the retention; and with a snapshot no request is answered anew.
 */
export const machineExpiredNeedsSnapshot: Guarantee = {
  id: "machine/expired-needs-snapshot",
  sentence:
    "a request that is not found there, and whose snapshot is older than the newest dropped request, is *expired* and not run; without a snapshot it counts as new.",
  judge(history, setting) {
    const fires = operationsOf(history, "machine.fire");
    const call = fires.find((each) => {
      if (resultOf(each)?.outcome !== "expired" || each.input.withSnapshot) return false;
      if (outlasted(each, setting)) return false;
      return !fires.some((other) => overlapsOther(other, each));
    });
    if (call) return `${named(call)} was told expired, though it came without a snapshot`;
    const [one, two] = answeredAnew(fires) ?? [];
    if (one === undefined || two === undefined) return undefined;
    return `request "${one.input.requestId}" was answered anew in spite of its snapshot: ${named(one)} was told ${told(one)}, ${named(two)} ${told(two)}`;
  },
};

/** An answer names an event that was fired under its request id, or by the call itself. */
export const machineOneEvent: Guarantee = {
  id: "machine/one-event",
  sentence:
    "A requestId is bound to one event: used again with another it gets the first one's answer, which names the event.",
  judge(history) {
    const fires = operationsOf(history, "machine.fire");
    return firstOf(fires, (call) => {
      const result = resultOf(call);
      if (result === undefined || !("event" in result) || result.event === call.input.event) {
        return undefined;
      }
      const { requestId } = call.input;
      const asked = fires.some(({ key, input, beganUs, answer }) => {
        const same = requestId !== undefined && input.requestId === requestId && key === call.key;
        const did =
          answer === undefined || "returned" in answer || answer.threw.code !== "unavailable";
        return same && did && input.event === result.event && beganUs <= (call.endedUs ?? beganUs);
      });
      if (asked) return undefined;
      return `${named(call)} fired ${call.input.event} and was told ${told(call)}, an event that its request had not fired`;
    });
  },
};

/** Without faults, creates, events and looks are answered. */
export const machineSettles: Guarantee = {
  id: "machine/settles",
  sentence: SAME_ANSWER,
  judge(history) {
    if (history.healedUs === undefined) return undefined;
    const fires = lastAsked(operationsOf(history, "machine.fire"), ({ key, input }) => {
      return `${key}\n${input.requestId}\n${input.event}`;
    });
    const contended = fires.find((call) => resultOf(call)?.outcome === "contended");
    const others = [
      ...lastAsked(operationsOf(history, "machine.create"), ({ key }) => key),
      ...lastAsked(operationsOf(history, "machine.history"), ({ key }) => key),
      ...lastAsked(operationsOf(history, "machine.get"), ({ key }) => key),
    ];
    const open = [...fires, ...others].find((call) => isOpen(call) || didNothing(call));
    const call = contended ?? open;
    if (call === undefined) return undefined;
    return `${named(call)} was told ${told(call)}, though faults ended at ${ms(history.healedUs)}`;
  },
};
