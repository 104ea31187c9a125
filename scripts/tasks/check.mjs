// `npm run check`: everything that judges the code without running its tests.
import { layering } from "../check/layering.mjs";
import { lint } from "../check/lint.mjs";
import { packages } from "../check/packages.mjs";
import { size } from "../check/size.mjs";
import { types } from "../check/types.mjs";
import { ensureBuilt } from "../lib/build.mjs";
import { Failure } from "../lib/failure.mjs";
import { choose, refuseRest, takeFlags } from "../lib/flags.mjs";
import { duration, paint } from "../lib/print.mjs";

const steps = [lint, types, layering, packages, size];
const names = steps.map((step) => step.name);

export const task = {
  name: "check",
  summary: "lint, types, layering, package checks and size budgets",
  usage: [
    ["--only NAMES", `only these steps: ${names.join(", ")}`],
    ["--fix", "format, and repair what lint can repair"],
  ],
  plan(flags) {
    const { values, switches, rest } = takeFlags(flags, { values: ["only"], switches: ["fix"] });
    refuseRest(rest);
    const chosen = choose("only", values.only, names);
    return {
      needsBuild: false,
      run: () =>
        runSteps(
          steps.filter((step) => chosen.includes(step.name)),
          switches.has("fix"),
        ),
    };
  },
};

async function runSteps(chosen, fix) {
  const lines = [];
  const failed = [];
  for (const step of chosen) {
    console.log(`\n${paint.bold(`== ${step.name}`)}: ${step.summary}`);
    const startedAt = Date.now();
    const ok = await runStep(step, fix);
    if (!ok) failed.push(step.name);
    const verdict = ok ? paint.green("ok") : paint.red("failed");
    lines.push(`${step.name.padEnd(9)} ${verdict} ${paint.dim(duration(Date.now() - startedAt))}`);
    console.log(lines.at(-1));
  }
  console.log(`\n${lines.join("\n")}`);
  if (failed.length === 0) return 0;
  console.log(
    paint.red(`\nFailed: ${failed.join(", ")}. Again: npm run check -- --only ${failed}`),
  );
  return 1;
}

// A build that fails must not keep the other steps from being reported.
async function runStep(step, fix) {
  try {
    if (step.needsBuild) await ensureBuilt();
    return await step.run({ fix });
  } catch (error) {
    console.log(error instanceof Failure ? error.message : error);
    return false;
  }
}
