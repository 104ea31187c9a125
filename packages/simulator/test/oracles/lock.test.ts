// What the lock's oracles allow and forbid, by histories written by hand.

import * as lock from "../../src/oracles/lock.ts";
import type { Recorded } from "../../src/scenarios/recorded.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Acquired = Recorded["lock.acquire"]["returned"];

/** An acquisition of the lock `r`: a number is the token that it got. */
function acquire(
  pen: Pen,
  by: string,
  fromMs: number,
  toMs?: number,
  got?: number | Acquired | ReturnType<typeof threw>,
): Operation {
  const returned = typeof got === "number" ? ({ outcome: "acquired", token: got } as const) : got;
  return pen.ask(by, "lock.acquire", "r", { client: "c" }, fromMs, toMs, returned);
}

function holds(pen: Pen, call: Operation, token: number, fromMs: number, toMs?: number): void {
  pen.span(call, {
    kind: "holds",
    fencingToken: token,
    fromUs: fromMs * 1000,
    ...(toMs === undefined ? {} : { untilUs: toMs * 1000 }),
  });
}

function writes(pen: Pen, sink: string, call: Operation, token: number, atMs: number): void {
  pen.effect(call, { sink, fencingToken: token }, atMs);
}

judges(lock.lockTokensIncrease, {
  allows: {
    "tokens in order"(pen) {
      acquire(pen, "a", 0, 10, 5);
      acquire(pen, "b", 20, 30, 6);
    },
    "any order of acquisitions at once"(pen) {
      acquire(pen, "a", 0, 100, 6);
      acquire(pen, "b", 50, 90, 5);
    },
    "answers without a token"(pen) {
      acquire(pen, "a", 0, 10, 5);
      acquire(pen, "b", 20, 30, { outcome: "held" });
      acquire(pen, "c", 20);
      acquire(pen, "d", 20, 30, threw("unavailable"));
    },
  },
  forbids: {
    "an older token for the later holder"(pen) {
      acquire(pen, "a", 0, 10, 6);
      acquire(pen, "b", 20, 30, 5);
    },
    "an older token for a later holder, behind one in order"(pen) {
      acquire(pen, "a", 0, 10, 6);
      acquire(pen, "b", 5, 50, 4);
      acquire(pen, "c", 20, 30, 5);
    },
    "one token for two holders at once"(pen) {
      acquire(pen, "a", 0, 100, 5);
      acquire(pen, "b", 50, 90, 5);
    },
  },
});

judges(lock.lockTokenConstant, {
  allows: {
    "renewal, release and writes under the token of the acquisition"(pen) {
      const call = acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 30, "extended");
      writes(pen, "disk", call, 5, 25);
      pen.ask("a", "lock.release", "r", { token: 5 }, 40, 50, "released");
    },
  },
  forbids: {
    "another token at the release"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 6 }, 40, 50, "released");
    },
    "another token at the sink"(pen) {
      const call = acquire(pen, "a", 0, 10, 5);
      writes(pen, "printer", call, 6, 25);
    },
    "the token of another node"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("b", "lock.extend", "r", { token: 5 }, 20, 30, "extended");
    },
  },
});

for (const [guarantee, sink] of [
  [lock.lockFencedSink, "disk"],
  [lock.lockNaiveExclusion, "printer"],
] as const) {
  judges(guarantee, {
    allows: {
      "writes of one holder after the other"(pen) {
        const a = acquire(pen, "a", 0, 10, 5);
        const b = acquire(pen, "b", 20, 30, 6);
        writes(pen, sink, a, 5, 15);
        writes(pen, sink, a, 5, 35);
        writes(pen, sink, b, 6, 36);
      },
      "a late write that the sink refused"(pen) {
        const a = acquire(pen, "a", 0, 10, 5);
        const b = acquire(pen, "b", 20, 30, 6);
        writes(pen, sink, b, 6, 35);
        pen.effect(a, { sink, fencingToken: 5, accepted: false }, 40);
      },
      "writes to other sinks"(pen) {
        const a = acquire(pen, "a", 0, 10, 5);
        const b = acquire(pen, "b", 20, 30, 6);
        writes(pen, "elsewhere", b, 6, 35);
        writes(pen, "elsewhere", a, 5, 40);
      },
    },
    forbids: {
      "an older token after a newer one"(pen) {
        const a = acquire(pen, "a", 0, 10, 5);
        const b = acquire(pen, "b", 20, 30, 6);
        writes(pen, sink, b, 6, 35);
        writes(pen, sink, a, 5, 40);
      },
      "an older holder after a newer one, whose token is no higher"(pen) {
        const a = acquire(pen, "a", 0, 10, 6);
        const b = acquire(pen, "b", 20, 30, 5);
        writes(pen, sink, b, 5, 35);
        writes(pen, sink, a, 6, 40);
      },
      "two holders by turns under one token"(pen) {
        const a = acquire(pen, "a", 0, 10, 5);
        const b = acquire(pen, "b", 20, 30, 5);
        writes(pen, sink, a, 5, 32);
        writes(pen, sink, b, 5, 35);
        writes(pen, sink, a, 5, 40);
      },
    },
  });
}

judges(lock.lockMutualExclusion, {
  allows: {
    "one after the other, at one instant"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 30);
      holds(pen, acquire(pen, "b", 20, 30, 6), 6, 30, 40);
    },
    "a hold that a crash ended"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10);
      holds(pen, acquire(pen, "b", 20_000, 20_010, 6), 6, 20_010, 20_040);
    },
  },
  forbids: {
    "two at once"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 31);
      holds(pen, acquire(pen, "b", 20, 30, 6), 6, 30, 40);
    },
    "a second beside a hold of a node that lives on"(pen) {
      const a = acquire(pen, "a", 0, 10, 5);
      holds(pen, a, 5, 10);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 40, 50, "unknown");
      holds(pen, acquire(pen, "b", 20, 30, 6), 6, 30, 35);
    },
  },
});

function holdsBeside(pen: Pen, token: number, others: readonly number[]): void {
  const call = acquire(pen, "b", 20_000, 20_010, token);
  const fromUs = 20_010_000;
  pen.span(call, { kind: "holds", fencingToken: token, fromUs, detail: { others } });
}

judges(lock.lockViewWithinLease, {
  allows: {
    "nobody else's view"(pen) {
      holdsBeside(pen, 6, []);
    },
    "a view whose holder is about to release"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20_000);
      holdsBeside(pen, 6, [5]);
    },
  },
  forbids: {
    "a paused holder that still counts itself as one"(pen) {
      acquire(pen, "a", 0, 10, 5);
      holdsBeside(pen, 6, [5]);
    },
    "a late view of what another has taken over"(pen) {
      acquire(pen, "a", 0, 10, 7);
      holdsBeside(pen, 6, [7]);
    },
  },
});

judges(lock.lockLeaseRespected, {
  allows: {
    "another holder after the lease, though the first still believes"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 30_000);
      acquire(pen, "b", 10_000, 10_010, 6);
    },
    "another holder after a release began"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 50);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 50, "released");
      acquire(pen, "b", 22, 30, 6);
    },
    "another holder after an extension that was shorter than the lease"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 9_000);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 30, "extended");
      acquire(pen, "b", 500, 510, 6);
    },
    "another holder after the first saw its hold end"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 50);
      acquire(pen, "b", 40, 60, 6);
    },
  },
  forbids: {
    "another holder within the lease"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10, 9_000);
      acquire(pen, "b", 20, 30, 6);
    },
    "another holder because a third released its own hold late"(pen) {
      acquire(pen, "z", 0, 5, 4);
      holds(pen, acquire(pen, "a", 20_000, 20_010, 5), 5, 20_010, 29_000);
      pen.ask("z", "lock.release", "r", { token: 4 }, 20_020, 20_030, "lost");
      acquire(pen, "b", 20_040, 20_050, 6);
    },
    "another holder within the lease of a crashed one"(pen) {
      holds(pen, acquire(pen, "a", 0, 10, 5), 5, 10);
      acquire(pen, "b", 20, 30, 6);
    },
  },
});

judges(lock.lockLostStaysLost, {
  allows: {
    "a renewal that began before the other was told"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 40, "extended");
      acquire(pen, "b", 25, 30, 6);
    },
    "lost and unknown"(pen) {
      acquire(pen, "a", 0, 10, 5);
      acquire(pen, "b", 20, 30, 6);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 40, 50, "lost");
      pen.ask("a", "lock.extend", "r", { token: 5 }, 40, 50, "unknown");
      pen.ask("a", "lock.release", "r", { token: 5 }, 60, 70, "lost");
    },
    "a release that is asked twice"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 30, "released");
      pen.ask("a", "lock.release", "r", { token: 5 }, 40, 50, "released");
    },
  },
  forbids: {
    "a renewal after another acquired"(pen) {
      acquire(pen, "a", 0, 10, 5);
      acquire(pen, "b", 20, 30, 6);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 40, 50, "extended");
    },
    "a renewal after the release"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 30, "released");
      pen.ask("a", "lock.extend", "r", { token: 5 }, 40, 50, "extended");
    },
    "a release after another acquired"(pen) {
      acquire(pen, "a", 0, 10, 5);
      acquire(pen, "b", 20, 30, 6);
      pen.ask("a", "lock.release", "r", { token: 5 }, 40, 50, "released");
    },
  },
});

judges(lock.lockSettles, {
  allows: {
    "an acquisition in the end"(pen) {
      acquire(pen, "a", 0);
      pen.healed(1_000);
      acquire(pen, "last", 2_000, 2_010, { outcome: "held" });
      acquire(pen, "last", 20_000, 20_010, 6);
    },
  },
  forbids: {
    "a lock that nobody can acquire any more"(pen) {
      acquire(pen, "a", 0);
      pen.healed(1_000);
      acquire(pen, "last", 2_000, 20_000, { outcome: "held" });
    },
    "an acquisition that hangs"(pen) {
      pen.healed(1_000);
      acquire(pen, "last", 2_000);
    },
  },
});

judges(lock.lockReleaseIsHonest, {
  allows: {
    "lost once the lease may have ended"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 9_990, 10_000, "lost");
    },
    "lost once the shorter lease of an unanswered extension may have ended"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5, leaseMs: 1_000 }, 20, 1_100, "unknown");
      pen.ask("a", "lock.release", "r", { token: 5 }, 1_100, 1_110, "lost");
    },
    "lost after an extension of which nobody knows the length"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 30, "extended");
      pen.ask("a", "lock.release", "r", { token: 5 }, 40, 50, "lost");
    },
    "not known once an answer can be missing"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 1_020, "unknown");
    },
  },
  forbids: {
    "lost within the lease"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 1_030, "lost");
    },
    "lost within a lease that was made longer"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5, leaseMs: 20_000 }, 20, 30, "extended");
      pen.ask("a", "lock.release", "r", { token: 5 }, 15_000, 15_010, "lost");
    },
    "not known before an answer can be missing"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.release", "r", { token: 5 }, 20, 30, "unknown");
    },
  },
});

judges(lock.lockViewWithinLease, {
  allows: {
    "an extension of a lock that was held when it was told"(pen) {
      acquire(pen, "a", 0, 10, 5);
      pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 30, "extended");
      pen.finding("toldUnheld", []);
    },
  },
  forbids: {
    "an acquisition that was over when it was told"(pen) {
      pen.finding("toldUnheld", [acquire(pen, "a", 0, 30_000, 5).id]);
    },
    "an extension of one that was not"(pen) {
      acquire(pen, "a", 0, 10, 5);
      const extend = pen.ask("a", "lock.extend", "r", { token: 5 }, 20, 30_000, "extended");
      pen.finding("toldUnheld", [extend.id]);
    },
  },
});
