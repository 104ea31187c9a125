// A worker process: carries out one task after the other and tells how far it is. It ends when the
// command does, however that ends.

import { explore, type JobResult } from "../explore/explore.js";
import { hunt, MAX_EVENTS } from "../explore/mutants.js";
import { shrink } from "../explore/shrink.js";
import { loadCore } from "../mutants/index.js";
import { scenarioOf } from "../scenarios/catalogue.js";
import type { RunOptions } from "../scenarios/run.js";
import type { RunSpec } from "../scenarios/scenario.js";
import { worldOf } from "./own-store.js";
import type { Answers, FromWorker, Task, ToWorker } from "./protocol.js";

/** How often messages are read and plans are told, at most. */
const BREATH_MS = 50;

let stopping = false;
let lastBreathMs = 0;
let unhandled: string | undefined;

function say(message: FromWorker): void {
  // The command may be gone; then `disconnect` ends this process.
  if (process.connected) {
    process.send?.(message, undefined, undefined, () => {});
  }
}

/** What every task is given to be stopped, and to tell how far it is. */
function pace(id: number) {
  let plans = 0;
  return {
    stop: () => stopping,
    onRun: () => {
      plans += 1;
    },
    breathe: (): Promise<void> | undefined => {
      const nowMs = performance.now();
      if (nowMs - lastBreathMs < BREATH_MS) {
        return undefined;
      }
      lastBreathMs = nowMs;
      say({ say: "plans", id, plans });
      return new Promise((resolve) => void setImmediate(resolve));
    },
  };
}

async function carryOut(id: number, task: Task): Promise<Answers[Task["task"]]> {
  switch (task.task) {
    case "explore": {
      const { job, mutant, store } = task;
      const options = { ...pace(id), ...(await variantOf(mutant, store)) };
      const result = await explore(scenarioOf(job.scenario), job, options);
      return mutant === undefined ? result : naming(mutant, result);
    }
    case "shrink": {
      const { found, guarantee, store } = task;
      const options = await variantOf(found.spec.mutant, store);
      return shrink(scenarioOf(found.spec.scenario), found, guarantee, options);
    }
    case "hunt": {
      const { mutant, scenarios, seed, budget } = task;
      return hunt(scenarios.map(scenarioOf), {
        ...(mutant !== undefined && { mutant }),
        core: await loadCore(mutant),
        correct: await loadCore(undefined),
        seed,
        budget,
        ...pace(id),
      });
    }
  }
}

async function variantOf(
  mutant: string | undefined,
  store: string | undefined,
): Promise<RunOptions> {
  const world = await worldOf(store);
  return mutant === undefined
    ? { world }
    : { core: await loadCore(mutant), world: { ...world, maxEvents: MAX_EVENTS } };
}

/** The result of a job with the mutant in each spec, so that tokens replay it. */
function naming(mutant: string, result: JobResult): JobResult {
  const named = <F extends { readonly spec: RunSpec }>(found: F): F => ({
    ...found,
    spec: { ...found.spec, mutant },
  });
  return {
    ...result,
    cells: result.cells.map(({ declared, surprise, ...cell }) => ({
      ...cell,
      ...(declared !== undefined && { declared: named(declared) }),
      ...(surprise !== undefined && { surprise: named(surprise) }),
    })),
    ...(result.failures !== undefined && { failures: result.failures.map(named) }),
  };
}

async function serve(id: number, task: Task): Promise<void> {
  unhandled = undefined;
  stopping = false;
  try {
    const answer = await carryOut(id, task);
    // Node tells of rejections that nobody handled when the microtasks are done.
    await new Promise((resolve) => void setImmediate(resolve));
    // A mutant is judged by its runs; core as it is must leave none behind.
    if (unhandled !== undefined && task.task === "explore" && task.mutant === undefined) {
      throw new Error(`a rejected promise was left to nobody: ${unhandled}`);
    }
    say({ say: "done", id, answer });
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say({ say: "failed", id, message });
  }
}

process.on("message", (message: ToWorker) => {
  if (message.say === "stop") {
    stopping = true;
  } else {
    void serve(message.id, message.task);
  }
});
process.on("unhandledRejection", (reason) => {
  unhandled ??= reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
});
process.on("disconnect", () => process.exit(0));
// A terminal sends its signals to every process; the command decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {});
}
if (process.connected) {
  say({ say: "ready" });
} else {
  // Gone before this process was up, so that no `disconnect` will come.
  process.exit(0);
}
