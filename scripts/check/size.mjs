// What an import of core costs a user: tree-shaken, minified and gzipped, against budgets.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fromRoot, root } from "../lib/paths.mjs";
import { paint } from "../lib/print.mjs";

const budgetFile = new URL("./size-budgets.json", import.meta.url);
const KILOBYTE = 1000;

export const size = {
  name: "size",
  summary: "size of core's imports against scripts/check/size-budgets.json",
  needsBuild: true,
  async run() {
    const { package: entry, budgets } = JSON.parse(readFileSync(budgetFile, "utf8"));
    let ok = budgets.length > 0;
    for (const budget of budgets) ok = (await holds(fromRoot(entry), budget)) && ok;
    return ok;
  },
};

async function holds(entry, { name, exports, own, withDependencies, goals = {} }) {
  const source = importOf(entry, exports);
  try {
    const verdicts = [
      verdict("own", await kilobytes(source, "external"), own, goals.own),
      verdict(
        "with dependencies",
        await kilobytes(source, "bundled"),
        withDependencies,
        goals.withDependencies,
      ),
    ];
    console.log(`${name.padEnd(12)} ${verdicts.map(({ text }) => text).join(", ")}`);
    return verdicts.every(({ ok }) => ok);
  } catch (error) {
    console.log(`${name.padEnd(12)} ${paint.red(error.message)}`);
    return false;
  }
}

const importOf = (file, names) =>
  names === "*"
    ? `export * from ${JSON.stringify(file)};`
    : `export { ${names.join(", ")} } from ${JSON.stringify(file)};`;

async function kilobytes(source, packages) {
  // Loaded late: it is there only after the install.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    treeShaking: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    plugins: packages === "external" ? [bareImportsAreExternal] : [],
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / KILOBYTE;
}

// Own code is what is reached by paths; a dependency is imported by its bare name.
const bareImportsAreExternal = {
  name: "bare-imports-are-external",
  setup(build) {
    // As their manifests say, so that an import of nothing is dropped, as it is for a user.
    build.onResolve({ filter: /^(@|[a-z0-9-]+($|\/))/ }, ({ path }) => ({
      path,
      external: true,
      sideEffects: false,
    }));
  },
};

function verdict(what, measured, limit, goal) {
  const ok = limit === undefined || measured <= limit;
  const aims = goal === undefined || measured <= goal ? "" : ` (goal ${goal})`;
  const text = `${what} ${measured.toFixed(2)} kB${limit === undefined ? "" : ` of ${limit}`}${aims}`;
  return { ok, text: ok ? text : paint.red(`${text}: over budget`) };
}
