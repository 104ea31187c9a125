// What the processes of a lock property do, and what is noted of it for the oracles.

import { createLock, type Lock, type Locks, type ReleaseOutcome } from "@onceproof/core";
import type { Write, WriteResult } from "@onceproof/core/advanced";
import type { PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import {
  answerOf,
  createSwarm,
  faultPlan,
  type Node,
  OPERATION_TIMEOUT_MS,
  SETTLE_MS,
  type Swarm,
} from "./swarm.ts";

export const LEASE_MS = 1_000;
const STORE_KEY = "1:r4:lock1:r";
// What an acquisition may take beside its wait: a last look, a create and giving back a late one.
const LONGEST_CALL_MS = 4 * (SETTLE_MS + OPERATION_TIMEOUT_MS);
const LONGEST_LEASE_MS = 2_500;

/** One acquisition and what its holder does with it. */
interface Session {
  readonly restMs: number;
  readonly waitMs: number;
  readonly autoRenew: boolean;
  readonly holdMs: number;
  readonly strain: "none" | "pause" | "suspend" | "wallBack" | "wallAhead";
  readonly strainMs: number;
  /** A lease to extend to, before the holding; 0 for none. */
  readonly extendMs: number;
  /** How long an effect is under way to the sink. */
  readonly effectMs: number;
  readonly end: "release" | "abandon" | "crash";
}

export interface LockRun {
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly workers: readonly { readonly skewMs: number; readonly sessions: readonly Session[] }[];
}

/** A lock in a holder's hands. */
export interface Holder {
  readonly lock: Lock;
  readonly node: Node;
  readonly token: number;
  readonly autoRenew: boolean;
  /** Real time, which only the oracles know. */
  readonly askedMs: number;
  readonly gotMs: number;
  /** A signal taken at the start, as most holders take it. */
  readonly signal: AbortSignal;
  released?: ReleaseOutcome;
}

/** What came to light in a run. */
export interface LockHistory {
  readonly holders: readonly Holder[];
  /** The effects that arrived at the sink, in order. */
  readonly arrivals: readonly Holder[];
  /** Holders that believed to hold at an instant when another's write applied. */
  readonly believers: readonly Holder[];
  /** The tokens of entries that their own holder removed. */
  readonly removed: ReadonlySet<number>;
  /** Laws that a holder saw broken, in words. */
  readonly broken: readonly string[];
  /** Whether a newcomer got the lock within the lease once the faults were lifted. */
  readonly settledAgain: boolean;
}

/** Draws runs; suspensions freeze the monotonic clock, so wall clocks do not step back beside them. */
export function lockRuns(options: {
  readonly faults: boolean;
  readonly clockJumps?: boolean;
}): fc.Arbitrary<LockRun> {
  const { faults, clockJumps = false } = options;
  const ms = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
  const session = (strains: Session["strain"][]): fc.Arbitrary<Session> =>
    fc.record({
      restMs: fc.oneof(ms(50), ms(1_500)),
      waitMs: fc.constantFrom(0, 400, 3_000, 3_000),
      autoRenew: fc.boolean(),
      holdMs: ms(2_500),
      strain: fc.constantFrom<Session["strain"]>("none", "none", ...strains),
      strainMs: ms(3_000),
      extendMs: fc.constantFrom(0, 0, 150, 150, 400, LONGEST_LEASE_MS),
      effectMs: ms(3_000),
      end: fc.constantFrom<Session["end"]>("release", "release", "abandon", "crash"),
    });
  const workers = (strains: Session["strain"][]): fc.Arbitrary<LockRun["workers"]> =>
    fc.array(
      fc.record({
        skewMs: fc.integer({ min: -60_000, max: 60_000 }),
        sessions: fc.array(session(strains), { minLength: 1, maxLength: 4 }),
      }),
      { minLength: 2, maxLength: 4 },
    );
  return fc.record({
    seed: fc.nat(),
    plan: faults ? faultPlan({ calls: 50, clockJumps }) : fc.constant([]),
    workers: fc.oneof(workers(["pause", "suspend", "wallAhead"]), workers(["pause", "wallBack"])),
  });
}

export async function playLocks(run: LockRun): Promise<LockHistory> {
  const holders: Holder[] = [];
  const arrivals: Holder[] = [];
  const believers: Holder[] = [];
  const removed = new Set<number>();
  const broken: string[] = [];
  // Which acquisition an applied write descends from, by opId.
  const tokenOf = new Map<string, number>();
  const onJudged = (write: Write, result: WriteResult): void => {
    if (result.outcome !== "applied" || result.replayed) {
      return;
    }
    const before = typeof write.expect === "object" && "opId" in write.expect && write.expect.opId;
    const token = before === false ? result.revision : (tokenOf.get(before) ?? 0);
    tokenOf.set(write.opId, token);
    if (write.next === "removed") {
      removed.add(token);
    }
    believers.push(
      ...holders.filter(
        (holder) => holder.token !== token && holder.lock.held && !holder.node.machine.crashed,
      ),
    );
  };
  const swarm = createSwarm({ seed: run.seed, plan: run.plan, onJudged });
  const stepping = run.plan.some(({ fault }) => fault === "clockOffset");
  // Where the store's clock steps back, an entry that had ended is seen again.
  const stands = async (token: number): Promise<boolean> => {
    const { entry } = await swarm.direct.read(STORE_KEY);
    return !stepping && entry !== undefined && tokenOf.get(entry.stamp.opId) === token;
  };
  const noted = { holders, arrivals, broken, stands };
  await swarm.runAll(
    run.workers.map(({ skewMs, sessions }) => {
      const node = swarm.node(skewMs);
      return [node, work(swarm, node, sessions, noted)] as const;
    }),
  );
  const settledAgain = await settlesAgain(swarm);
  return { holders, arrivals, broken, believers, removed, settledAgain };
}

function locksOf({ machine, store }: Node): Locks {
  const { runtime } = machine;
  return createLock({ store, name: "r", runtime, leaseMs: LEASE_MS, settleMs: SETTLE_MS });
}

interface Noted {
  readonly holders: Holder[];
  readonly arrivals: Holder[];
  readonly broken: string[];
  /** Whether the entry of this acquisition is live in the store at this moment. */
  stands(token: number): Promise<boolean>;
}

async function work(
  swarm: Swarm,
  node: Node,
  sessions: readonly Session[],
  noted: Noted,
): Promise<void> {
  const { machine } = node;
  const { runtime } = swarm;
  const locks = locksOf(node);
  for (const session of sessions) {
    await machine.sleep(session.restMs);
    const askedMs = runtime.monotonicNow();
    const got = await answerOf(locks.acquire("r", session));
    if (runtime.monotonicNow() - askedMs > session.waitMs + LONGEST_CALL_MS) {
      noted.broken.push("acquire took longer than its wait and a few calls");
    }
    if (!("value" in got)) {
      if (!["lockHeld", "indeterminate", "unavailable"].includes(String(got.code))) {
        noted.broken.push(`acquire failed with ${String(got.code)}`);
      }
      continue;
    }
    const lock = got.value;
    const { token, signal } = lock;
    const gotMs = runtime.monotonicNow();
    const { autoRenew } = session;
    const holder: Holder = { lock, node, token, autoRenew, askedMs, gotMs, signal };
    noted.holders.push(holder);
    if (!lock.held) {
      noted.broken.push("acquire handed out a lock that is not held");
    }
    const act = (): void => {
      runtime.setTimer(() => noted.arrivals.push(holder), session.effectMs);
    };
    act();
    if (session.extendMs > 0) {
      const extended = await answerOf(lock.extend(session.extendMs));
      if ("value" in extended && extended.value === "extended" && !lock.held) {
        noted.broken.push("extended, but not held");
      }
      if ("value" in extended && extended.value === "lost" && lock.held) {
        noted.broken.push("lost, but held");
      }
    }
    strain(session, node, swarm);
    await machine.sleep(session.holdMs);
    act();
    // Timers keep time with the monotonic clock: after the wall clock has run ahead of it the end
    // of a lease is noticed within a tenth of the lease.
    if (session.strain === "suspend" || session.strain === "wallAhead") {
      await machine.sleep(LONGEST_LEASE_MS / 10 + 1);
    }
    if (!lock.held && !signal.aborted) {
      noted.broken.push("the lease may have ended, but the signal has not fired");
    }
    if (lock.token !== token) {
      noted.broken.push("the token changed while the lock was held");
    }
    if (session.end === "release") {
      holder.released = await lock.release();
      if (holder.released !== "unknown" && (await noted.stands(token))) {
        noted.broken.push(`${holder.released}, but its entry still stands`);
      }
    } else if (session.end === "crash" || autoRenew) {
      // A holder that is gone for good but renews for ever would be a holder still.
      machine.crash();
      return;
    }
  }
}

function strain({ strain: kind, strainMs }: Session, { machine, clock }: Node, swarm: Swarm): void {
  switch (kind) {
    case "pause":
    case "suspend":
      machine[kind]();
      swarm.runtime.setTimer(machine.resume, strainMs);
      return;
    case "wallBack":
      clock.jumpBy(-strainMs);
      return;
    case "wallAhead":
      clock.jumpBy(strainMs);
      return;
    case "none":
      return;
  }
}

async function settlesAgain(swarm: Swarm): Promise<boolean> {
  await swarm.heal();
  const locks = locksOf(swarm.node(0));
  const waitMs = LONGEST_LEASE_MS + 100;
  return "value" in (await swarm.runtime.run(answerOf(locks.acquire("r", { waitMs }))));
}
