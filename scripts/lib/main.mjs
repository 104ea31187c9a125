// Picks the task, prepares what it says it needs, runs it and passes its exit code on.

import { ensureBuilt } from "./build.mjs";
import { installSignalHandlers } from "./child.mjs";
import { Failure } from "./failure.mjs";
import { helpAsked, printHelp, printTaskHelp } from "./help.mjs";
import { ensureInstalled } from "./install.mjs";
import { paint } from "./print.mjs";
import { findTask } from "./tasks.mjs";

/** Runs `scripts/run.mjs TASK [flags]` and ends the process with the task's exit code. */
export async function main(argv) {
  installSignalHandlers();
  const [name, ...flags] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    return printHelp();
  }
  const task = await findTask(name);
  if (task === undefined) {
    printHelp();
    console.error(paint.red(`There is no task "${name}".`));
    process.exit(2);
  }
  // A program knows its own flags best.
  if (helpAsked(flags) && !task.program) return printTaskHelp(task);
  try {
    const plan = task.plan(flags);
    await ensureInstalled();
    if (plan.needsBuild) await ensureBuilt();
    process.exit(await plan.run());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(paint.red(error.message));
    task.afterFailure?.();
    process.exit(error.exitCode);
  }
}
