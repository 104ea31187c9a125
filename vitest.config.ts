// One project per workspace package. Imports of our packages resolve to their sources, so that
// tests need no build.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./scripts/test/slowest-first.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));

const folders = [
  ...["packages", "examples"].flatMap((parent) =>
    readdirSync(`${root}${parent}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`),
  ),
  "bench",
  "docs",
];

const sources: Record<string, string> = {
  "@onceproof/core": "packages/core/src/index.ts",
  "@onceproof/core/advanced": "packages/core/src/advanced.ts",
  "@onceproof/redis-adapter": "packages/redis-adapter/src/index.ts",
  "@onceproof/sql-adapter": "packages/sql-adapter/src/index.ts",
  "@onceproof/simulator": "packages/simulator/src/index.ts",
  "@onceproof/simulator/checker": "packages/simulator/src/checker/index.ts",
  "@onceproof/simulator/conformance": "packages/simulator/src/conformance/index.ts",
  "@onceproof/simulator/fast-check": "packages/simulator/src/fast-check/index.ts",
  "@onceproof/test-servers": "packages/test-servers/src/index.ts",
};

const alias = Object.entries(sources).map(([name, file]) => ({
  find: new RegExp(`^${name}$`),
  replacement: `${root}${file}`,
}));

// Those with many files, which would each start a process and load the same modules anew. Their tests
// leave no state in modules or globals.
const SHARED = ["core", "simulator", "redis-adapter", "sql-adapter"].map(
  (name) => `packages/${name}`,
);

export default defineConfig({
  resolve: { alias },
  test: {
    projects: folders.map((folder) => ({
      extends: true,
      test: {
        name: folder.replace(/^packages\//, ""),
        root: `${root}${folder}`,
        include: ["test/**/*.test.ts"],
        environment: "node",
        isolate: !SHARED.includes(folder),
        // For what hangs: a busy machine takes many times what an idle one does.
        testTimeout: 120_000,
        hookTimeout: 120_000,
        // The default is one second.
        expect: { poll: { timeout: 60_000 } },
      },
    })),
    passWithNoTests: true,
    pool: "forks",
    // More than the usual machine has cores: the tests on real servers mostly wait.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      reportsDirectory: "coverage",
    },
  },
});
