// Waits until replicas have an applied write. WAIT speaks of the writes of its own connection: on
// any other, as after a reconnect, it would count replicas that lack the write.

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
  /** Whether it was applied just now, by the connection's latest command, sent once. */
  readonly fresh: boolean;
}

/** Waits for the replicas; what comes back is why they cannot be counted on, or undefined. */
export type WaitForReplicas = (
  write: AppliedWrite,
  deadline: Deadline,
) => Promise<Error | undefined>;

/**
 * Builds what waits for `replicas` of them.
 *
 * Guarantee: undefined only if so many replicas held the write. Cost: 1 (WAIT); 2 in one round trip
 * for a replay, and where a client has several connections.
 */
export function replicaWaiter(
  connection: Connection,
  replicas: number,
  waitMs: number,
): WaitForReplicas {
  async function count({ key, opId, fresh }: AppliedWrite, wait: string[]): Promise<number> {
    if (fresh && connection.sole) {
      return Number(await connection.send(key, wait));
    }
    // By its text: small, and no server needs to know it. Its slot is the key's.
    const anchor = ["EVAL", ANCHOR.text, "1", key];
    const [latest, counted] = await connection.sendBoth(key, anchor, wait);
    if (String(latest) !== opId) {
      throw new Error("another write came before the replicas could be asked");
    }
    return Number(counted);
  }

  return async (write, deadline) => {
    const ms = Math.max(1, Math.floor(Math.min(waitMs, deadline.remainingMs())));
    const losses = connection.losses();
    try {
      const counted = await deadline.race(count(write, ["WAIT", String(replicas), String(ms)]));
      if (counted === TIMED_OUT || connection.losses() !== losses) {
        return new Error("applied, but the replicas' acknowledgement did not arrive");
      }
      return counted >= replicas
        ? undefined
        : new Error(
            `applied, but only ${counted} of ${replicas} replicas had it within ${ms} ms: ` +
              "a failover may lose it",
          );
    } catch (error) {
      return new Error("applied, but the replicas could not be asked", {
        cause: driverError(error),
      });
    }
  };
}
