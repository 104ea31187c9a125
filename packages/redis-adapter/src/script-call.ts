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
import { notConnected } from "./connection-error.js";
import type { EvictionGuard } from "./eviction-guard.js";
import {
  isPassing,
  isScriptUnknown,
  OWN_CLIENT,
  provesNothingDone,
  replyCode,
} from "./reply-error.js";
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
      /** The code of the server's own refusal, if it was one. */
      readonly said?: string;
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

interface Call {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly string[];
  readonly keys: number;
}

/** A send that failed, and how often the connection had been lost before it. */
interface Failure {
  readonly kind: "failed";
  readonly error: unknown;
  readonly losses: number;
}

const PASSING_PAUSE_MS = 50;
// Some clients do not tell when they are connected.
const LOOK_AGAIN_MS = 25;

type Nothing = Extract<CallOutcome, { kind: "nothing" }>;

function nothing(cause: unknown, code: Nothing["code"] = "unavailable"): Nothing {
  return { kind: "nothing", cause, code };
}

/** What the server itself refused. */
function refused(error: unknown): Nothing {
  const said = replyCode(error) ?? "ERR";
  return { ...nothing(driverError(error), said === "OOM" ? "full" : "unavailable"), said };
}

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
  const evalsha = ({ script, key, args, keys }: Call): Promise<unknown> =>
    connection.send(key, ["EVALSHA", script.sha, String(keys), key, ...args]);

  const evaluate = ({ script, key, args, keys }: Call): Promise<unknown> =>
    connection.send(key, ["EVAL", script.text, String(keys), key, ...args]);

  // Scripts answer with a list. QUEUED is none: what is queued runs or not, as EXEC or DISCARD will
  // have it, and nobody tells.
  const replied = (reply: unknown, losses: number): CallOutcome =>
    Array.isArray(reply)
      ? { kind: "reply", reply, resent: connection.losses() !== losses }
      : { kind: "noAnswer", cause: new Error(`a script was answered with no list: ${OWN_CLIENT}`) };

  const noReply = (): CallOutcome => ({
    kind: "noAnswer",
    cause: new Error(`no reply within ${timeoutMs} ms`),
  });

  /** What nearly every call is: one send that is answered, so it gets one promise and one timer. */
  function promptly(call: Call): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const endsAtMs = runtime.monotonicNow() + timeoutMs;
      let over = false;
      let sent = false;
      const cancel = runtime.setTimer(() => {
        over = true;
        resolve(sent ? noReply() : nothing(new Error(`not sent within ${timeoutMs} ms`)));
      }, timeoutMs);
      const goOn = (failure?: Failure): void => {
        cancel();
        // Once the operation has been told as over, nothing more is sent for it.
        if (!over) {
          const deadline = startDeadline(runtime, endsAtMs - runtime.monotonicNow());
          resolve(patiently(call, deadline, failure).finally(deadline.cancel));
        }
      };
      connection.inTurn(() => {
        if (over || connection.state() !== "ready" || guard?.passed() === false) {
          goOn();
          return;
        }
        sent = true;
        const losses = connection.losses();
        const failed = (error: unknown): void => goOn({ kind: "failed", error, losses });
        try {
          evalsha(call).then((reply) => {
            cancel();
            resolve(replied(reply, losses));
          }, failed);
        } catch (error) {
          failed(error);
        }
      });
    });
  }

  /** Waits until a send may be tried; else tells why not. */
  async function unready(deadline: Deadline): Promise<Nothing | undefined> {
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
          return nothing(
            notConnected(`not connected within ${timeoutMs} ms`, connection.lastError()),
          );
        }
      }
      if (connection.state() === "ended") {
        const said = "the client is not connected and does not try to be";
        return nothing(notConnected(said, connection.lastError()));
      }
      if (guard?.passed() !== false) {
        return undefined;
      }
      const look = await deadline.race(guard.look());
      if (look === TIMED_OUT) {
        return nothing(new Error(`no answer to INFO within ${timeoutMs} ms`));
      }
      if (look.kind !== "passed") {
        return nothing(look.cause, look.kind === "evicting" ? "evicting" : "unavailable");
      }
      // The connection may have been lost meanwhile.
    }
  }

  /** What a failed send proves; undefined if it is worth another one. */
  function judged({ error, losses }: Failure): CallOutcome | undefined {
    const code = replyCode(error);
    // An error that answers only the second of two sends says nothing of the first.
    if (code === undefined || !provesNothingDone(error) || connection.losses() !== losses) {
      return { kind: "noAnswer", cause: driverError(error) };
    }
    return isPassing(code, connection.cluster) ? undefined : refused(error);
  }

  async function once(
    send: (call: Call) => Promise<unknown>,
    call: Call,
    losses: number,
    deadline: Deadline,
  ): Promise<CallOutcome | Failure> {
    try {
      const reply = await deadline.race(send(call));
      return reply === TIMED_OUT ? noReply() : replied(reply, losses);
    } catch (error) {
      return { kind: "failed", error, losses };
    }
  }

  /** Goes on until the call is answered or its time is over; a first send may have failed already. */
  async function patiently(call: Call, deadline: Deadline, first?: Failure): Promise<CallOutcome> {
    for (let failure = first; ; failure = undefined) {
      if (failure === undefined) {
        const reason = await unready(deadline);
        if (reason !== undefined) {
          return reason;
        }
      }
      let sent = failure ?? (await once(evalsha, call, connection.losses(), deadline));
      if (sent.kind === "failed" && isScriptUnknown(sent.error)) {
        sent = await once(evaluate, call, sent.losses, deadline);
      }
      if (sent.kind !== "failed") {
        return sent;
      }
      const outcome = judged(sent);
      if (outcome !== undefined) {
        return outcome;
      }
      if ((await deadline.race(pause(runtime, PASSING_PAUSE_MS))) === TIMED_OUT) {
        return refused(sent.error);
      }
    }
  }

  return (script, key, args, keys = 1, limit = undefined) => {
    const call: Call = { script, key, args, keys };
    return limit === undefined ? promptly(call) : patiently(call, limit);
  };
}
