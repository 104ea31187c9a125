// The part `consumers`: the packages as a user gets them, packed and installed in an empty project.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";
import { ensureServers } from "../servers.mjs";

const report = `${cache}/test/consumers.json`;

export const consumers = {
  name: "consumers",
  summary:
    "the packages packed, installed in an empty project, and used in JavaScript and TypeScript",
  minutes: 2,
  needsBuild: true,
  async run() {
    const missing = await ensureServers(["redis", "postgres", "mariadb"]);
    rmSync(report, { force: true });
    await runNode(fromRoot("scripts", "consumers", "main.mjs"), ["--json", report], { cwd: root });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: [] };
    const tally = JSON.parse(readFileSync(report, "utf8"));
    const reasons = missing.map(({ name, reason }) => `${name}: ${reason}`);
    return { ...tally, skips: [...reasons, ...tally.skips] };
  },
};
