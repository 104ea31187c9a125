// The part `mutants`: broken variants of the algorithms, each of which a property test must fail on.
// A sample by default; all of them when the part is asked for by name.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot } from "../lib/paths.mjs";

const report = `${cache}/test/mutants.json`;

export const mutants = {
  name: "mutants",
  summary: "broken variants of each algorithm, which its tests must catch",
  minutes: 4,
  needsBuild: false,
  async run(_flags, named) {
    rmSync(report, { force: true });
    const { code } = await runNode(
      fromRoot("node_modules", "tsx", "dist", "cli.mjs"),
      [
        fromRoot("packages", "core", "test", "mutation", "run.ts"),
        ...(named ? [] : ["--quick"]),
        ...["--report", report],
      ],
      { cwd: fromRoot("packages", "core") },
    );
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: [] };
    const verdicts = JSON.parse(readFileSync(report, "utf8"));
    const passed = verdicts.filter(({ verdict }) => verdict === "killed").length;
    const failed = verdicts.length - passed;
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped: 0, skips: [] };
  },
};
