// Each entry point in plain JavaScript: by `import`, by `require`, and bundled for a browser.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "../lib/child.mjs";
import { write } from "./project.mjs";

// `require` gives the very module that `import` does, and warns of nothing.
const REQUIRE = `
(async () => {
  for (const entry of process.argv.slice(2)) {
    const required = require(entry);
    const imported = await import(entry);
    const names = Object.keys(required);
    const same = names.filter((name) => required[name] === imported[name]);
    if (names.length === 0 || same.length !== Object.keys(imported).length) {
      throw new Error(entry + " is not the same by require and by import");
    }
    console.log(entry, names.length);
  }
})();
`;

// Tries what is bundled where Node's own modules are not to be had.
const BROWSER = ["@onceproof/core", "@onceproof/core/advanced"];
const BROWSER_TOO = /^@onceproof\/simulator/;

/** @param {import("./project.mjs").Project} project */
export function moduleChecks({ folder, packages }) {
  const entries = packages.flatMap((each) => each.entries);
  return [
    {
      title: "every entry point is the same module by require and by import",
      async run() {
        const file = write(folder, "require.cjs", REQUIRE);
        const { code, output } = await runNode(file, entries, { cwd: folder, capture: true });
        const told = output.trim().split("\n").length;
        if (code !== 0 || told !== entries.length) throw new Error(output);
      },
    },
    ...entries
      .filter((entry) => BROWSER.includes(entry) || BROWSER_TOO.test(entry))
      .map((entry) => ({
        title: `${entry} can be bundled for a browser`,
        run: () => bundle(folder, entry),
      })),
  ];
}

async function bundle(folder, entry) {
  // Loaded late: it is there only after the install.
  const { build } = await import("esbuild");
  const outfile = join(folder, "bundled", `${entry}.js`);
  // A module of Node's own cannot be resolved for a browser, and fails the build.
  await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: folder },
    bundle: true,
    platform: "browser",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  if (!existsSync(outfile)) throw new Error("nothing was bundled");
}
