// One named piece of work: says on stderr, so that stdout stays the program's, that it started, that it is still alive, and how it ended.
import { duration, paint } from "./print.mjs";

const HEARTBEAT_MS = 15_000;

/**
 * Runs `work` and prints its name, then its time.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const startedAt = Date.now();
  console.error(`${paint.dim("…")} ${name}`);
  const heartbeat = setInterval(() => {
    console.error(paint.dim(`  still working on: ${name} (${duration(Date.now() - startedAt)})`));
  }, HEARTBEAT_MS);
  try {
    const result = await work();
    console.error(`${paint.green("✓")} ${name} ${paint.dim(duration(Date.now() - startedAt))}`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}
