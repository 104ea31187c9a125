// The part `unit`: everything that vitest runs, the tests on real servers included.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { runNode } from "../lib/child.mjs";
import { cache, fromRoot, root } from "../lib/paths.mjs";
import { ensureServers } from "../servers.mjs";

const report = `${cache}/test/unit.json`;
const LINES_OF_A_FAILURE = 8;
const unitServers = [
  ...["redis", "valkey", "postgres", "pgbouncer", "mariadb"],
  ...["compiler", "chromium"],
];

export const unit = {
  name: "unit",
  summary: "unit, property and integration tests (vitest)",
  minutes: 10,
  needsBuild: false,
  async run(flags) {
    const missing = await ensureServers(unitServers);
    rmSync(report, { force: true });
    const { code } = await runNode(
      fromRoot("node_modules", "vitest", "vitest.mjs"),
      ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...flags],
      { cwd: root },
    );
    return tallyOf(
      code,
      missing.map(({ name, reason }) => `${name}: ${reason}`),
    );
  },
};

function tallyOf(code, reasons) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, skips: reasons };
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
    skips: [...reasons, ...skipped.map((test) => `${relative(test.file)}: ${test.fullName}`)],
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
