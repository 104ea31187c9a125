// Node, Bun and Deno load the built packages from their files, as a user's program would.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "../binaries.mjs";
import { execute } from "../execute.mjs";
import { fromOutput } from "../suite/result-line.mjs";

const entry = join(fileURLToPath(new URL("..", import.meta.url)), "suite", "console.mjs");

const host = (name, program, args) => ({
  name,
  missing: () => (program() === undefined ? `${name} is not installed here` : undefined),
  run: async () => fromOutput(await execute(program(), [...args, entry])),
});

export const node = host("node", () => process.execPath, []);
export const bun = host("bun", () => programOf("bun"), ["run", "--no-install"]);
// No permission is granted: core needs neither files, network nor environment.
export const deno = host("deno", () => programOf("deno"), [
  ...["run", "--no-prompt", "--quiet", "--no-remote", "--no-lock", "--node-modules-dir=manual"],
]);
