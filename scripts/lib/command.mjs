// Runs the command of the built simulator.
import { runNode } from "./child.mjs";
import { fromRoot, root } from "./paths.mjs";

/** Runs `onceproof` with `args` and returns its exit code. */
export async function runCommand(args) {
  const file = fromRoot("packages", "simulator", "bin", "onceproof.js");
  return (await runNode(file, args, { cwd: root })).code;
}
