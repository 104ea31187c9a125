// Waits until replicas have an applied write. WAIT speaks of the writes of its own connection: on
// any other, as after a reconnect, it would count replicas that lack the write. It holds up whatever
// comes behind it on its connection, so each server is asked one WAIT at a time; what applies
// meanwhile shares the next one.

import { type Deadline, driverError, TIMED_OUT } from "@onceproof/core/advanced";
import type { Connection } from "./connection.js";
import { type Script, script } from "./scripts.js";

// Writes the key's opId over itself, in the connection that waits and behind the write in question,
// whose arrival at a replica is thereby known with its own. Replicas get it as SETRANGE.
const ANCHOR: Script = script(`#!lua flags=allow-oom
  local s = redis.call('GETRANGE', KEYS[1], 0, 21)
  if s ~= '' then redis.call('SETRANGE', KEYS[1], 0, s) end
  return s
`);

/** One write that was answered *applied*. */
export interface AppliedWrite {
  readonly key: string;
  readonly opId: string;
  /** Whether it was applied just now, by a command that was sent once over this connection. */
  readonly fresh: boolean;
}

/** Waits for the replicas; what comes back is why they cannot be counted on, or undefined. */
export type WaitForReplicas = (
  write: AppliedWrite,
  deadline: Deadline,
) => Promise<Error | undefined>;

/** A write that waits, with others or for its turn. */
interface Waiting extends AppliedWrite {
  /** How often the connection had been lost when the write was answered. */
  readonly losses: number;
  readonly replicas: number;
  readonly waitMs: number;
  readonly deadline: Deadline;
  settle(reason: Error | undefined): void;
}

/** The writes that wait on one server. */
interface Lane {
  busy: boolean;
  waiting: readonly Waiting[];
  forget(): void;
}

const lanes = new WeakMap<Connection, Map<string, Lane>>();

function laneOf(connection: Connection, key: string): Lane {
  const known = lanes.get(connection) ?? new Map<string, Lane>();
  lanes.set(connection, known);
  const server = connection.serverOf(key);
  const forget = (): unknown => known.delete(server);
  const lane = known.get(server) ?? { busy: false, waiting: [], forget };
  known.set(server, lane);
  return lane;
}

const unheard = (): Error => new Error("applied, but the replicas' acknowledgement did not arrive");

function judge(counted: number, replicas: number, ms: number): Error | undefined {
  return counted >= replicas
    ? undefined
    : new Error(
        `applied, but only ${counted} of ${replicas} replicas had it within ${ms} ms: ` +
          "a failover may lose it",
      );
}

/** One WAIT for writes that ask for the same; it settles within the longest of their times. */
async function ask(connection: Connection, batch: readonly [Waiting, ...Waiting[]]): Promise<void> {
  const [{ key, replicas, waitMs }] = batch;
  const { deadline } = batch.reduce((longest, each) =>
    each.deadline.remainingMs() > longest.deadline.remainingMs() ? each : longest,
  );
  const ms = Math.max(1, Math.floor(Math.min(waitMs, deadline.remainingMs())));
  const losses = connection.losses();
  // The connection's own latest writes need no anchor.
  const anchored = batch.filter(
    (write) => !(write.fresh && connection.sole && write.losses === losses),
  );
  const settle = (reasonOf: (write: Waiting) => Error | undefined): void => {
    for (const write of batch) {
      write.settle(reasonOf(write));
    }
  };
  try {
    // By its text: small, and no server needs to know it. Its slot is the key's.
    const anchors = anchored.map((write) => ["EVAL", ANCHOR.text, "1", write.key]);
    const wait = ["WAIT", String(replicas), String(ms)];
    const replies = await deadline.race(connection.sendInOrder(key, [...anchors, wait]));
    if (replies === TIMED_OUT || connection.losses() !== losses) {
      settle(unheard);
      return;
    }
    const reason = judge(Number(replies[anchors.length]), replicas, ms);
    settle((write) => {
      const at = anchored.indexOf(write);
      return at >= 0 && String(replies[at]) !== write.opId
        ? new Error("applied, but another write came before the replicas could be asked")
        : reason;
    });
  } catch (error) {
    const cause = driverError(error);
    settle(() => new Error("applied, but the replicas could not be asked", { cause }));
  }
}

async function serve(connection: Connection, lane: Lane): Promise<void> {
  lane.busy = true;
  for (;;) {
    // Those whose answers came together go together.
    await undefined;
    const waiting = lane.waiting.filter(({ deadline }) => deadline.remainingMs() > 0);
    const [first] = waiting;
    if (first === undefined) {
      lane.forget();
      return;
    }
    const alike = ({ replicas, waitMs }: Waiting): boolean =>
      replicas === first.replicas && waitMs === first.waitMs;
    lane.waiting = waiting.filter((each) => !alike(each));
    const others = waiting.filter((each) => each !== first && alike(each));
    await ask(connection, [first, ...others]);
  }
}

/**
 * Builds what waits for `replicas` of them.
 *
 * Guarantee: undefined only if so many replicas held the write. Cost: at most 1 (WAIT), shared by
 * writes that apply at the same time; in the same round trip one more for a replay, and where a
 * client has several connections.
 */
export function replicaWaiter(
  connection: Connection,
  replicas: number,
  waitMs: number,
): WaitForReplicas {
  return async (write, deadline) => {
    const lane = laneOf(connection, write.key);
    const losses = connection.losses();
    const told = new Promise<Error | undefined>((settle) => {
      lane.waiting = [...lane.waiting, { losses, replicas, waitMs, deadline, settle, ...write }];
    });
    if (!lane.busy) {
      void serve(connection, lane);
    }
    const reason = await deadline.race(told);
    return reason === TIMED_OUT ? unheard() : reason;
  };
}
