// The order in which vitest starts the test files: the slowest first, whatever their project, so that
// no long one is left to run alone at the end. A fresh checkout knows no durations, hence the list.
import { BaseSequencer } from "vitest/node";
import { fromRoot } from "../lib/paths.mjs";

// Those that take more than about ten seconds on two cores. A name that is gone does no harm.
const SLOWEST = [
  "packages/chaos/test/chaos.integration.test.ts",
  "examples/disasters/test/kill.integration.test.ts",
  "packages/simulator/test/cli/command.test.ts",
  "packages/sql-adapter/test/postgres/conformance.integration.test.ts",
  "packages/redis-adapter/test/conformance-cluster.integration.test.ts",
  "packages/sql-adapter/test/mysql/conformance.integration.test.ts",
  "packages/sql-adapter/test/algorithms.integration.test.ts",
  "packages/sql-adapter/test/differential.integration.test.ts",
  "packages/redis-adapter/test/replica-wait.integration.test.ts",
  "packages/sql-adapter/test/transaction.integration.test.ts",
  "docs/test/snippets.test.ts",
  "examples/own-adapter/test/own-adapter.test.ts",
  "packages/simulator/test/checker/fuzz.test.ts",
  "examples/disasters/test/disasters.test.ts",
  "packages/redis-adapter/test/conformance-next-major.integration.test.ts",
  "packages/redis-adapter/test/conformance.integration.test.ts",
  "docs/test/mutants.test.ts",
  "packages/simulator/test/conformance-broken-stores.test.ts",
  "packages/simulator/test/simulate/bugs.test.ts",
  "packages/redis-adapter/test/cluster.integration.test.ts",
  "packages/redis-adapter/test/faults.integration.test.ts",
  "packages/sql-adapter/test/tables/tables.integration.test.ts",
  "packages/simulator/test/scenarios/contract.test.ts",
  "packages/sql-adapter/test/postgres/pglite.integration.test.ts",
  "packages/chaos/test/clock-jumps.integration.test.ts",
  "examples/disasters/test/stores.integration.test.ts",
  "examples/disasters/test/cli.test.ts",
  "packages/core/test/tokens.property.test.ts",
  "packages/simulator/test/guard/check-determinism.test.ts",
  "packages/sql-adapter/test/postgres/faults.integration.test.ts",
  "packages/simulator/test/world/conformance.test.ts",
  "packages/core/test/lock.property.test.ts",
  "packages/test-servers/test/servers.integration.test.ts",
  "packages/sql-adapter/test/transaction-faults.integration.test.ts",
  "packages/sql-adapter/test/sqlite/processes.integration.test.ts",
  "packages/sql-adapter/test/simulated/transactions.test.ts",
].map((file) => fromRoot(...file.split("/")));

const rank = new Map(SLOWEST.map((file, index) => [file, index]));
const rankOf = ({ moduleId }) => rank.get(moduleId) ?? SLOWEST.length;

export class SlowestFirst extends BaseSequencer {
  async sort(files) {
    // Stable: what is not on the list stays in vitest's own order.
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
