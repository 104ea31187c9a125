// The installed command.
import { join } from "node:path";
import { run } from "../lib/child.mjs";

const uses = [
  { args: ["--help"], says: /Usage: onceproof/ },
  {
    args: ["verify", "--only", "fence/", "--profile", "durable", "--quick"],
    says: /\d+ holds, .* 0 violated/,
  },
  { args: ["mutants", "--list", "--only", "lock/"], says: /\d+ mutants/ },
];

/** @param {import("./project.mjs").Project} project */
export function commandChecks({ folder }) {
  return uses.map(({ args, says }) => ({
    title: `onceproof ${args.join(" ")}`,
    async run() {
      // By its link, as a shell finds it: it has to be executable too.
      const command = join(folder, "node_modules", ".bin", "onceproof");
      const { code, output } = await run(command, args, { cwd: folder, capture: true });
      if (code !== 0 || !says.test(output)) throw new Error(`exit code ${code}\n${output}`);
    },
  }));
}
