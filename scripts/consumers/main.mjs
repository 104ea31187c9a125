// Uses the packages as their users do: packs them, installs them in an empty project, and tries what
// a user would. A run of its own:
//   node scripts/consumers/main.mjs [--only WORD] [--json FILE]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installSignalHandlers } from "../lib/child.mjs";
import { Failure } from "../lib/failure.mjs";
import { duration, paint } from "../lib/print.mjs";
import { step } from "../lib/step.mjs";
import { withTempFolder } from "../lib/temp-folder.mjs";
import { commandChecks } from "./command.mjs";
import { contentChecks } from "./contents.mjs";
import { exampleChecks } from "./examples.mjs";
import { moduleChecks } from "./modules.mjs";
import { createProject } from "./project.mjs";
import { typeChecks } from "./types.mjs";

const AT_ONCE = 2;

const { values } = parseArgs({ options: { only: { type: "string" }, json: { type: "string" } } });
const totals = { passed: 0, failed: 0, skipped: 0, skips: [] };

installSignalHandlers();
try {
  await withTempFolder("consumers", async (folder) => {
    const project = await step("pack the packages and install them in an empty project", () =>
      createProject(folder),
    );
    const checks = [
      ...contentChecks(project),
      ...moduleChecks(project),
      ...(await exampleChecks(project)),
      ...typeChecks(project),
      ...commandChecks(project),
    ];
    const chosen = checks.filter(({ title }) => title.includes(values.only ?? ""));
    if (chosen.length === 0) throw new Failure(`no check has "${values.only}" in its title`);
    await runAll(chosen);
  });
} catch (error) {
  console.log(error instanceof Failure ? error.message : error);
  totals.failed += 1;
}
if (values.json !== undefined) {
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, JSON.stringify(totals));
}
process.exit(totals.failed > 0 ? 1 : 0);

async function runAll(checks) {
  const waiting = [...checks];
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      await report(check);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function report({ title, skip, run }) {
  if (skip !== undefined) {
    totals.skipped += 1;
    totals.skips.push(`${title}: ${skip}`);
    console.log(`${paint.yellow("-")} ${title}: skipped (${skip})`);
    return;
  }
  const startedAt = Date.now();
  try {
    await run();
    totals.passed += 1;
    console.log(`${paint.green("✓")} ${title} ${paint.dim(duration(Date.now() - startedAt))}`);
  } catch (error) {
    totals.failed += 1;
    const text = error instanceof Error ? error.message : String(error);
    console.log(`${paint.red("✗")} ${title}\n${text.replaceAll(/^/gm, "    ")}`);
  }
}
