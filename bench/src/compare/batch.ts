// A batch: so and so many operations, so and so many at a time. One alone is shorter than what
// disturbs it.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs `count` operations from `from` on, `concurrency` of them at a time. */
export async function runBatch(
  operate: (index: number) => Promise<unknown>,
  from: number,
  count: number,
  concurrency: number,
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < from + count) {
      const index = next;
      next += 1;
      await operate(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/**
 * Collects young garbage, so that no batch pays for what another left. Not the old: each full
 * collection brings the engine closer to forgetting the compiled code of those whose turn it is not.
 */
export function garbageCollector(): () => void {
  setFlagsFromString("--no-flush-bytecode");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;
  return () => collect({ type: "minor" });
}
