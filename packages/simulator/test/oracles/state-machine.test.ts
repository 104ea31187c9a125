// What the state machine's oracles allow and forbid, by histories written by hand: an order that
// goes from new by pay to paid, by ship to sent, and by cancel from either to gone.

import * as machine from "../../src/oracles/state-machine.ts";
import type { MadeMove, Recorded } from "../../src/scenarios/recorded.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Result = Recorded["machine.fire"]["returned"];
type Items = Recorded["machine.history"]["returned"];
type Word = Result | ReturnType<typeof threw>;

const LEADS = { pay: ["new", "paid"], ship: ["paid", "sent"], unpay: ["paid", "new"] } as const;
type Event = keyof typeof LEADS;

const moved = (event: Event, replayed = false, atMs = 1): Result => {
  const [from, to] = LEADS[event];
  return { outcome: "moved", event, from, to, atMs, replayed };
};
const refused = (event: string, state: string, replayed = false): Result => ({
  outcome: "refused",
  event,
  state,
  replayed,
});
const there = (event: string, state: string): Result => ({ outcome: "alreadyThere", event, state });
const indeterminate: Result = { outcome: "indeterminate", cause: "?" };
const contended: Result = { outcome: "contended", rounds: 3 };

function fire(
  pen: Pen,
  event: string,
  requestId: string | undefined,
  fromMs: number,
  toMs?: number,
  word?: Word,
  { withSnapshot = false, by = "a" } = {},
): void {
  const input = {
    client: "c",
    event,
    withSnapshot,
    ...(requestId === undefined ? {} : { requestId }),
  };
  pen.ask(by, "machine.fire", "o", input, fromMs, toMs, word);
}

/** A history, such as `["pay 1", "ship"]`: events, and the requests that fired them. */
function reads(pen: Pen, moves: readonly string[], fromMs: number): void {
  const items: Items = moves.map((each) => {
    const [event, requestId] = each.split(" ") as [Event, string | undefined];
    const [from, to] = LEADS[event];
    return { event, from, to, atMs: 1, ...(requestId === undefined ? {} : { requestId }) };
  });
  pen.ask("last", "machine.history", "o", {}, fromMs, fromMs + 10, items);
}

function look(pen: Pen, fromMs: number, toMs?: number, state?: string, data: unknown = []): void {
  const found = state === undefined ? undefined : { state, data: data as readonly MadeMove[] };
  pen.ask("last", "machine.get", "o", {}, fromMs, toMs, found);
}

function create(
  pen: Pen,
  requestId: string | undefined,
  fromMs: number,
  toMs?: number,
  outcome?: "created" | "replayed" | "exists",
): void {
  const input = { client: "c", ...(requestId === undefined ? {} : { requestId }) };
  const snapshot = { id: "o", state: "new", data: 0, seen: { revision: 1, now: 1 } };
  const returned = outcome === undefined ? indeterminate : { outcome, snapshot };
  pen.ask("a", "machine.create", "o", input, fromMs, toMs, returned as never);
}

judges(machine.machineSameAnswer({ window: 2 }), {
  allows: {
    "the same move again, though the entity has moved on"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "ship", "2", 20, 30, moved("ship"));
      fire(pen, "pay", "1", 40, 50, moved("pay", true));
    },
    "the same refusal again"(pen) {
      fire(pen, "ship", "1", 0, 10, refused("ship", "new"));
      fire(pen, "ship", "1", 40, 50, refused("ship", "new", true));
    },
    "several moves without request ids"(pen) {
      fire(pen, "pay", undefined, 0, 10, moved("pay"));
      fire(pen, "unpay", undefined, 20, 30, moved("unpay"));
      fire(pen, "pay", undefined, 40, 50, moved("pay"));
    },
    "another answer to a request that others crowded out"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "unpay", "2", 20, 30, moved("unpay"));
      fire(pen, "ship", "3", 20, 30, refused("ship", "new"));
      fire(pen, "pay", "1", 40, 50, moved("pay"));
    },
  },
  forbids: {
    "another answer"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", "1", 40, 50, refused("pay", "paid"));
    },
    "a move after a refusal"(pen) {
      fire(pen, "ship", "1", 0, 10, refused("ship", "new"));
      fire(pen, "ship", "1", 40, 50, moved("ship"));
    },
    "another time"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", "1", 40, 50, moved("pay", true, 2));
    },
    "one move that two calls say to have made"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", "1", 40, 50, moved("pay"));
    },
  },
});

judges(machine.machineIllegal, {
  allows: {
    "refused in one state, moved from another"(pen) {
      fire(pen, "ship", "1", 0, 10, refused("ship", "new"));
      fire(pen, "ship", "2", 20, 30, moved("ship"));
    },
  },
  forbids: {
    "refused and moved in one state"(pen) {
      fire(pen, "ship", "1", 0, 10, refused("ship", "paid"));
      fire(pen, "ship", "2", 20, 30, moved("ship"));
    },
  },
});

judges(machine.machineIllegal, {
  workload: {
    definition: {
      initial: "new",
      events: {
        pay: { from: ["new"], to: "paid" },
        ship: { from: ["paid"], to: "sent" },
        unpay: { from: ["paid"], to: "new" },
      },
    },
  },
  allows: {
    "a refusal by a state to which another may have led back"(pen) {
      fire(pen, "pay", undefined, 0, 10, moved("pay"));
      fire(pen, "unpay", undefined, 20);
      fire(pen, "ship", undefined, 40, 50, refused("ship", "new"));
    },
    "a refusal by a state that is left meanwhile"(pen) {
      fire(pen, "pay", undefined, 0, 30, moved("pay"));
      fire(pen, "ship", undefined, 20, 40, refused("ship", "new"));
    },
    "a refusal that is told again"(pen) {
      fire(pen, "pay", undefined, 0, 10, moved("pay"));
      fire(pen, "ship", "1", 40, 50, refused("ship", "new", true));
    },
  },
  forbids: {
    "a refusal by a state that was left before"(pen) {
      fire(pen, "unpay", undefined, 0, 5, moved("unpay"));
      fire(pen, "pay", undefined, 10, 20, moved("pay"));
      fire(pen, "ship", undefined, 40, 50, refused("ship", "new"));
    },
    "a move that the definition does not know"(pen) {
      fire(pen, "ship", undefined, 0, 10, {
        outcome: "moved",
        event: "ship",
        from: "new",
        to: "sent",
        atMs: 1,
        replayed: false,
      });
    },
  },
});

judges(machine.machineAlreadyThere, {
  allows: {
    "alreadyThere without a request id"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", undefined, 20, 30, there("pay", "paid"));
    },
    "a refusal with one"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", "2", 20, 30, refused("pay", "paid"));
    },
    "a refusal elsewhere without one"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", undefined, 20, 30, refused("pay", "sent"));
    },
  },
  forbids: {
    "alreadyThere with a request id"(pen) {
      fire(pen, "pay", "1", 20, 30, there("pay", "paid"));
    },
    "a refusal at the target without a request id"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "pay", undefined, 20, 30, refused("pay", "paid"));
    },
  },
});

judges(machine.machineOneCreator, {
  allows: {
    "one creator, who is told so again"(pen) {
      fire(pen, "pay", "9", 0, 10, { outcome: "notFound" });
      create(pen, "1", 20, 30, "created");
      create(pen, "1", 40, 50, "replayed");
      create(pen, "2", 40, 50, "exists");
      create(pen, undefined, 40, 50, "exists");
    },
    "nothing found while it is created"(pen) {
      create(pen, "1", 0, 30, "created");
      fire(pen, "pay", "9", 20, 30, { outcome: "notFound" });
      look(pen, 20, 30);
    },
  },
  forbids: {
    "two creators"(pen) {
      create(pen, "1", 0, 10, "created");
      create(pen, "2", 20, 30, "created");
    },
    "a creator who is told that another did"(pen) {
      create(pen, "1", 0, 10, "created");
      create(pen, "1", 20, 30, "exists");
    },
    "nothing to move after the creation"(pen) {
      create(pen, "1", 0, 10, "created");
      fire(pen, "pay", "9", 20, 30, { outcome: "notFound" });
    },
    "nothing to see after the creation"(pen) {
      create(pen, "1", 0, 10, "exists");
      look(pen, 20, 30);
    },
  },
});

judges(machine.machineExpiredNeedsSnapshot, {
  allows: {
    "expired with a snapshot"(pen) {
      fire(pen, "pay", "1", 0, 10, { outcome: "expired" }, { withSnapshot: true });
    },
  },
  forbids: {
    "answered anew with a snapshot, however late"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"), { withSnapshot: true });
      fire(pen, "pay", "1", 900_000, 900_010, moved("pay"), { withSnapshot: true });
    },
    "expired without one"(pen) {
      fire(pen, "pay", "1", 0, 10, { outcome: "expired" });
    },
  },
});

judges(machine.machineOneEvent, {
  allows: {
    "the first event's answer to the second"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "ship", "1", 20, 30, moved("pay", true));
    },
  },
  forbids: {
    "an event that was never fired"(pen) {
      fire(pen, "ship", "1", 20, 30, moved("pay"));
    },
    "an event of another request"(pen) {
      fire(pen, "pay", "2", 0, 10, moved("pay"));
      fire(pen, "ship", "1", 20, 30, moved("pay"));
    },
    "an event for which nothing can have happened"(pen) {
      fire(pen, "pay", "1", 0, 10, threw("unavailable"));
      fire(pen, "ship", "1", 20, 30, moved("pay", true));
    },
  },
});

judges(machine.machineHistory({ window: 6 }), {
  allows: {
    "what was told, from first to last or from last to first"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "ship", undefined, 20, 30, moved("ship"));
      reads(pen, ["pay 1", "ship"], 40);
      reads(pen, ["ship", "pay 1"], 60);
    },
    "a move without an answer, or none"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "ship", "2", 20, 30, indeterminate);
      reads(pen, ["pay 1"], 40);
      reads(pen, ["pay 1", "ship 2"], 60);
    },
    "not yet what is told later"(pen) {
      fire(pen, "pay", "1", 0, 100, moved("pay"));
      reads(pen, [], 40);
    },
    "a refusal and a contended event that left nothing"(pen) {
      fire(pen, "ship", "1", 0, 10, refused("ship", "new"));
      fire(pen, "ship", "2", 0, 10, contended);
      fire(pen, "pay", "3", 20, 30, moved("pay"));
      reads(pen, ["pay 3"], 40);
    },
    "no more the oldest, where the window is full"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      for (const at of [20, 40, 60, 80, 100, 120]) {
        fire(
          pen,
          at % 40 === 20 ? "unpay" : "pay",
          `${at}`,
          at,
          at + 10,
          moved(at % 40 === 20 ? "unpay" : "pay"),
        );
      }
      reads(pen, ["pay 120", "unpay 100"].reverse(), 140);
    },
  },
  forbids: {
    "moves that do not follow one another"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "pay", "2", 0);
      reads(pen, ["pay 1", "pay 2"], 40);
    },
    "one request twice"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "unpay", "2", 20, 30, moved("unpay"));
      fire(pen, "pay", "1", 40, 50, moved("pay", true));
      reads(pen, ["pay 1", "unpay 2", "pay 1"], 60);
    },
    "a move that was refused"(pen) {
      fire(pen, "pay", "1", 0, 10, refused("pay", "new"));
      reads(pen, ["pay 1"], 40);
    },
    "a move for which nothing can have happened"(pen) {
      fire(pen, "pay", "1", 0, 10, threw("unavailable"));
      fire(pen, "pay", "1", 20, 30, contended);
      reads(pen, ["pay 1"], 40);
    },
    "a move that nobody asked for"(pen) {
      reads(pen, ["pay"], 40);
    },
    "a told move lost"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      reads(pen, [], 40);
    },
    "a told move lost, though older ones are kept"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "unpay", "2", 20, 30, moved("unpay"));
      for (const at of [40, 50, 60, 70])
        fire(pen, "ship", `${at}`, at, at + 5, refused("ship", "new"));
      reads(pen, ["pay 1"], 80);
    },
    "moves in an order that real time does not allow"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay", false, 1));
      fire(pen, "unpay", "2", 20, 30, moved("unpay", false, 1));
      fire(pen, "pay", "3", 40, 50, moved("pay", false, 1));
      reads(
        pen,
        ["pay 3", "unpay 2", "pay 1"].map((each) => each),
        60,
      );
      reads(pen, ["pay 3", "ship"], 60);
    },
  },
});

/** The nth operation of the history fired it. */
const made = (event: Event, operation: number, requestId?: string): MadeMove => ({
  event,
  operation,
  ...(requestId === undefined ? {} : { requestId }),
});

judges(machine.machineMovesOnce({ window: 2 }), {
  allows: {
    "each move once, told or not"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "pay", "1", 10, 20, moved("pay", true));
      fire(pen, "ship", undefined, 30, 40, indeterminate);
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
      look(pen, 70, 80, "sent", [made("pay", 1, "1"), made("ship", 3)]);
    },
    "not yet what is told later"(pen) {
      fire(pen, "pay", "1", 0, 100, moved("pay"));
      look(pen, 50, 60, "new", []);
    },
    "a second move of a request that others crowded out"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      fire(pen, "unpay", "2", 20, 30, moved("unpay"));
      fire(pen, "ship", "3", 20, 30, refused("ship", "new"));
      fire(pen, "pay", "1", 40, 50, moved("pay"));
      look(pen, 70, 80, "paid", [made("pay", 1, "1"), made("unpay", 2, "2"), made("pay", 4, "1")]);
    },
  },
  forbids: {
    "two moves of one request in two calls"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "unpay", "2", 10, 20, moved("unpay"));
      fire(pen, "pay", "1", 30, 40, moved("pay"));
      look(pen, 50, 60, "paid", [made("pay", 1, "1"), made("unpay", 2, "2"), made("pay", 3, "1")]);
    },
    "two moves of one call"(pen) {
      fire(pen, "pay", undefined, 0, 10, moved("pay"));
      look(pen, 50, 60, "paid", [made("pay", 1), made("pay", 1)]);
    },
    "a move of a refused call"(pen) {
      fire(pen, "pay", "1", 0, 10, refused("pay", "new"));
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
    },
    "a move of a call without an answer, whose request was refused"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "pay", "1", 20, 30, refused("pay", "gone", true));
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
    },
    "a move where nothing can have happened"(pen) {
      fire(pen, "pay", "1", 0, 10, threw("unavailable"));
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
    },
    "a move where nothing changed"(pen) {
      fire(pen, "pay", "1", 0, 10, contended);
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
    },
    "a move that was asked after the look"(pen) {
      look(pen, 50, 60, "paid", [made("pay", 2, "1")]);
      fire(pen, "pay", "1", 70, 80, moved("pay"));
    },
    "a told move lost"(pen) {
      fire(pen, "pay", "1", 0, 10, moved("pay"));
      look(pen, 50, 60, "new", []);
    },
    "a list that was rewritten"(pen) {
      fire(pen, "pay", "1", 0);
      fire(pen, "pay", "2", 0);
      look(pen, 50, 60, "paid", [made("pay", 1, "1")]);
      look(pen, 70, 80, "paid", [made("pay", 2, "2"), made("pay", 1, "1")]);
    },
  },
});

judges(machine.machineStates({ window: 6 }), {
  allows: {
    "states before, between and after the moves"(pen) {
      fire(pen, "ship", "9", 0, 5, refused("ship", "new"));
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      look(pen, 30, 40, "paid", 1);
      fire(pen, "ship", "2", 50, 60, moved("ship"));
      look(pen, 65, 68, "sent", 2);
      reads(pen, ["pay 1", "ship 2"], 70);
    },
    "either state while it moves"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      look(pen, 15, 40, "new", 0);
      look(pen, 15, 40, "paid", 1);
      reads(pen, ["pay 1"], 70);
    },
    "a state as a snapshot shows it"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      fire(pen, "ship", "2", 30, 40, refused("ship", "new"), { withSnapshot: true });
      reads(pen, ["pay 1"], 70);
    },
    "a refusal that is told again"(pen) {
      fire(pen, "ship", "9", 0, 5, refused("ship", "new"));
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      fire(pen, "ship", "9", 30, 35, refused("ship", "new", true));
      reads(pen, ["pay 1"], 70);
    },
  },
  forbids: {
    "an old state after a move"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      look(pen, 30, 40, "new");
      reads(pen, ["pay 1"], 70);
    },
    "a refusal by an old state"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      fire(pen, "ship", "2", 30, 40, refused("ship", "new"));
      reads(pen, ["pay 1"], 70);
    },
    "a state that no move leads to"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      fire(pen, "ship", undefined, 30, 40, there("ship", "sent"));
      reads(pen, ["pay 1"], 70);
    },
    "data that a refused event changed"(pen) {
      fire(pen, "pay", "1", 10, 20, moved("pay"));
      look(pen, 30, 40, "paid", { tries: 0 });
      fire(pen, "pay", "2", 42, 44, refused("pay", "paid"));
      look(pen, 45, 50, "paid", { tries: 1 });
      reads(pen, ["pay 1"], 70);
    },
  },
});

judges(machine.machineSettles, {
  allows: {
    "answers in the end"(pen) {
      pen.healed(1_000);
      fire(pen, "pay", "1", 2_000, 2_010, indeterminate, { by: "last" });
      fire(pen, "pay", "1", 3_000, 3_010, moved("pay", true), { by: "last" });
      reads(pen, ["pay 1"], 4_000);
      look(pen, 5_000, 5_010, "paid");
    },
  },
  forbids: {
    "contended without contention"(pen) {
      pen.healed(1_000);
      fire(pen, "pay", "1", 2_000, 2_010, contended, { by: "last" });
    },
    "no answer in the end"(pen) {
      pen.healed(1_000);
      fire(pen, "pay", "1", 2_000, 2_010, indeterminate, { by: "last" });
    },
    "a look that hangs"(pen) {
      pen.healed(1_000);
      look(pen, 2_000);
    },
  },
});
