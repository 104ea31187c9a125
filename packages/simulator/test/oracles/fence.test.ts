// What the fence's oracles allow and forbid, by histories written by hand.

import * as fence from "../../src/oracles/fence.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Word = "admitted" | "indeterminate" | number | ReturnType<typeof threw>;

/** Asks to admit a token; a number as answer is the newest token, to which this one is stale. */
function admit(
  pen: Pen,
  token: number,
  fromMs: number,
  toMs?: number,
  word?: Word,
  by = "a",
): void {
  const returned =
    word === "admitted"
      ? ({ outcome: word } as const)
      : word === "indeterminate"
        ? ({ outcome: word, cause: "?" } as const)
        : typeof word === "number"
          ? ({ outcome: "stale", newest: word } as const)
          : word;
  pen.ask(by, "fence.admit", "r", { token }, fromMs, toMs, returned);
}

judges(fence.fenceNeverDecreases, {
  allows: {
    "tokens in order, one of them twice"(pen) {
      admit(pen, 5, 0, 10, "admitted");
      admit(pen, 6, 20, 30, "admitted");
      admit(pen, 6, 40, 50, "admitted");
    },
    "any order at once"(pen) {
      admit(pen, 6, 0, 100, "admitted");
      admit(pen, 5, 50, 120, "admitted");
    },
    "an older token after one whose admission is not known"(pen) {
      admit(pen, 6, 0, 10, "indeterminate");
      admit(pen, 7, 0);
      admit(pen, 5, 20, 30, "admitted");
    },
  },
  forbids: {
    "an older token after a newer one"(pen) {
      admit(pen, 6, 0, 10, "admitted");
      admit(pen, 5, 20, 30, "admitted");
    },
    "an older token after one that another was told to be the newest"(pen) {
      admit(pen, 9, 0);
      admit(pen, 5, 20, 30, 9);
      admit(pen, 6, 40, 50, "admitted");
    },
    "a newest token that grows older"(pen) {
      admit(pen, 9, 0, 10, "admitted");
      admit(pen, 5, 20, 30, 7);
    },
    "an older token behind a pair at once"(pen) {
      admit(pen, 9, 0, 10, "admitted");
      admit(pen, 5, 5, 200, "admitted");
      admit(pen, 7, 20, 30, "admitted");
    },
  },
});

judges(fence.fenceStaleIsStale, {
  allows: {
    "stale behind an admission whose answer was lost"(pen) {
      admit(pen, 9, 0);
      admit(pen, 5, 20, 30, 9);
    },
  },
  forbids: {
    "stale to itself"(pen) {
      admit(pen, 5, 20, 30, 5);
    },
    "stale to a token that nobody has shown"(pen) {
      admit(pen, 6, 0, 10, "admitted");
      admit(pen, 5, 20, 30, 9);
    },
    "stale to a token for which nothing can have happened"(pen) {
      admit(pen, 9, 0, 10, threw("unavailable"));
      admit(pen, 5, 20, 30, 9);
    },
    "stale to a token that was shown later"(pen) {
      admit(pen, 5, 20, 30, 9);
      admit(pen, 9, 40, 50, "admitted");
    },
  },
});

judges(fence.fenceSettles, {
  allows: {
    "stale in the end"(pen) {
      pen.healed(1_000);
      admit(pen, 5, 2_000, 2_010, "indeterminate", "last");
      admit(pen, 5, 3_000, 3_010, 9, "last");
    },
  },
  forbids: {
    "no answer in the end"(pen) {
      pen.healed(1_000);
      admit(pen, 5, 2_000, 2_010, "indeterminate", "last");
    },
    "unavailable without faults"(pen) {
      pen.healed(1_000);
      admit(pen, 5, 2_000, 2_010, threw("unavailable"), "last");
    },
  },
});
