// node-redis writes all commands of one turn of the event loop together, at the turn's end. Where
// many are sent in one, the server would wait for us and then we for it, so they leave in portions:
// while we build the next, the server is at work on the one before.

import { AsyncResource } from "node:async_hooks";
import { nextTick, setImmediate } from "./turns.js";

/** So many are sent in one turn. */
const AT_MOST = 32;

/** A send that waits, and the asynchronous context of its caller, which a tracer follows. */
class Waiting extends AsyncResource {
  readonly send: () => void;

  constructor(send: () => void) {
    super("OnceproofSend");
    this.send = send;
  }
}

/**
 * Builds what calls back when a command may be sent: at once as long as nothing waits and this turn
 * has sent less than `AT_MOST`, else in one of the next turns, first in, first out.
 *
 * Cost: for what waits, one object that keeps its caller's asynchronous context.
 */
export function sendPacer(): (send: () => void) => void {
  const waiting: Waiting[] = [];
  let sent = 0;
  // node-redis asked for its write by `setImmediate` when it was given the first of a portion, so the
  // next portion, which asks later, comes behind that write.
  const over = (): void => {
    sent = 0;
    if (waiting.length > 0) {
      setImmediate(sendWaiting);
    }
  };
  function sendWaiting(): void {
    for (const each of waiting.splice(0, AT_MOST)) {
      // Not by `AsyncResource.bind`, which costs as much as the send itself.
      each.runInAsyncScope(each.send);
    }
    over();
  }
  return (send) => {
    if (waiting.length > 0 || sent === AT_MOST) {
      waiting.push(new Waiting(send));
      return;
    }
    sent += 1;
    if (sent === 1) {
      // Runs once all that this turn has settled went on.
      nextTick(over);
    }
    send();
  };
}
