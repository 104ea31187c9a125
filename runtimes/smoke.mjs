// Runs the suites (the built core; the simulator) in every runtime and reports per runtime.
//   node runtimes/smoke.mjs [--only node,bun,...] [--suite core,simulator] [--json FILE]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installRuntimes } from "./binaries.mjs";
import { bun, deno, node } from "./hosts/file-runtimes.mjs";
import { workerd } from "./hosts/workerd.mjs";
import { suites } from "./suites.mjs";

const { values } = parseArgs({
  options: { only: { type: "string" }, suite: { type: "string" }, json: { type: "string" } },
});
const chosen = (list, name) => list === undefined || list.split(",").includes(name);
const jobs = suites
  .filter((suite) => chosen(values.suite, suite.name))
  .flatMap((suite) => suite.hosts.map((host) => ({ suite, host })))
  .filter(({ host }) => chosen(values.only, host.name));

const totals = { passed: 0, failed: 0, skipped: 0, skips: [] };

const obstacle = jobs.some(({ host }) => [bun, deno, workerd].includes(host))
  ? installRuntimes()
  : undefined;
for (const { suite, host } of jobs) await report(suite, host);
if (values.json !== undefined) {
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, JSON.stringify(totals));
}
process.exit(totals.failed > 0 ? 1 : 0);

async function report(suite, host) {
  const title = `${suite.name} in ${host.name}`;
  const missing = host.missing();
  if (missing !== undefined) return skip(title, suite, obstacle ?? missing);
  try {
    const results = await host.run(suite);
    if (results?.length !== suite.cases) throw new Error("it did not report every case");
    count(title, await compare(suite, host, results));
  } catch (error) {
    totals.failed += suite.cases;
    console.log(`${title}: ${suite.cases} failed, none ran`);
    console.log(String(error?.stack ?? error).replace(/^/gm, "    "));
  }
}

/** Where a case returns a value, every runtime must return what Node does. */
async function compare(suite, host, results) {
  if (!results.some(({ value }) => value !== undefined) || host === node) return results;
  suite.expected ??= await node.run(suite);
  return results.map((result, index) => {
    const { value } = suite.expected[index];
    if (result.error !== undefined || result.value === value) return result;
    return { title: result.title, error: `it gave ${result.value}, and Node gives ${value}` };
  });
}

function skip(title, suite, reason) {
  totals.skipped += suite.cases;
  totals.skips.push(`${title}: ${reason}`);
  console.log(`${title}: ${suite.cases} skipped (${reason})`);
}

function count(title, results) {
  const failures = results.filter((result) => result.error !== undefined);
  const passed = results.length - failures.length;
  totals.passed += passed;
  totals.failed += failures.length;
  console.log(`${title}: ${passed} passed${failures.length ? `, ${failures.length} failed` : ""}`);
  for (const { title: failed, error } of failures) {
    console.log(`  ✗ ${failed}\n${error.replace(/^/gm, "    ")}`);
  }
}
