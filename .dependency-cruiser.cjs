// The layering of docs and design, as rules. `npm run check -- --only layering` runs them, and
// fails too when it looked at nothing.

const algorithms = "dedup|lock|fence|tokens|state-machine|unique-insert|register";
const publicEntries = "(index|advanced)\\.ts$";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle has no first reader: neither file can be understood before the other.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      comment: "Every import must lead somewhere, or the other rules look past it.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "core-stands-alone",
      comment: "core imports no other package of ours.",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { path: "^(packages/(?!core/)|examples/|bench/|scripts/|runtimes/)" },
    },
    {
      name: "core-needs-no-node",
      comment: "core runs in any JavaScript runtime, so it imports no builtin of Node.",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "sources-import-what-they-declare",
      comment: "What ships may import only its package's own dependencies, types included.",
      severity: "error",
      from: { path: "^packages/(core|simulator|[^/]+-adapter)/src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "npm-optional"],
        // A workspace package that is missing from the manifest resolves through tsconfig's paths,
        // which core-stands-alone and adapters-import-core-only judge. fast-check is a peer of the
        // simulator and libsql one of the SQL adapter, so they are development dependencies as well.
        pathNot: ["^packages/", "/fast-check/", "/libsql/"],
      },
    },
    {
      name: "adapters-import-core-only",
      comment: "An adapter knows the contract, never another adapter nor the simulator.",
      severity: "error",
      from: { path: "^packages/([^/]+-adapter)/src/" },
      to: { path: "^(packages/(?!core/|$1/)|examples/|bench/|scripts/|runtimes/)" },
    },
    {
      name: "simulator-imports-core-only",
      comment: "The simulator verifies any store by the contract, so it knows no adapter.",
      severity: "error",
      from: { path: "^packages/simulator/src/" },
      to: { path: "^(packages/(?!core/|simulator/)|examples/|bench/|scripts/|runtimes/)" },
    },
    {
      name: "core-through-its-entries",
      comment: "Other packages import core as a user does.",
      severity: "error",
      from: { path: "^(packages/(?!core/)[^/]+/src/|examples/[^/]+/src/|bench/src/)" },
      to: { path: "^packages/core/", pathNot: `^packages/core/(src|dist)/${publicEntries}` },
    },
    {
      name: "algorithms-keep-their-internals",
      comment: "An algorithm may compose another's public factory, create-*.ts, and nothing else.",
      severity: "error",
      from: { path: `^packages/core/src/(${algorithms})/` },
      to: {
        path: `^packages/core/src/(${algorithms})/`,
        pathNot: ["^packages/core/src/$1/", "/create-[^/]+\\.ts$"],
      },
    },
    {
      name: "ground-below-algorithms",
      comment: "The contract and what algorithms share know no algorithm.",
      severity: "error",
      from: { path: "^packages/core/src/(shared|contract|errors|memory|runtime)/" },
      to: { path: `^packages/core/src/(${algorithms})/` },
    },
    {
      name: "sources-know-no-tests",
      comment: "What ships does not import what only tests need.",
      severity: "error",
      from: { path: "^packages/(?!test-servers/|chaos/)[^/]+/src/" },
      to: { path: "(^packages/test-servers/|/test/|\\.test\\.ts$)" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.base.json" },
    // Type-only imports count: they bind a declaration file as much as any.
    tsPreCompilationDeps: true,
    // Each package answers for its own manifest, not for the root's.
    combinedDependencies: false,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^((packages|examples)/[^/]+|bench)/(dist|coverage)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "default"],
    },
  },
};
