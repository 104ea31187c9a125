// How a server is asked whether it is ready: one connection, a word to it or none, its first reply.
import { connect } from "node:net";

const REPLY_WITHIN_MS = 10_000;

/** Whether the first that a server on this port replies, in time, is what `accepts` waits for. */
export function firstReply(
  port: number,
  accepts: (reply: Buffer) => boolean,
  asked?: string | Buffer,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(REPLY_WITHIN_MS, () => settle(false));
    socket.once("error", () => settle(false));
    // A server that dies meanwhile may end the connection without a word, which is no error.
    socket.once("close", () => settle(false));
    if (asked !== undefined) socket.once("connect", () => socket.write(asked));
    socket.once("data", (reply) => settle(accepts(reply)));
  });
}
