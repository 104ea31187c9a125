// The tasks by name. Each lives in scripts/tasks and exports { name, summary, usage, plan }.

export const taskNames = ["start", "test", "verify", "mutants", "chaos", "check", "bench", "build"];

/** The task, or undefined when there is none of that name. */
export async function findTask(name) {
  if (!taskNames.includes(name)) return undefined;
  return (await import(`../tasks/${name}.mjs`)).task;
}
