// Which operation a client's request began at its node: the trace does not say it, but when things
// happened does, or leaves it open.

import type { TraceEvent } from "../world/trace.js";
import type { Message, PartyKind, Stretch } from "./parts.js";

/** How long after its sending a request's first operation may begin, on a node that is up. */
const BEGINS_WITHIN_US = 5_000;

export interface Linkable {
  readonly trace: readonly TraceEvent[];
  readonly messages: ReadonlyMap<number, Message>;
  readonly operations: ReadonlyMap<number, Stretch>;
  readonly parties: ReadonlyMap<string, PartyKind>;
}

/** The first operation of each client's request, by message, where there is no doubt about it. */
export function linkOperations(reading: Linkable): ReadonlyMap<number, number> {
  const { messages, operations, parties } = reading;
  const links = new Map<number, number>();
  const taken = new Set<number>();
  const requests = [...messages.values()].filter(({ to }) => parties.get(to) === "node");
  for (const request of requests) {
    const chain = chainOf(reading, request);
    const first = chain.at(-1);
    if (first !== undefined && beginsSoon(reading, request, first)) {
      links.set(request.id, first.id);
    }
    for (const { id } of chain) {
      taken.add(id);
    }
  }
  const open = requests.filter(({ id }) => !links.has(id));
  for (const request of open) {
    const fits = (each: Message, operation: Stretch): boolean =>
      operation.node === each.to &&
      !taken.has(operation.id) &&
      beginsSoon(reading, each, operation);
    const own = [...operations.values()].find((operation) => fits(request, operation));
    if (own !== undefined && open.every((each) => each === request || !fits(each, own))) {
      links.set(request.id, own.id);
      taken.add(own.id);
    }
  }
  return links;
}

/** The operations of an answered request, last first: the answer leaves as the last one ends. */
function chainOf({ trace, operations }: Linkable, request: Message): readonly Stretch[] {
  const [served] = request.arrivals;
  const chain: Stretch[] = [];
  let end = served;
  while (end !== undefined) {
    const { index, atUs } = end;
    const before = [...operations.values()]
      .filter(
        ({ node, from, until }) =>
          node === request.to &&
          from.index > request.sent.index &&
          until?.atUs === atUs &&
          until.index < index &&
          // Another node's events of the same instant may stand between; its own end it.
          !trace
            .slice(until.index + 1, index)
            .some((event) => event.type === "ended" && event.node === node),
      )
      .at(-1);
    if (before !== undefined) {
      chain.push(before);
    }
    end = before === undefined ? undefined : { ...before.from, copy: 0, outcome: "" };
  }
  return chain;
}

function beginsSoon({ trace }: Linkable, request: Message, { node, from }: Stretch): boolean {
  if (from.index < request.sent.index) {
    return false;
  }
  return (
    from.atUs - request.sent.atUs <= BEGINS_WITHIN_US ||
    trace
      .slice(request.sent.index, from.index)
      .some(
        (event) =>
          event.type === "node" &&
          event.node === node &&
          event.change === "resumed" &&
          event.atUs === from.atUs,
      )
  );
}
