// Where the time goes: a CPU profile of one case, summed by file or library.

import { Session } from "node:inspector/promises";
import { BATCH, type Case } from "./cases.js";
import { runBatch } from "./measure.js";

export interface Share {
  readonly where: string;
  readonly percent: number;
}

/** A short name for a script: the source file below `src`, the library, or the engine itself. */
function placeOf(url: string, functionName: string): string {
  if (functionName === "(garbage collector)") {
    return "garbage collector";
  }
  if (url === "") {
    return "engine: built-in functions";
  }
  if (url.startsWith("node:")) {
    return `node: ${functionName || "internals"}`;
  }
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url);
  if (library) {
    return library[1] ?? url;
  }
  const ours = /packages\/(.*)$/.exec(url);
  return ours ? `${(ours[1] ?? "").replace("/dist/", ": ")} ${functionName}` : "the benchmark";
}

/** Profiles a case for `timeMs`, largest share first. */
export async function profile(subject: Case, timeMs: number): Promise<readonly Share[]> {
  const { batch = BATCH } = subject;
  const warm = await subject.prepare();
  await runBatch(warm, batch);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  const end = performance.now() + timeMs;
  while (performance.now() < end) {
    await runBatch(await subject.prepare(), batch);
  }
  const { profile: taken } = await session.post("Profiler.stop");
  session.disconnect();
  const hits = new Map<string, number>();
  let total = 0;
  for (const { callFrame, hitCount = 0 } of taken.nodes) {
    if (callFrame.functionName === "(program)" || callFrame.functionName === "(idle)") {
      continue;
    }
    const where = placeOf(callFrame.url, callFrame.functionName);
    hits.set(where, (hits.get(where) ?? 0) + hitCount);
    total += hitCount;
  }
  return [...hits]
    .map(([where, count]) => ({ where, percent: (100 * count) / total }))
    .sort((a, b) => b.percent - a.percent);
}
