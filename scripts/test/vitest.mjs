// Runs vitest, and counts what it reports.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { run } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";
import { emptyTally } from "./tally.mjs";

const LINES_OF_A_FAILURE = 8;

/**
 * @param {string} name of the report
 * @param {string[]} flags
 * @param {{ node?: string, env?: Record<string, string> }} [options] `node` is the Node that runs it
 */
export async function runVitest(name, flags, { node = process.execPath, env } = {}) {
  const report = `${cache}/test/${name}.json`;
  rmSync(report, { force: true });
  const vitest = fromRoot("node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run(node, [vitest, "run", ...reporters, ...flags], { cwd: root, env });
  return tallyOf(code, report);
}

function tallyOf(code, report) {
  if (!existsSync(report)) return { ...emptyTally(), failed: 1 };
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const tests = testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: file.name })),
  );
  const withStatus = (...statuses) => tests.filter((test) => statuses.includes(test.status));
  const passed = withStatus("passed").length;
  const skipped = withStatus("skipped", "pending", "todo", "disabled");
  // A file that could not be loaded has no tests to fail, and an unhandled error belongs to none.
  const unloadable = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failures = [
    ...unloadable.map((file) => `${relative(file.name)}\n${head(file.message)}`),
    ...withStatus("failed").map(
      (test) =>
        `${relative(test.file)}: ${test.fullName}\n${head((test.failureMessages ?? []).join("\n"))}`,
    ),
  ];
  const failed = failures.length;
  return {
    passed,
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: skipped.length,
    skips: skipped.map((test) => `${relative(test.file)}: ${test.fullName}`),
    failures,
  };
}

/** What fits beside the totals: the whole of it stands further up, where vitest printed it. */
const head = (message) =>
  message
    .split("\n")
    .slice(0, LINES_OF_A_FAILURE)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");

const relative = (file) => file.replace(`${root}/`, "");
