// Node, Bun and Deno load the built core from its files, as a user's program would; other suites
// come as one bundled module.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "../binaries.mjs";
import { bundle } from "../bundle.mjs";
import { execute } from "../execute.mjs";
import { fromOutput } from "../suite/result-line.mjs";

const files = join(fileURLToPath(new URL("..", import.meta.url)), "suite");

const entryOf = ({ folder, bundled }) =>
  bundled ? bundle(join(folder, "console.mjs"), "esm") : join(files, folder, "console.mjs");

const host = (name, program, args) => ({
  name,
  missing: () => (program() === undefined ? `${name} is not installed here` : undefined),
  run: async (suite) => fromOutput(await execute(program(), [...args, await entryOf(suite)])),
});

export const node = host("node", () => process.execPath, []);
export const bun = host("bun", () => programOf("bun"), ["run", "--no-install"]);
// No permission is granted: core needs neither files, network nor environment.
export const deno = host("deno", () => programOf("deno"), [
  ...["run", "--no-prompt", "--quiet", "--no-remote", "--no-lock", "--node-modules-dir=manual"],
]);
