// What `--help` prints.
import { paint } from "./print.mjs";
import { findTask, taskNames } from "./tasks.mjs";

export const helpAsked = (flags) => flags.includes("--help") || flags.includes("-h");

const call = (name) => (name === "start" || name === "test" ? `npm ${name}` : `npm run ${name}`);

export async function printHelp() {
  console.log(
    `${paint.bold("Onceproof's tasks")}; each installs and builds what it needs first.\n`,
  );
  for (const name of taskNames) {
    const task = await findTask(name);
    console.log(`  ${call(name).padEnd(15)} ${task.summary}`);
  }
  console.log("\nFlags pass after --, for example: npm run check -- --only lint,types");
  console.log("Flags of one task: npm run check -- --help");
}

export function printTaskHelp(task) {
  console.log(`${paint.bold(call(task.name))} ${task.usage.length > 0 ? "[-- flags]" : ""}`);
  console.log(`\n${task.summary}\n`);
  for (const [flag, meaning] of task.usage) console.log(`  ${flag.padEnd(20)} ${meaning}`);
}
