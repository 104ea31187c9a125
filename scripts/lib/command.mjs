// Runs the command of the built simulator.
import { runNode } from "./child.mjs";
import { fromRoot, root } from "./paths.mjs";

/** Runs `onceproof` with `args` and returns its exit code. A module that it loads may be TypeScript. */
export async function runCommand(args) {
  const file = fromRoot("packages", "simulator", "bin", "onceproof.js");
  if (!args.some((arg) => arg.endsWith(".ts"))) {
    return (await runNode(file, args, { cwd: root })).code;
  }
  const env = { TSX_TSCONFIG_PATH: fromRoot("tsconfig.base.json") };
  return (await runNode("--import", ["tsx", file, ...args], { cwd: root, env })).code;
}
