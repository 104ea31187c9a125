// Runs a TypeScript program of the workspace through tsx, against the built packages.
import { existsSync } from "node:fs";
import { runNode } from "./child.mjs";
import { Failure } from "./failure.mjs";
import { fromRoot, root } from "./paths.mjs";

/** Runs `file` (relative to the root) with `flags` and returns its exit code. */
export async function runProgram(file, flags) {
  if (!existsSync(fromRoot(file))) throw new Failure(`${file} does not exist (yet).`);
  const tsx = fromRoot("node_modules", "tsx", "dist", "cli.mjs");
  const args = ["--tsconfig", fromRoot("tsconfig.run.json"), fromRoot(file), ...flags];
  return (await runNode(tsx, args, { cwd: root })).code;
}
