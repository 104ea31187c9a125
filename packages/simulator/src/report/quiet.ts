// Which messages bring no news, for stories and diagrams that are to be short.

import { isRenewal } from "./ask-words.js";
import type { Reading } from "./reading.js";

/** Messages without any news: reads that find what the node knew, renewals that work. */
export function quietMessages({ messages }: Reading): Set<number> {
  const quiet = new Set<number>();
  const known = new Map<string, string>();
  for (const { id, from, ask, faults, lost, arrivals, answered } of messages.values()) {
    const key = ask.ask === "read" ? ask.key : ask.ask === "write" ? ask.write.key : undefined;
    const [first] = arrivals;
    if (key === undefined || first === undefined) {
      continue;
    }
    const revision = /\br\d+/.exec(first.outcome)?.[0] ?? first.outcome;
    const news = known.get(`${from} ${key}`) !== revision;
    known.set(`${from} ${key}`, revision);
    const plain = faults.length === 0 && lost === undefined && answered !== undefined;
    const renewed = isRenewal(ask) && first.outcome.startsWith("applied");
    if (plain && (renewed || (ask.ask === "read" && !news))) {
      quiet.add(id);
    }
  }
  return quiet;
}
