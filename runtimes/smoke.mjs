// Runs the smoke suite of the built core in every runtime and reports per runtime.
//   node runtimes/smoke.mjs [--only node,bun,...] [--json FILE]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installRuntimes } from "./binaries.mjs";
import { bareContext } from "./hosts/bare-context.mjs";
import { chromium } from "./hosts/chromium.mjs";
import { bun, deno, node } from "./hosts/file-runtimes.mjs";
import { workerd } from "./hosts/workerd.mjs";
import { cases } from "./suite/cases.mjs";

const { values } = parseArgs({ options: { only: { type: "string" }, json: { type: "string" } } });
const only = values.only?.split(",");
const hosts = [node, bareContext, bun, deno, workerd, chromium].filter(
  (host) => only === undefined || only.includes(host.name),
);

const totals = { passed: 0, failed: 0, skipped: 0, skips: [] };

const obstacle = hosts.some((host) => [bun, deno, workerd].includes(host))
  ? installRuntimes()
  : undefined;
for (const host of hosts) await report(host);
if (values.json !== undefined) {
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, JSON.stringify(totals));
}
process.exit(totals.failed > 0 ? 1 : 0);

async function report(host) {
  const missing = host.missing();
  if (missing !== undefined) return skip(host, obstacle ?? missing);
  try {
    const results = await host.run();
    if (results?.length !== cases.length) throw new Error("it did not report every case");
    count(host, results);
  } catch (error) {
    totals.failed += cases.length;
    console.log(`${host.name}: ${cases.length} failed, none ran`);
    console.log(String(error?.stack ?? error).replace(/^/gm, "    "));
  }
}

function skip(host, reason) {
  totals.skipped += cases.length;
  totals.skips.push(`${host.name}: ${reason}`);
  console.log(`${host.name}: ${cases.length} skipped (${reason})`);
}

function count(host, results) {
  const failures = results.filter((result) => result.error !== undefined);
  const passed = results.length - failures.length;
  totals.passed += passed;
  totals.failed += failures.length;
  console.log(
    `${host.name}: ${passed} passed${failures.length ? `, ${failures.length} failed` : ""}`,
  );
  for (const { title, error } of failures) {
    console.log(`  ✗ ${title}\n${error.replace(/^/gm, "    ")}`);
  }
}
