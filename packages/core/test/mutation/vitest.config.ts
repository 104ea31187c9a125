// Runs one test file against one broken variant (ONCEPROOF_MUTANT holds it as JSON), or against the
// code as it is.

import { defineConfig } from "vitest/config";
import workspace from "../../../../vitest.config.ts";
import type { Mutant } from "../../../simulator/src/mutants/mutant.ts";
import { packageRoot } from "./catalogue.ts";
import { patch } from "./patch.ts";
import { MutationReporter } from "./reporter.ts";

const mutant = process.env.ONCEPROOF_MUTANT;

export default defineConfig({
  plugins: mutant === undefined ? [] : [patch(JSON.parse(mutant) as Mutant)],
  resolve: { alias: workspace.resolve?.alias ?? [] },
  test: {
    root: packageRoot,
    include: ["test/**/*.test.ts"],
    environment: "node",
    testTimeout: 60_000,
    pool: "forks",
    maxWorkers: 1,
    reporters: [new MutationReporter()],
  },
});
