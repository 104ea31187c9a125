// What a worker of the lock's scenario does with a client's job: it acquires, works piece by piece
// as long as it sees that it holds, writes to both sinks, and gives the lock back.

import type { Lock, Locks } from "@onceproof/core";
import type { Node } from "../world/world.js";
import type { Serve } from "./clients.js";
import { DISK, LOCK_TIMES, type LockAsk, type LockWorkload, PRINTER } from "./lock-workloads.js";
import type { Method, Recorded } from "./recorded.js";
import type { Stage } from "./scenario.js";

/** A lock in a holder's hands, and the operation that acquired it. */
interface Holding {
  readonly node: Node;
  readonly lock: Lock;
  readonly operation: number;
  /** Says how the holder's own code saw it end. */
  readonly ended: (how: "released" | "notHeld" | "signal") => void;
}

/** What the workers of one run share. */
interface Workshop {
  readonly stage: Stage<LockWorkload>;
  /** Every lock that was handed out, and to which life of whom. */
  readonly handedOut: { readonly lock: Lock; readonly node: Node }[];
  /** The present life of each node. */
  readonly lives: Map<string, number>;
  /** Operations that were told `acquired` or `extended` of a lock that did not count as held then. */
  readonly toldUnheld: number[];
  /** Writes to the disk, then to the printer; false if the disk refused. */
  readonly writeOut: (holding: Holding, piece: number) => Promise<boolean>;
}

/** Creates what each worker of a run does with a job. */
export function createLockWorkers(stage: Stage<LockWorkload>): (node: Node) => Serve<LockAsk> {
  const shop: Workshop = {
    stage,
    handedOut: [],
    lives: new Map(),
    toldUnheld: [],
    writeOut: createSinks(stage),
  };
  return (node) => {
    shop.lives.set(node.name, node.life);
    const locks = stage.core.createLock({
      store: node.store,
      runtime: node.runtime,
      name: "jobs",
      leaseMs: LOCK_TIMES.leaseMs,
      settleMs: 600,
      onEvent: (event) => stage.world.recorder.told(node.name, event.type),
    });
    return async (asked) => {
      try {
        const holding = await acquire(shop, node, locks, asked);
        if (holding === undefined) {
          return "again";
        }
        const done = await work(shop, holding, asked);
        if (asked.end === "releases") {
          await release(shop, holding);
        }
        return done ? "settled" : "again";
      } catch {
        return "again";
      }
    };
  };
}

function createSinks({ world }: Stage<LockWorkload>): Workshop["writeOut"] {
  const newest = new Map<string, number>();
  return async ({ node, lock, operation }, value) => {
    const key = lock.resource;
    // As a holder's code would: the token is asked for at each write, and goes with it.
    const fencingToken = lock.token;
    const effect = { key, by: node.name, operation, fencingToken, value };
    const write = node.call(DISK, `write ${key}`, () => {
      const accepted = fencingToken >= (newest.get(key) ?? 0);
      world.recorder.effect({ ...effect, sink: DISK, accepted });
      if (accepted) {
        newest.set(key, fencingToken);
      }
      return accepted;
    });
    // No answer is no refusal: it may have been written.
    const accepted = await write.catch(() => true);
    if (accepted) {
      // Nothing is asked in between, so that a holder which stops here prints when it goes on.
      const print = node.call(PRINTER, `print ${key}`, () => {
        world.recorder.effect({ ...effect, sink: PRINTER, accepted: true });
      });
      await print.catch(() => {});
    }
    return accepted;
  };
}

function operate<M extends Method>(
  { stage }: Workshop,
  { name, life }: Node,
  method: M,
  key: string,
  input: Recorded[M]["input"],
  run: (operation: number) => Promise<Recorded[M]["returned"]>,
): Promise<Recorded[M]["returned"]> {
  return stage.world.recorder.operation({ by: name, life, method, key, input }, run);
}

async function acquire(
  shop: Workshop,
  node: Node,
  locks: Locks,
  asked: LockAsk,
): Promise<Holding | undefined> {
  const { client, resource } = asked;
  let holding: Holding | undefined;
  await operate(shop, node, "lock.acquire", resource, { client }, async (operation) => {
    const { told, lock } = await contend(locks, asked);
    if (lock !== undefined) {
      noteUnheld(shop, operation, lock);
      holding = hold(shop, node, operation, lock);
    }
    return told;
  });
  return holding;
}

function noteUnheld({ stage, toldUnheld }: Workshop, operation: number, { held }: Lock): void {
  if (!held) {
    toldUnheld.push(operation);
    stage.world.recorder.finding("toldUnheld", toldUnheld);
  }
}

/** What `lock.acquire` tells, with the lock itself. */
type Contended = { readonly told: Recorded["lock.acquire"]["returned"]; readonly lock?: Lock };

async function contend(locks: Locks, asked: LockAsk): Promise<Contended> {
  const { resource, waitMs, autoRenew } = asked;
  if (waitMs === 0) {
    const tried = await locks.tryAcquire(resource, { autoRenew });
    return tried.outcome === "acquired"
      ? { told: { outcome: "acquired", token: tried.lock.token }, lock: tried.lock }
      : { told: { outcome: tried.outcome } };
  }
  try {
    const lock = await locks.acquire(resource, { waitMs, autoRenew });
    return { told: { outcome: "acquired", token: lock.token }, lock };
  } catch (error) {
    switch ((error as { readonly code?: unknown }).code) {
      case "lockHeld":
        return { told: { outcome: "held" } };
      case "indeterminate":
        return { told: { outcome: "indeterminate" } };
      default:
        throw error;
    }
  }
}

/** Notes that a node believes to hold from now on, until its own code sees an end. */
function hold(shop: Workshop, node: Node, operation: number, lock: Lock): Holding {
  const { resource, token, signal } = lock;
  // All other holders are asked at this one moment, as no node could do it.
  const others = shop.handedOut
    .filter((other) => shop.lives.get(other.node.name) === other.node.life)
    .filter((other) => other.lock.resource === resource && other.lock.held)
    .map((other) => other.lock.token);
  shop.handedOut.push({ lock, node });
  const ended = shop.stage.world.recorder.span({
    kind: "holds",
    by: node.name,
    life: node.life,
    key: resource,
    operation,
    fencingToken: token,
    detail: { others },
  });
  const fired = (): void => ended("signal");
  signal.addEventListener("abort", fired, { once: true });
  if (signal.aborted) {
    fired();
  }
  return { node, lock, operation, ended };
}

/** Works piece by piece; false when it saw that it must stop. */
async function work(
  shop: Workshop,
  holding: Holding,
  { worksMs, extendMs = [] }: LockAsk,
): Promise<boolean> {
  const leasesMs = typeof extendMs === "number" ? [extendMs] : extendMs;
  for (const [piece, workMs] of worksMs.entries()) {
    await holding.node.sleep(workMs);
    if (!stillHeld(holding) || !(await shop.writeOut(holding, piece))) {
      return false;
    }
    const leaseMs = leasesMs[piece];
    if (leaseMs !== undefined) {
      await extend(shop, holding, leaseMs);
      if (!stillHeld(holding)) {
        return false;
      }
    }
  }
  return true;
}

function stillHeld({ lock, ended }: Holding): boolean {
  const { held } = lock;
  if (!held) {
    ended("notHeld");
  }
  return held;
}

async function extend(shop: Workshop, { node, lock }: Holding, leaseMs: number): Promise<void> {
  const { resource, token } = lock;
  const input = { token, leaseMs };
  const asking = operate(shop, node, "lock.extend", resource, input, async (operation) => {
    const told = await lock.extend(leaseMs);
    if (told === "extended") {
      noteUnheld(shop, operation, lock);
    }
    return told;
  });
  // A store that cannot be reached changed nothing: what is left of the lease still counts.
  await asking.catch(() => {});
}

async function release(shop: Workshop, { node, lock, ended }: Holding): Promise<void> {
  const { resource, token } = lock;
  // From the call on its own code does not believe any more.
  ended("released");
  await operate(shop, node, "lock.release", resource, { token }, () => lock.release());
}
