// Waits for what servers agree upon among themselves.
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 25;
const WITHIN_MS = 30_000;

/** Asks until the answer is yes; a failure counts as no. */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    if (await ask().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error(`not so within ${WITHIN_MS} ms: ${what}`);
    await delay(POLL_MS);
  }
}
