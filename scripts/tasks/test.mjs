// `npm test`: the parts of the test suite, each with a budget, ending with one line of totals.
import { ensureBuilt } from "../lib/build.mjs";
import { Failure } from "../lib/failure.mjs";
import { choose, takeFlags } from "../lib/flags.mjs";
import { duration, paint } from "../lib/print.mjs";
import { consumers } from "../test/consumers.mjs";
import { drivers } from "../test/drivers.mjs";
import { hunt } from "../test/hunt.mjs";
import { mutants } from "../test/mutants.mjs";
import { runtimes } from "../test/runtimes.mjs";
import { add, emptyTally, totalLine } from "../test/tally.mjs";
import { unit } from "../test/unit.mjs";
import { verify } from "../test/verify.mjs";

const parts = [unit, mutants, verify, hunt, runtimes, consumers, drivers];
const namesOf = (some) => some.map(({ name }) => name);
const defaultNames = namesOf(parts.filter(({ onlyWhenNamed }) => !onlyWhenNamed));
const ENTRIES_SHOWN = 20;

/** In CI nothing may be skipped, and a missing server is an error. */
const inCi = !["", "0", "false"].includes(process.env.CI ?? "");

export const task = {
  name: "test",
  summary: "run every test, on real servers and in other runtimes too",
  usage: [
    ["--part NAMES", `only these parts: ${namesOf(parts).join(", ")}`],
    ["--part mutants", "every broken variant; without it, one of each algorithm"],
    ["--part drivers", `${drivers.summary}; runs only when it is named`],
    ["(any other)", "goes to vitest, and leaves out the other parts: a file name, -t PATTERN, -u"],
    ["CI=true", "a skipped test or a missing server is a failure"],
  ],
  // Machinery that reads the last line must not find none when even the install failed.
  afterFailure: () => console.log(totalLine({ ...emptyTally(), failed: 1 })),
  plan(flags) {
    const { values, rest } = takeFlags(flags, { values: ["part"] });
    // Somebody who picks tests by vitest's flags does not mean the other runtimes.
    const byDefault = rest.length > 0 ? "unit" : defaultNames.join(",");
    const names = choose("part", values.part ?? byDefault, namesOf(parts));
    const chosen = parts.filter((part) => names.includes(part.name));
    return {
      // Each part builds for itself: a build that fails must not keep the other tests from running.
      needsBuild: false,
      run: () => runParts(chosen, rest, values.part !== undefined),
    };
  },
};

async function runParts(chosen, flags, named) {
  for (const { name, minutes, summary } of chosen) {
    console.log(`${paint.bold(name)}: ${summary} (budget ${minutes} min)`);
  }
  let total = emptyTally();
  const lines = [];
  for (const part of chosen) {
    const startedAt = Date.now();
    console.log(`\n${paint.bold(`== ${part.name}`)}`);
    const tally = await runPart(part, flags, named);
    const ms = Date.now() - startedAt;
    const over = ms > part.minutes * 60_000 ? paint.yellow(" over its budget") : "";
    const time = `${duration(ms)} of ${part.minutes} min${over}`;
    lines.push(`${part.name}: ${totalLine(tally)} (${time})`);
    total = add(total, tally);
  }
  console.log(`\n${lines.join("\n")}`);
  printList("Skipped:", total.skips);
  printList("Failed:", total.failures);
  const problem = problemOf(total);
  if (problem !== undefined) console.log(paint.red(problem));
  console.log(totalLine(total));
  return problem === undefined ? 0 : 1;
}

async function runPart(part, flags, named) {
  try {
    if (part.needsBuild) await ensureBuilt();
    return await part.run(flags, named);
  } catch (error) {
    console.log(error instanceof Failure ? error.message : error);
    return { ...emptyTally(), failed: 1 };
  }
}

function problemOf({ passed, failed, skipped, skips }) {
  if (failed > 0) return "There are failures.";
  if (passed === 0) return "No test ran.";
  if (inCi && (skipped > 0 || skips.length > 0)) return "In CI nothing may be skipped.";
  return undefined;
}

/** Said again at the end, which is all that many a log keeps. */
function printList(heading, entries) {
  if (entries.length === 0) return;
  console.log(`\n${paint.yellow(heading)}`);
  for (const entry of entries.slice(0, ENTRIES_SHOWN)) console.log(`  ${entry}`);
  const more = entries.length - ENTRIES_SHOWN;
  if (more > 0) console.log(`  and ${more} more`);
}
