// What a fault did to a step of a handler, as a reader of the handler would say it.

import { describeFault } from "../report/fault-words.js";
import { formatMs } from "../report/words.js";
import type { FaultAt } from "../world/fault-plan.js";
import { ANSWER, type Gap, gapInWords, REQUEST } from "./gaps.js";

/** `between charge and save: api-1 crashed after charge was carried out, its answer unseen`. */
export function whereInWords(fault: FaultAt, gap: Gap): string {
  return `${gapInWords(gap)}: ${whatHappened(fault, gap.step)}`;
}

function whatHappened(fault: FaultAt, step: string): string {
  if (step === REQUEST || step === ANSWER) {
    return onTheWay(fault);
  }
  const { from: node } = fault;
  switch (fault.fault) {
    case "dropRequest":
      return `the request of \`${step}\` was lost, and ${node} got no answer`;
    case "dropReply":
      return `\`${step}\` was carried out, and its answer was lost`;
    case "holdRequest":
      return (
        `the request of \`${step}\` was ${formatMs(fault.forMs)} under way: ` +
        `${node} had given up, and it was carried out all the same`
      );
    case "holdReply":
      return `the answer of \`${step}\` came ${formatMs(fault.forMs)} late`;
    case "duplicate":
      return `the request of \`${step}\` arrived twice, ${formatMs(fault.afterMs)} apart`;
    case "refuse":
      return `the connection of \`${step}\` was refused`;
    case "crash":
      return fault.phase === "send"
        ? `${node} crashed as it was about to call \`${step}\``
        : `${node} crashed after \`${step}\` was carried out and before its answer was seen`;
    case "pause":
    case "suspend":
      return fault.phase === "send"
        ? `${node} stood still for ${formatMs(fault.forMs)} before its call of \`${step}\` left`
        : `${node} stood still for ${formatMs(fault.forMs)} before it saw the answer of \`${step}\``;
    case "cut":
      return `the link was cut for ${formatMs(fault.forMs)} as ${node} called \`${step}\``;
    default:
      return describeFault(fault);
  }
}

/** Between a client and a node. */
function onTheWay(fault: FaultAt): string {
  switch (fault.fault) {
    case "dropReply":
      return "the answer to the client was lost, and the client asked again";
    case "dropRequest":
      return "the client's request was lost, and the client asked again";
    case "holdRequest":
      return `the client's request was ${formatMs(fault.forMs)} under way, and the client asked again`;
    case "duplicate":
      return `the client's request arrived twice, ${formatMs(fault.afterMs)} apart`;
    default:
      return describeFault(fault);
  }
}
