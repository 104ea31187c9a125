// Types of every package, its tests, the examples and the benchmarks, by `tsc -b`.
import { existsSync, readFileSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { fromRoot, root, workspaceMembers } from "../lib/paths.mjs";

export const types = {
  name: "types",
  summary: "types, strict, tests included (tsc -b)",
  needsBuild: false,
  async run() {
    const forgotten = workspaceMembers().filter((folder) => !isReferenced(folder));
    for (const folder of forgotten) console.log(`tsconfig.json does not refer to ${folder}`);
    const tsc = fromRoot("node_modules", "typescript", "bin", "tsc");
    const { code } = await runNode(tsc, ["-b", "--pretty", String(process.stdout.isTTY ?? false)], {
      cwd: root,
    });
    return code === 0 && forgotten.length === 0;
  },
};

// The root tsconfig.json bears comments, so it is searched rather than parsed.
const isReferenced = (folder) =>
  existsSync(fromRoot(folder, "tsconfig.json")) &&
  readFileSync(fromRoot("tsconfig.json"), "utf8").includes(`"./${folder}"`);
