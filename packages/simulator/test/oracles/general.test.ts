// What the oracles of every call allow and forbid, by histories written by hand.

import * as general from "../../src/oracles/general.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

function attempt(
  pen: Pen,
  by: string,
  fromMs: number,
  toMs?: number,
  code?: string,
  life?: number,
): Operation {
  const input = { client: "c", end: "returns" } as const;
  return pen.ask(by, "dedup.attempt", "k", input, fromMs, toMs, threw(code), life);
}

judges(general.generalEveryCallSettles, {
  allows: {
    "a call that a crash ended"(pen) {
      attempt(pen, "a", 0);
      attempt(pen, "a", 100, 110, "unavailable", 2);
    },
    "a call of a node that may have crashed and asked no more"(pen) {
      attempt(pen, "a", 0);
      pen.healed(1_000);
    },
    "a call of a node that was down at the end"(pen) {
      attempt(pen, "a", 0);
      pen.finding("lives", { a: 0 });
    },
  },
  forbids: {
    "a call of `last` that hangs"(pen) {
      attempt(pen, "last", 2_000);
    },
    "a call after healing that hangs"(pen) {
      pen.healed(1_000);
      attempt(pen, "a", 2_000);
    },
    "a call of a node that asks on after healing"(pen) {
      attempt(pen, "a", 0);
      pen.healed(1_000);
      attempt(pen, "a", 2_000, 2_010, "unavailable");
    },
    "a call of a node of which the scenario knows that it lives"(pen) {
      attempt(pen, "a", 0);
      pen.finding("lives", { a: 1 });
    },
    "a call of a second life that hangs"(pen) {
      attempt(pen, "a", 0);
      pen.healed(1_000);
      attempt(pen, "a", 2_000, undefined, undefined, 2);
    },
  },
});

judges(general.generalUnavailableIsHonest, {
  allows: {
    "unavailable where nothing happened"(pen) {
      attempt(pen, "a", 0, 100, "unavailable");
      pen.run(attempt(pen, "b", 0, 100, "closed"), { run: 1 }, 10, 90, "returned");
    },
    "unavailable after an effect that the sink refused"(pen) {
      pen.effect(attempt(pen, "a", 0, 100, "unavailable"), { sink: "bank", accepted: false }, 50);
    },
  },
  forbids: {
    "unavailable after a run"(pen) {
      pen.run(attempt(pen, "a", 0, 100, "unavailable"), { run: 1 }, 10, 90, "returned");
    },
    "unavailable after an effect"(pen) {
      pen.effect(attempt(pen, "a", 0, 100, "unavailable"), { sink: "bank" }, 50);
    },
  },
});
