// The scenario of the lock: two workers contend for one resource. What a holder does reaches a disk
// that checks its fencing token in the same step, and a printer that checks nothing.

import type { Lock, Locks } from "@onceproof/core";
import type { Node } from "../world/world.js";
import { type Ask, askAll, type Serve } from "./clients.js";
import type { Recorded } from "./recorded.js";
import type { Acts, NamedWorkload, Scenario, Stage, Stated, Times } from "./scenario.js";

/** A client's job: to be done by whoever holds the resource. */
export interface LockAsk extends Ask {
  readonly resource: string;
  /** How long it waits for the holder; 0 asks once, without waiting. */
  readonly waitMs: number;
  readonly autoRenew: boolean;
  /** The lengths of its pieces of work; a write to the disk and one to the printer follow each. */
  readonly worksMs: readonly number[];
  /** A lease of this length is asked for after the first piece. */
  readonly extendMs?: number;
  /** Who walks away never gives it back: its lease must end. */
  readonly end: "releases" | "walksAway";
}

export interface LockWorkload {
  readonly asks: readonly LockAsk[];
}

export const LOCK_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

const NODES = ["worker-1", "worker-2"];
export const DISK = "disk";
export const PRINTER = "printer";

const ask = (over: Partial<LockAsk>): LockAsk => ({
  client: "alice",
  atMs: 0,
  to: ["worker-1", "worker-2"],
  tries: 3,
  patienceMs: 4_500,
  gapMs: 400,
  resource: "r1",
  waitMs: 2_000,
  autoRenew: true,
  worksMs: [10, 10],
  end: "releases",
  ...over,
});

export const LOCK_WORKLOADS: readonly NamedWorkload<LockWorkload>[] = [
  {
    id: "short",
    title: "three callers of one resource at the same time, each for a moment",
    workload: {
      asks: [
        ask({}),
        ask({ client: "bob", atMs: 1, to: ["worker-2", "worker-1"] }),
        ask({ client: "carol", atMs: 2, to: ["worker-2", "worker-1"] }),
      ],
    },
  },
  {
    id: "renewed",
    title: "work that outlasts the lease, renewed by itself, while another waits",
    workload: {
      asks: [
        ask({ worksMs: [900, 800] }),
        ask({ client: "bob", atMs: 1_000, to: ["worker-2", "worker-1"] }),
      ],
    },
  },
  {
    id: "extended",
    title: "no renewal by itself: one lease made longer, one shorter; others ask without waiting",
    workload: {
      asks: [
        ask({ autoRenew: false, waitMs: 0, worksMs: [900, 900], extendMs: 2_400 }),
        ask({
          client: "bob",
          atMs: 1_550,
          to: ["worker-2"],
          tries: 6,
          waitMs: 0,
          autoRenew: false,
          worksMs: [50, 100],
          extendMs: 400,
        }),
      ],
    },
  },
  {
    id: "left",
    title: "a holder that writes up to its margin and walks away, and two who wait for its lease",
    workload: {
      asks: [
        // The second piece ends some milliseconds before the holder's own view of its lease does.
        ask({ autoRenew: false, worksMs: [665, 665], end: "walksAway" }),
        ask({ client: "bob", atMs: 1_000, to: ["worker-2", "worker-1"] }),
        ask({ client: "carol", atMs: 1_400, to: ["worker-1", "worker-2"] }),
      ],
    },
  },
];

/** Builds the scenario; the guarantees that it states come from where they are assembled. */
export function lockScenario(
  id: string,
  title: string,
  states: readonly Stated<LockWorkload>[],
): Scenario<LockWorkload> {
  return {
    id: `lock/${id}`,
    algorithm: "lock",
    title,
    times: LOCK_TIMES,
    profiles: [
      "durable",
      "single-key",
      "clock-back",
      "unsynced",
      "failover",
      "failover-lagging",
      "evicting",
      "stale-reads",
      "clock-far-back",
    ],
    targets: [
      { from: NODES, to: "store" },
      { from: NODES, to: DISK },
      { from: NODES, to: PRINTER },
    ],
    workloads: LOCK_WORKLOADS,
    states,
    play,
  };
}

/** A lock in a holder's hands, and the operation that acquired it. */
interface Holding {
  readonly lock: Lock;
  readonly operation: number;
  /** Says how the holder's own code saw it end. */
  readonly ended: (how: "released" | "notHeld" | "signal") => void;
}

/** One write of a holder to both sinks. */
type WriteOut = (node: Node, holding: Holding, resource: string, piece: number) => Promise<boolean>;

/** Writes to the disk, then to the printer; false if the disk refused. */
function createSinks({ world }: Stage<LockWorkload>): WriteOut {
  const newest = new Map<string, number>();
  return async (node, { lock, operation }, key, value) => {
    // As the holder's code would: the token is asked for at each write, and goes with it.
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

/** What `lock.acquire` tells, with the lock itself. */
type Acquired = { readonly told: Recorded["lock.acquire"]["returned"]; readonly lock?: Lock };

async function contend(locks: Locks, asked: LockAsk): Promise<Acquired> {
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

function play(stage: Stage<LockWorkload>): Acts {
  const { world, core, workload } = stage;
  const { recorder } = world;
  const writeOut = createSinks(stage);
  const services = new Map<string, Serve<LockAsk>>();
  const locksHeld: Lock[] = [];

  const hold = (node: Node, key: string, operation: number, lock: Lock): Holding => {
    // Other holders' own views are asked for at this very moment, which no node could do.
    const others = locksHeld.filter((other) => other.held).map(({ token }) => token);
    locksHeld.push(lock);
    const ended = recorder.span({
      kind: "holds",
      by: node.name,
      life: node.life,
      key,
      operation,
      fencingToken: lock.token,
      detail: { others },
    });
    const { signal } = lock;
    const fired = (): void => ended("signal");
    signal.addEventListener("abort", fired, { once: true });
    if (signal.aborted) {
      fired();
    }
    return { lock, operation, ended };
  };

  /** Begins an operation of a node. */
  const operate = <T>(
    { name, life }: Node,
    method: keyof Recorded,
    key: string,
    input: Readonly<Record<string, unknown>>,
    run: (operation: number) => Promise<T>,
  ): Promise<T> => recorder.operation({ by: name, life, method, key, input }, run);

  const acquire = async (
    node: Node,
    locks: Locks,
    asked: LockAsk,
  ): Promise<Holding | undefined> => {
    const { client, resource } = asked;
    let holding: Holding | undefined;
    await operate(node, "lock.acquire", resource, { client }, async (operation) => {
      const { told, lock } = await contend(locks, asked);
      holding = lock && hold(node, resource, operation, lock);
      return told;
    });
    return holding;
  };

  /** Does the work piece by piece; false when it saw that it must stop. */
  const work = async (node: Node, holding: Holding, asked: LockAsk): Promise<boolean> => {
    const { resource, worksMs, extendMs } = asked;
    const { lock } = holding;
    const stillHeld = (): boolean => {
      if (!lock.held) {
        holding.ended("notHeld");
      }
      return lock.held;
    };
    for (const [piece, workMs] of worksMs.entries()) {
      await node.sleep(workMs);
      if (!stillHeld() || !(await writeOut(node, holding, resource, piece))) {
        return false;
      }
      if (piece === 0 && extendMs !== undefined) {
        const { token } = lock;
        const extend = (): Promise<unknown> => lock.extend(extendMs);
        await operate(node, "lock.extend", resource, { token }, extend).catch(() => {});
        if (!stillHeld()) {
          return false;
        }
      }
    }
    return true;
  };

  const serviceOf = (node: Node): Serve<LockAsk> => {
    const locks = core.createLock({
      store: node.store,
      runtime: node.runtime,
      name: "jobs",
      leaseMs: LOCK_TIMES.leaseMs,
      settleMs: 600,
      onEvent: (event) => recorder.told(node.name, event.type),
    });
    return async (asked) => {
      try {
        const holding = await acquire(node, locks, asked);
        if (holding === undefined) {
          return "again";
        }
        const { lock, ended } = holding;
        const done = await work(node, holding, asked);
        if (asked.end === "releases") {
          // From the call on its own code does not believe any more.
          ended("released");
          const { token } = lock;
          await operate(node, "lock.release", asked.resource, { token }, () => lock.release());
        }
        return done ? "settled" : "again";
      } catch {
        return "again";
      }
    };
  };

  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, serviceOf(node)));
  for (const name of NODES) {
    start(name);
  }
  return {
    main: askAll(world, workload.asks, services),
    async settle() {
      start("last");
      for (const resource of new Set(workload.asks.map((each) => each.resource))) {
        const client = `last-${resource}`;
        const last = ask({ client, resource, to: ["last"], tries: 6, gapMs: 1_000 });
        await askAll(world, [last], services);
      }
    },
  };
}
