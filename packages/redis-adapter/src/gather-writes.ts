// ioredis writes each command to its socket by itself. Where many are sent in one turn of the event
// loop, the system calls cost client and server more than all the rest, so they leave together; but
// not all at once, or the server would wait for us and then we for it.

import { nextTick } from "./turns.js";

/** What is used of the socket below an ioredis client. */
interface Corkable {
  cork(): void;
  uncork(): void;
}

function isCorkable(stream: unknown): stream is Corkable {
  const { cork, uncork } = Object(stream) as Partial<Corkable>;
  return typeof cork === "function" && typeof uncork === "function";
}

/** So many leave in one write: with 64 in flight, 8 to 32 do alike, and all at once far worse. */
const AT_MOST = 16;

/**
 * Builds what is called before each send: it holds the socket's writes back until `AT_MOST` have
 * come together or the present turn has run, without waiting for anything.
 *
 * Guarantee: order and number of commands stay as they are; a client that shows no socket writes
 * each by itself, as ever.
 */
export function writeGatherer(client: { readonly stream?: unknown }): () => void {
  let held: Corkable | undefined;
  let gathered = 0;
  const release = (): void => {
    held?.uncork();
    held = undefined;
  };
  return () => {
    if (held !== undefined && gathered < AT_MOST) {
      gathered += 1;
      return;
    }
    const { stream } = client;
    if (held !== undefined) {
      held.uncork();
      held = undefined;
    } else if (isCorkable(stream)) {
      nextTick(release);
    }
    if (isCorkable(stream)) {
      held = stream;
      gathered = 1;
      stream.cork();
    }
  };
}
