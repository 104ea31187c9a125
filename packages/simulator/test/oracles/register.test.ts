// What the register's oracles allow and forbid, by histories written by hand.

import * as register from "../../src/oracles/register.ts";
import type { Recorded } from "../../src/scenarios/recorded.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Word =
  | number
  | "refused"
  | "expired"
  | "contended"
  | "indeterminate"
  | ReturnType<typeof threw>;

function answer(word: Word, replayed: boolean): Recorded["register.update"]["returned"] {
  if (typeof word === "number") return { outcome: "updated", value: word, replayed };
  if (word === "refused") return { outcome: "refused", reason: "below 0", replayed };
  if (word === "expired") return { outcome: "expired" };
  if (word === "contended") return { outcome: "contended", rounds: 3 };
  return { outcome: "indeterminate", cause: "?" };
}

interface More {
  readonly replayed?: boolean;
  readonly withSnapshot?: boolean;
  readonly by?: string;
}

function update(
  pen: Pen,
  requestId: string,
  delta: number,
  fromMs: number,
  toMs?: number,
  word?: Word,
  { replayed = false, withSnapshot = false, by = "a" }: More = {},
): void {
  const input = { client: "c", requestId, delta, withSnapshot };
  const isWord = typeof word === "number" || typeof word === "string";
  const returned = isWord ? answer(word, replayed) : word;
  pen.ask(by, "register.update", "k", input, fromMs, toMs, returned);
}

function look(
  pen: Pen,
  fromMs: number,
  toMs?: number,
  found?: number | ReturnType<typeof threw>,
  by = "last",
): void {
  pen.ask(by, "register.get", "k", {}, fromMs, toMs, found);
}

const again = { replayed: true };

judges(register.registerSameAnswer({ window: 2 }), {
  allows: {
    "the same answer again"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "1", 5, 40, 50, 15, again);
    },
    "the same refusal again, though it would succeed now"(pen) {
      update(pen, "1", -50, 0, 10, "refused");
      update(pen, "1", -50, 40, 50, "refused", again);
    },
    "nothing told in between"(pen) {
      update(pen, "1", 5, 0);
      update(pen, "1", 5, 20, 30, "indeterminate");
      update(pen, "1", 5, 40, 50, "contended");
      update(pen, "1", 5, 60, 70, 15, again);
    },
    "another answer to a request that others crowded out"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 20, 30, 17);
      update(pen, "1", 5, 40, 50, 22);
    },
    "the old answer after the retention began to run out, and then a new one"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 550_000, 550_010, 15, again);
      update(pen, "1", 5, 610_000, 610_010, 20);
      update(pen, "1", 5, 620_000, 620_010, 20, again);
    },
    "a new answer to a paused call, once others had crowded out what it began with"(pen) {
      update(pen, "1", 5, 0, 100, "refused", again);
      update(pen, "1", 5, 10, 20, 15);
      update(pen, "2", 1, 30, 40, 16);
      update(pen, "3", 1, 30, 40, 17);
      update(pen, "1", 5, 50, 60, "refused");
    },
    "the old answer while another call is told a new one"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 600_000, 600_100, 20);
      update(pen, "1", 5, 600_050, 600_060, 15, again);
    },
    "another answer after retention"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 700_000, 700_010, 20);
    },
  },
  forbids: {
    "two values"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 40, 50, 20, again);
    },
    "a value after a refusal"(pen) {
      update(pen, "1", -50, 0, 10, "refused");
      update(pen, "1", -50, 40, 50, 0);
    },
    "two new answers at once after retention"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 610_000, 610_010, 20);
      update(pen, "1", 5, 610_005, 610_020, 25);
    },
    "one value that two calls say to have made"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "1", 5, 40, 50, 15);
    },
    "another answer to a request with a snapshot, though others crowded it out"(pen) {
      update(pen, "1", 5, 0, 10, 15, { withSnapshot: true });
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 20, 30, 17);
      update(pen, "1", 5, 40, 50, 22, { withSnapshot: true });
    },
  },
});

judges(register.registerNeverBelowZero, {
  allows: {
    "down to 0"(pen) {
      update(pen, "1", -10, 0, 10, 0);
      look(pen, 20, 30, 0);
    },
  },
  forbids: {
    "a value below 0"(pen) {
      update(pen, "1", -11, 0, 10, -1);
    },
    "a look below 0"(pen) {
      look(pen, 0, 10, -1);
    },
  },
});

judges(register.registerOneOrder({ window: 2 }), {
  workload: { initial: 10 },
  allows: {
    "requests in order, and a look before the first and after the last"(pen) {
      look(pen, 0, 5);
      update(pen, "1", 5, 10, 20, 15);
      update(pen, "2", -20, 30, 40, "refused");
      update(pen, "2", -20, 50, 60, "refused", again);
      look(pen, 70, 80, 15);
    },
    "requests at once in either order"(pen) {
      update(pen, "1", 5, 0, 20, 8);
      update(pen, "2", -7, 0, 20, 3);
      look(pen, 30, 40, 8);
    },
    "an effect without an answer, or none"(pen) {
      update(pen, "1", 5, 0);
      look(pen, 10, 20);
      update(pen, "2", 1, 30, 40, 16);
      update(pen, "3", 9, 30, 40, "indeterminate");
      look(pen, 50, 60, 16);
    },
    "an effect of a lost answer, told later"(pen) {
      update(pen, "1", 5, 0);
      update(pen, "2", 1, 30, 40, 16);
      update(pen, "1", 5, 50, 60, 15, again);
    },
    "a second effect of a request that others crowded out"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 40, 50, 17);
      update(pen, "1", 5, 60, 70, 22);
    },
    "an effect that is told as a replay, as its own first answer was lost"(pen) {
      update(pen, "1", 5, 0, 10, 15, again);
      look(pen, 20, 30, 15);
    },
    "a second effect of what others crowded out, told as a replay"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 40, 50, 17);
      update(pen, "1", 5, 60, 70, 22, again);
      look(pen, 100, 110, 22);
    },
    "a replay to a paused call of what its retry did, when others had crowded it out"(pen) {
      update(pen, "1", 5, 0, 100, 17, again);
      update(pen, "2", 1, 20, 30, 11);
      update(pen, "3", 1, 40, 50, 12);
      update(pen, "1", 5, 60, 110, 17);
      look(pen, 120, 130, 17);
    },
    "a replay of what others crowded out, beside a call without an answer"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 40, 50, 17);
      update(pen, "1", 5, 60);
      update(pen, "1", 5, 80, 90, 15, again);
      look(pen, 100, 110, 17);
    },
    "a replay of a request that others crowded out"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", 1, 20, 30, 16);
      update(pen, "3", 1, 40, 50, 17);
      update(pen, "1", 5, 60, 70, 15, again);
      look(pen, 80, 90, 17);
    },
  },
  forbids: {
    "an update that was lost"(pen) {
      update(pen, "1", 5, 0, 20, 15);
      update(pen, "2", 1, 0, 20, 11);
    },
    "an effect twice"(pen) {
      update(pen, "1", 5, 0);
      update(pen, "1", 5, 10, 20, 15, again);
      look(pen, 30, 40, 20);
    },
    "a second effect by a retry that crashed"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      pen.ask(
        "b",
        "register.update",
        "k",
        { client: "c", requestId: "1", delta: 5, withSnapshot: false },
        20,
      );
      pen.ask(
        "b",
        "register.update",
        "k",
        { client: "c", requestId: "2", delta: 1, withSnapshot: false },
        40,
        50,
        answer(21, false),
        2,
      );
    },
    "an effect of what cannot have happened"(pen) {
      update(pen, "1", 5, 0, 10, threw("unavailable"));
      look(pen, 30, 40, 15);
    },
    "an effect of what was refused"(pen) {
      update(pen, "1", -20, 0, 10, "refused");
      update(pen, "2", 30, 20, 30, 40);
      look(pen, 50, 60, 20);
    },
    "a refusal of what was possible"(pen) {
      update(pen, "1", -5, 0, 10, "refused");
    },
    "an effect of what came in vain"(pen) {
      update(pen, "1", 5, 0, 10, "contended");
      look(pen, 30, 40, 15);
    },
    "a look into the past"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      look(pen, 30, 40, 10);
    },
    "nothing after an update"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      look(pen, 30, 40, undefined);
    },
  },
});

judges(register.registerSum({ window: 2 }), {
  workload: { initial: 10 },
  allows: {
    "the sum of what was told, and of what was not"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "2", -40, 0, 10, "refused");
      update(pen, "3", 7, 0);
      update(pen, "4", 100, 0, 10, "indeterminate");
      look(pen, 30, 40, 22);
    },
    "a look while a request is answered"(pen) {
      update(pen, "1", 5, 0, 50, 15);
      look(pen, 30, 40, 10);
    },
  },
  forbids: {
    "an update that is gone"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      look(pen, 30, 40, 10);
    },
    "a sum that nothing makes up"(pen) {
      update(pen, "1", 5, 0, 10, 15);
      update(pen, "3", 7, 0);
      look(pen, 30, 40, 29);
    },
    "an effect of what cannot have happened"(pen) {
      update(pen, "1", 5, 0, 10, threw("unavailable"));
      look(pen, 30, 40, 15);
    },
  },
});

judges(register.registerExpiredNeedsSnapshot, {
  allows: {
    "expired beside others that may have crowded it out"(pen) {
      update(pen, "1", 5, 0, 100, "expired");
      update(pen, "2", 5, 20, 30, 15);
    },
    "expired with a snapshot"(pen) {
      update(pen, "1", 5, 0, 10, "expired", { withSnapshot: true });
    },
    "told again with a snapshot, and anew without one or at the same time"(pen) {
      update(pen, "1", 5, 0, 10, "refused", { withSnapshot: true });
      update(pen, "1", 5, 20, 30, "refused", { withSnapshot: true, replayed: true });
      update(pen, "2", 5, 0, 10, 15);
      update(pen, "2", 5, 900_000, 900_010, 20);
      update(pen, "3", 5, 0, 10, "refused", { withSnapshot: true });
      update(pen, "3", 5, 5, 15, "refused", { withSnapshot: true });
    },
  },
  forbids: {
    "answered anew with a snapshot, however late"(pen) {
      update(pen, "1", 5, 0, 10, "refused", { withSnapshot: true });
      update(pen, "1", 5, 900_000, 900_010, "refused", { withSnapshot: true });
    },
    "expired without one"(pen) {
      update(pen, "1", 5, 0, 10, "expired");
    },
  },
});

judges(register.registerSettles, {
  allows: {
    "answers in the end"(pen) {
      pen.healed(1_000);
      update(pen, "1", 5, 0);
      update(pen, "1", 5, 2_000, 2_010, "indeterminate", { by: "last" });
      update(pen, "1", 5, 3_000, 3_010, 15, { by: "last", replayed: true });
      update(pen, "2", 5, 3_000, 3_010, "expired", { by: "last" });
      look(pen, 4_000, 4_010, 15);
    },
  },
  forbids: {
    "contended without contention"(pen) {
      pen.healed(1_000);
      update(pen, "1", 5, 2_000, 2_010, "contended", { by: "last" });
    },
    "no answer in the end"(pen) {
      pen.healed(1_000);
      update(pen, "1", 5, 2_000, 2_010, "indeterminate", { by: "last" });
    },
    "a look that hangs"(pen) {
      pen.healed(1_000);
      look(pen, 2_000);
    },
  },
});
