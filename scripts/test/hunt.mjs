// The part `hunt`: the simulator must notice every broken variant of core, and never flag core as it
// is. Each variant counts as one test.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";

const report = `${cache}/test/hunt.json`;
const command = fromRoot("packages", "simulator", "bin", "onceproof.js");

export const hunt = {
  name: "hunt",
  summary: "broken variants of core, which the simulator must notice (npm run mutants)",
  minutes: 4,
  needsBuild: true,
  async run() {
    rmSync(report, { force: true });
    const { code } = await runNode(command, ["mutants", "--json", report], { cwd: root });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: [] };
    const { verdicts } = JSON.parse(readFileSync(report, "utf8"));
    const passed = verdicts.filter(({ verdict }) =>
      ["killed", "notFlagged"].includes(verdict),
    ).length;
    const failed = verdicts.length - passed;
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped: 0, skips: [] };
  },
};
