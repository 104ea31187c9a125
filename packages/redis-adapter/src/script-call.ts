// One script call from start to end: waiting for the connection, EVALSHA with its fallback, the
// time allowed, and what a failure proves. Stores see only the three outcomes.

import {
  type Deadline,
  driverError,
  pause,
  type Runtime,
  startDeadline,
  TIMED_OUT,
} from "@onceproof/core/advanced";
import type { Connection } from "./connection.js";
import type { EvictionGuard } from "./eviction-guard.js";
import { isPassing, isScriptUnknown, replyCode } from "./reply-error.js";
import type { Script } from "./scripts.js";

/** What came of a script call. */
export type CallOutcome =
  /** `resent` if the client may have sent it twice, so that this answers the second send. */
  | { readonly kind: "reply"; readonly reply: unknown; readonly resent: boolean }
  /** Certainly nothing was done, and why: the code of the StoreError that says so. */
  | {
      readonly kind: "nothing";
      readonly cause: unknown;
      readonly code: "unavailable" | "full" | "evicting";
    }
  /** It may have run, or may yet run. */
  | { readonly kind: "noAnswer"; readonly cause: unknown };

/**
 * Runs one script on one key, or on `keys` of them: then `args` begins with the others. With a
 * `deadline` that is what limits it.
 */
export type CallScript = (
  script: Script,
  key: string,
  args: readonly string[],
  keys?: number,
  deadline?: Deadline,
) => Promise<CallOutcome>;

const PASSING_PAUSE_MS = 50;
// Some clients do not tell when they are connected.
const LOOK_AGAIN_MS = 25;

/**
 * Builds the caller of one connection.
 *
 * Guarantee: settles within `timeoutMs`; nothing is sent before the connection is ready, so that
 * what was not sent is known not to have happened, nor before the `guard` has passed the server.
 * Cost: one command; a second one after the server lost its scripts.
 */
export function scriptCaller(
  connection: Connection,
  runtime: Runtime,
  timeoutMs: number,
  guard?: EvictionGuard,
): CallScript {
  async function send(
    script: Script,
    key: string,
    args: readonly string[],
    keys: string,
    deadline: Deadline,
  ): Promise<unknown> {
    try {
      return await connection.send(key, ["EVALSHA", script.sha, keys, key, ...args]);
    } catch (error) {
      // Once the operation has been told as unanswered, nothing more is sent for it.
      if (!isScriptUnknown(error) || deadline.remainingMs() === 0) {
        throw error;
      }
      return await connection.send(key, ["EVAL", script.text, keys, key, ...args]);
    }
  }

  return async (script, key, args, keys = 1, limit = undefined) => {
    const deadline = limit ?? startDeadline(runtime, timeoutMs);
    const nothing = (cause: unknown): CallOutcome => ({
      kind: "nothing",
      cause,
      code: "unavailable",
    });
    try {
      for (;;) {
        while (connection.state() === "connecting") {
          let stop = (): void => {};
          const settled = new Promise<void>((resolve) => {
            stop = connection.onSettled(resolve);
          });
          const looked = Promise.race([settled, pause(runtime, LOOK_AGAIN_MS)]);
          const waited = await deadline.race(looked);
          stop();
          if (waited === TIMED_OUT) {
            return nothing(new Error(`not connected within ${timeoutMs} ms`));
          }
        }
        if (connection.state() === "ended") {
          return nothing(new Error("the client is not connected and does not try to be"));
        }
        if (guard?.passed() === false) {
          const look = await deadline.race(guard.look());
          if (look === TIMED_OUT) {
            return nothing(new Error(`no answer to INFO within ${timeoutMs} ms`));
          }
          if (look.kind === "evicting") {
            return { kind: "nothing", cause: look.cause, code: "evicting" };
          }
          if (look.kind === "noAnswer") {
            return nothing(look.cause);
          }
          // The connection may have been lost meanwhile.
          continue;
        }
        const losses = connection.losses();
        try {
          const reply = await deadline.race(send(script, key, args, String(keys), deadline));
          return reply === TIMED_OUT
            ? { kind: "noAnswer", cause: new Error(`no reply within ${timeoutMs} ms`) }
            : { kind: "reply", reply, resent: connection.losses() !== losses };
        } catch (error) {
          const code = replyCode(error);
          const cause = driverError(error);
          // An error that answers only the second of two sends says nothing of the first.
          if (code === undefined || connection.losses() !== losses) {
            return { kind: "noAnswer", cause };
          }
          if (!isPassing(code, connection.cluster)) {
            return { kind: "nothing", cause, code: code === "OOM" ? "full" : "unavailable" };
          }
          if ((await deadline.race(pause(runtime, PASSING_PAUSE_MS))) === TIMED_OUT) {
            return nothing(cause);
          }
        }
      }
    } finally {
      if (limit === undefined) {
        deadline.cancel();
      }
    }
  };
}
