// Where the time goes: a CPU profile of repeated batches, summed by library and by function.

import { Session } from "node:inspector/promises";

export interface Share {
  readonly where: string;
  readonly percent: number;
}

export interface Profile {
  /** By library, largest first; what the process waited is one of them. */
  readonly libraries: readonly Share[];
  /** By function, largest first. */
  readonly functions: readonly Share[];
}

/** The library that a script belongs to, or the engine. */
function libraryOf(url: string, functionName: string): string {
  if (functionName === "(garbage collector)") {
    return "garbage collector";
  }
  if (functionName === "(idle)") {
    return "waiting";
  }
  if (url.startsWith("node:")) {
    return "node";
  }
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url);
  if (library) {
    return library[1] ?? url;
  }
  const ours = /packages\/([^/]+)\//.exec(url);
  if (ours) {
    return ours[1] ?? url;
  }
  return url === "" ? "engine" : "the benchmark";
}

function largestFirst(hits: ReadonlyMap<string, number>): readonly Share[] {
  const total = [...hits.values()].reduce((sum, count) => sum + count, 0);
  return [...hits]
    .map(([where, count]) => ({ where, percent: (100 * count) / total }))
    .sort((a, b) => b.percent - a.percent);
}

/** Profiles `run`, again and again for `timeMs`, after it ran once. */
export async function profile(run: () => Promise<unknown>, timeMs: number): Promise<Profile> {
  await run();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  const end = performance.now() + timeMs;
  while (performance.now() < end) {
    await run();
  }
  const { profile: taken } = await session.post("Profiler.stop");
  session.disconnect();
  const libraries = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const { callFrame, hitCount = 0 } of taken.nodes) {
    const { url, functionName } = callFrame;
    const library = libraryOf(url, functionName);
    const name = `${library}: ${functionName || "(anonymous)"}`;
    libraries.set(library, (libraries.get(library) ?? 0) + hitCount);
    functions.set(name, (functions.get(name) ?? 0) + hitCount);
  }
  return { libraries: largestFirst(libraries), functions: largestFirst(functions) };
}
