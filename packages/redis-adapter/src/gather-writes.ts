// ioredis writes each command to its socket by itself. Where many are sent in one turn of the event
// loop, the system calls cost client and server more than all the rest, so they leave together.

import { nextTick } from "node:process";

/** What is used of the socket below an ioredis client. */
interface Corkable {
  cork(): void;
  uncork(): void;
}

function isCorkable(stream: unknown): stream is Corkable {
  const { cork, uncork } = Object(stream) as Partial<Corkable>;
  return typeof cork === "function" && typeof uncork === "function";
}

/**
 * Builds what is called before each send: it holds the socket's writes back until the present turn
 * has run, without waiting for anything.
 *
 * Guarantee: order and number of commands stay as they are; a client that shows no socket writes
 * each by itself, as ever.
 */
export function writeGatherer(client: { readonly stream?: unknown }): () => void {
  let held = false;
  return () => {
    const { stream } = client;
    if (!held && isCorkable(stream)) {
      held = true;
      stream.cork();
      nextTick(() => {
        held = false;
        stream.uncork();
      });
    }
  };
}
