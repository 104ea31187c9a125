// Tries every mutant that names a test: the tests must pass on the code as it is, and fail on each
// broken variant. The simulator tries the others too.
// Exits 1 when one survives or can't be tried.
//
//   npx tsx test/mutation/run.ts                      all of them, two at a time
//   npx tsx test/mutation/run.ts --only dedup         those whose id begins so; several, separated by commas
//   npx tsx test/mutation/run.ts --quick              one of each algorithm, where the tests have just passed
//   npx tsx test/mutation/run.ts --jobs 4             four at a time
//   npx tsx test/mutation/run.ts --list               names them only
//   npx tsx test/mutation/run.ts --report FILE        also writes the verdicts as JSON

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { attempt } from "./attempt.ts";
import { type TestedMutant, testedMutants } from "./catalogue.ts";
import { progress, table } from "./print.ts";
import { judge, type Verdict } from "./verdict.ts";

export interface Tried {
  readonly mutant: TestedMutant;
  readonly verdict: Verdict;
  readonly ms: number;
}

async function passesUnpatched(tests: readonly string[]): Promise<boolean> {
  const startedAt = Date.now();
  console.log(`${tests.length} test files on the code as it is`);
  const tried = await attempt({ tests, seed: 1, factor: 1, bail: false, timeoutMs: 900_000 });
  if (!tried.ended) {
    console.log(tried.why);
    return false;
  }
  const { passed, failed, broken } = tried.report;
  for (const { name, message } of failed) console.log(`  failed: ${name}\n    ${message}`);
  for (const message of broken) console.log(`  broken: ${message}`);
  console.log(`  ${passed} tests passed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return passed > 0 && failed.length === 0 && broken.length === 0;
}

async function tryAll(
  chosen: readonly TestedMutant[],
  all: readonly TestedMutant[],
  jobs: number,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  const queue = [...chosen];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const startedAt = Date.now();
      const verdict = await judge(mutant, all);
      const done = { mutant, verdict, ms: Date.now() - startedAt };
      tried.push(done);
      progress(done, tried.length, chosen.length);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return tried.sort((a, b) => chosen.indexOf(a.mutant) - chosen.indexOf(b.mutant));
}

const QUICK_EACH = 1;

/** The first mutants of each algorithm. */
function firstOfEach(mutants: readonly TestedMutant[]): TestedMutant[] {
  const algorithmOf = ({ id }: TestedMutant): string => id.slice(0, id.indexOf("/"));
  return mutants.filter((mutant, index) => {
    const earlier = mutants.slice(0, index);
    const same = earlier.filter((each) => algorithmOf(each) === algorithmOf(mutant));
    return same.length < QUICK_EACH;
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      jobs: { type: "string", default: "2" },
      quick: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      report: { type: "string" },
    },
  });
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) {
    console.log(`--jobs must be a whole number of at least 1, got ${values.jobs}`);
    return 1;
  }
  const all = testedMutants();
  const prefixes = values.only?.split(",") ?? [""];
  const named = all.filter(({ id }) => prefixes.some((prefix) => id.startsWith(prefix)));
  const chosen = values.quick ? firstOfEach(named) : named;
  if (chosen.length === 0) {
    console.log(`No mutant's id begins with ${values.only}.`);
    return 1;
  }
  if (values.list) {
    for (const { id, guarantee } of chosen) console.log(`${id}: ${guarantee}`);
    return 0;
  }
  if (!values.quick && !(await passesUnpatched([...new Set(chosen.map(({ test }) => test))]))) {
    console.log("The tests must pass before a mutant can say anything.");
    return 1;
  }
  const tried = await tryAll(chosen, all, jobs);
  table(tried);
  if (values.report !== undefined) {
    const verdicts = tried.map(({ mutant, verdict, ms }) => ({ id: mutant.id, ...verdict, ms }));
    writeFileSync(values.report, `${JSON.stringify(verdicts, undefined, 2)}\n`);
  }
  return tried.every(({ verdict }) => verdict.verdict === "killed") ? 0 : 1;
}

process.exitCode = await main();
