// The part `drivers`: the tests that run on SQLite, over the drivers that no install brings. Only when
// it is named, since the first run compiles better-sqlite3, which takes most of a minute.
import { paint } from "../lib/print.mjs";
import { installDrivers } from "./sqlite-drivers.mjs";
import { add, emptyTally } from "./tally.mjs";
import { runVitest } from "./vitest.mjs";

/** All that opens its connections by test/support/sqlite-driver.ts. */
const files = [
  ...["sqlite/", "tables/tables", "algorithms", "differential", "rounds", "simulated/"],
  ...["transaction.integration", "transaction-read-only"],
].map((file) => `packages/sql-adapter/test/${file}`);

export const drivers = {
  name: "drivers",
  summary: "the tests on SQLite, over better-sqlite3 and node:sqlite",
  minutes: 4,
  onlyWhenNamed: true,
  needsBuild: false,
  async run(flags) {
    const { installed, missing } = await installDrivers();
    let total = { ...emptyTally(), skips: missing };
    for (const [index, { driver, version, node, module }] of installed.entries()) {
      const name = `${driver} ${version}`;
      console.log(`\n${paint.bold(name)}`);
      const { failures, skips, ...counts } = await runVitest(
        `drivers-${index}`,
        ["--project", "sql-adapter", ...files, ...flags],
        {
          node,
          env: {
            ONCEPROOF_SQLITE_DRIVER: driver,
            ...(module && { ONCEPROOF_SQLITE_MODULE: module }),
          },
        },
      );
      const named = (entries = []) => entries.map((entry) => `${name}: ${entry}`);
      total = add(total, { ...counts, failures: named(failures), skips: named(skips) });
    }
    return total;
  },
};
