// One message's way: what is asked of whom, and what the network remembers of it until its answer
// is told.

import type { Timer } from "../timers.js";
import type { FaultAt } from "./fault-plan.js";
import type { Party } from "./party.js";
import type { Ask } from "./trace.js";

/** One request and what becomes of it. */
export interface Request<A> {
  readonly from: Party;
  /** The life that asks: what code of an earlier one still sends in the moment of its end is void. */
  readonly life: number;
  readonly to: string;
  readonly ask: Ask;
  /** After so long without an answer, `unanswered` is called; waits for ever without it. */
  readonly timeoutMs?: number;
  /** Carries the request out; answers now or later, once per copy that arrives. */
  deliver(respond: (answer: A, outcome: string) => void): void;
  answered(answer: A): void;
  unanswered(): void;
  /** The connection was refused. */
  refused(): void;
}

/** A request under way. */
export interface Flight<A> {
  readonly id: number;
  /** Where its latencies are chosen: its link and its number on it. */
  readonly site: number;
  readonly faults: readonly FaultAt[];
  readonly request: Request<A>;
  settled: boolean;
  timeout: Timer | undefined;
}

/** One direction between two parties, and how many calls it has carried. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** What the sites of its calls have in common. */
  readonly site: number;
  sent: number;
}

/** The links of a world, in the order of their first calls. */
export class Links {
  readonly #byFrom = new Map<string, Map<string, Link>>();
  readonly #all: Link[] = [];

  /** How many calls each link has carried, by `from to`. */
  get counts(): ReadonlyMap<string, number> {
    return new Map(this.#all.map(({ from, to, sent }) => [`${from} ${to}`, sent]));
  }

  /** The link from one to the other. */
  between({ name: from, index }: Party, to: string): Link {
    let byTo = this.#byFrom.get(from);
    if (byTo === undefined) {
      byTo = new Map();
      this.#byFrom.set(from, byTo);
    }
    let link = byTo.get(to);
    if (link === undefined) {
      link = { from, to, site: (index << 20) ^ (hash(to) & 0xff000), sent: 0 };
      byTo.set(to, link);
      this.#all.push(link);
    }
    return link;
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}
