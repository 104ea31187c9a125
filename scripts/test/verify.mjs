// The part `verify`: the guarantees under a seeded sample of fault plans, in the simulator. Each cell
// of the matrix counts as one test; what is given up must be found lost, and nothing else may be.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";

const report = `${cache}/test/verify.json`;
const command = fromRoot("packages", "simulator", "bin", "onceproof.js");

export const verify = {
  name: "verify",
  summary: "every guarantee under a sample of fault plans (npm run verify)",
  minutes: 2,
  needsBuild: true,
  async run() {
    rmSync(report, { force: true });
    const { code } = await runNode(command, ["verify", "--quick", "--json", report], { cwd: root });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: [] };
    const { matrix } = JSON.parse(readFileSync(report, "utf8"));
    const cells = matrix.rows.flatMap((row) => row.cells);
    const tried = cells.filter(({ verdict }) => verdict !== "untried").length;
    const failed = matrix.surprises.length;
    return {
      passed: tried - failed,
      failed: code !== 0 && failed === 0 ? 1 : failed,
      skipped: 0,
      skips: [],
    };
  },
};
