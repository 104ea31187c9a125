// Times one case in batches, with the library's warm-up and statistics.

import { Bench } from "tinybench";
import { runBatch } from "../compare/batch.js";
import { BATCH, type Case } from "./cases.js";

export interface Measured {
  readonly name: string;
  readonly goalUs: number | undefined;
  /** Microseconds per operation: the median over batches, and the 99th percentile. */
  readonly medianUs: number;
  readonly p99Us: number;
  readonly opsPerSecond: number;
  readonly batches: number;
}

/** Runs one batch in a fresh world, one operation after another. */
export async function runCase(subject: Case): Promise<void> {
  await runBatch(await subject.prepare(), 0, subject.batch ?? BATCH, 1);
}

export async function measure(subject: Case, timeMs: number): Promise<Measured> {
  const { batch = BATCH } = subject;
  let operation: (index: number) => Promise<unknown> = async () => {};
  const bench = new Bench({ time: timeMs, warmupTime: timeMs / 2, iterations: 10 });
  bench.add(subject.name, () => runBatch(operation, 0, batch, 1), {
    beforeEach: async () => {
      operation = await subject.prepare();
    },
  });
  const [task] = await bench.run();
  const result = task?.result;
  if (result?.state !== "completed") {
    throw new Error(`${subject.name} did not complete`, {
      cause: result !== undefined && "error" in result ? result.error : undefined,
    });
  }
  const { p50, p99, samplesCount } = result.latency;
  const medianUs = (p50 * 1000) / batch;
  return {
    name: subject.name,
    goalUs: subject.goalUs,
    medianUs,
    p99Us: (p99 * 1000) / batch,
    opsPerSecond: Math.round(1_000_000 / medianUs),
    batches: samplesCount,
  };
}
