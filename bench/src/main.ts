// `npm run bench`: microseconds per operation over the memory store, and where they go.

import { parseArgs } from "node:util";
import { BATCH, cases } from "./cases.js";
import { type Measured, measure } from "./measure.js";
import { profile } from "./profile.js";

const HELP = `npm run bench -- [options]

  --only WORD      only cases whose name contains WORD
  --time MS        how long each case is measured (default 1000)
  --profile        also shows where the time goes
  --json           prints JSON
  --help           this text

Exits 1 with --goals when a case misses its goal.
  --goals          compare with the goals (one core, nothing else running)
`;

function options() {
  try {
    return parseArgs({
      options: {
        only: { type: "string", default: "" },
        time: { type: "string", default: "1000" },
        profile: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        goals: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

function row(measured: Measured): string {
  const { name, medianUs, p99Us, opsPerSecond, goalUs } = measured;
  const goal = goalUs === undefined ? "" : `${goalUs}${medianUs <= goalUs ? "" : " (missed)"}`;
  return [
    name.padEnd(44),
    medianUs.toFixed(2).padStart(8),
    p99Us.toFixed(2).padStart(8),
    opsPerSecond.toLocaleString("en").padStart(12),
    `  ${goal}`,
  ].join("");
}

const { only, time, profile: profiled, json, goals, help } = options();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const timeMs = Number(time);
const chosen = cases.filter(({ name }) => name.includes(only));
if (!(timeMs > 0) || chosen.length === 0) {
  console.error(timeMs > 0 ? `no case is named like "${only}"` : "--time must be above 0");
  process.exit(2);
}
if (!json) {
  console.log(
    `One operation after another on one core, in batches of up to ${BATCH}; Node ${process.version}`,
  );
  console.log(`${"".padEnd(44)}  median     p99   operations  goal`);
  console.log(`${"".padEnd(44)}      µs      µs   per second    µs`);
}
const all: object[] = [];
let missed = 0;
for (const subject of chosen) {
  const measured = await measure(subject, timeMs);
  missed += measured.goalUs !== undefined && measured.medianUs > measured.goalUs ? 1 : 0;
  const shares = profiled ? (await profile(subject, timeMs)).slice(0, 10) : undefined;
  all.push({ ...measured, ...(shares && { shares }) });
  if (!json) {
    console.log(row(measured));
    for (const { where, percent } of shares ?? []) {
      console.log(`    ${percent.toFixed(1).padStart(5)} %  ${where}`);
    }
  }
}
if (json) {
  console.log(JSON.stringify(all, null, 2));
}
process.exitCode = goals && missed > 0 ? 1 : 0;
