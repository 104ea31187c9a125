// The part `runtimes`: the suites of the built core and of the simulator in every runtime.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";
import { ensureServers } from "../servers.mjs";

const report = `${cache}/test/runtimes.json`;

export const runtimes = {
  name: "runtimes",
  summary: "the built core and the simulator in Node, Bun, Deno, workerd and Chromium",
  minutes: 2,
  needsBuild: true,
  async run() {
    const missing = await ensureServers(["chromium"]);
    rmSync(report, { force: true });
    await runNode(fromRoot("runtimes", "smoke.mjs"), ["--json", report], { cwd: root });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: [] };
    const tally = JSON.parse(readFileSync(report, "utf8"));
    const reasons = missing.map(({ name, reason }) => `${name}: ${reason}`);
    return { ...tally, skips: [...reasons, ...tally.skips] };
  },
};
