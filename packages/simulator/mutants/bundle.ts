// Bundles core once as it is and once for each mutant, and keeps of each mutant only how its bundle
// differs. The package carries the result as `dist/mutants.json`; from sources it is made on demand.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Edit, MutantBundle } from "../src/mutants/bundle.ts";
import type { Mutant } from "../src/mutants/mutant.ts";
import { mutants } from "./catalogue.ts";
import { editsBetween } from "./edits.ts";

export const coreRoot: string = fileURLToPath(new URL("../../core/", import.meta.url));

const AT_ONCE = 4;
const INLINED = ["@noble/hashes", "devalue"];

/** Core's source file with the change of a mutant. */
function patched({ id, file, find, replace }: Mutant): string {
  const parts = readFileSync(join(coreRoot, file), "utf8").split(find);
  if (parts.length !== 2) {
    throw new Error(`${id}: what it replaces occurs ${parts.length - 1} times in ${file}`);
  }
  return parts.join(replace);
}

/** Core with its dependencies as one CommonJS module, which can be evaluated under any name. */
export async function bundleCore(mutant?: Mutant): Promise<string> {
  const target = mutant && join(coreRoot, mutant.file);
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "./index.ts"; export * from "./advanced.ts";',
      resolveDir: join(coreRoot, "src"),
      loader: "ts",
    },
    absWorkingDir: coreRoot,
    bundle: true,
    write: false,
    format: "cjs",
    target: "es2022",
    platform: "neutral",
    // The nearest tsconfig must not change what is made of the same sources.
    tsconfigRaw: {},
    logLevel: "silent",
    plugins: [
      {
        name: "mutant",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            mutant && path === target ? { contents: patched(mutant), loader: "ts" } : undefined,
          );
        },
      },
    ],
  });
  // Where a package manager keeps the dependencies is of no interest, and differs.
  return (outputFiles[0]?.text ?? "").replace(/^\/\/ \S*node_modules\//gm, "// node_modules/");
}

/** The licences of what is bundled beside core, which ask to be passed on. */
function licences(): Record<string, string> {
  const { resolve } = createRequire(join(coreRoot, "package.json"));
  return Object.fromEntries(
    INLINED.map((name) => {
      const entry = resolve(name === "devalue" ? name : `${name}/utils.js`);
      const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`));
      return [name, readFileSync(join(folder, "node_modules", name, "LICENSE"), "utf8")];
    }),
  );
}

/** Bundles everything. Takes seconds: about 50 ms for each mutant. */
export async function bundleMutants(): Promise<MutantBundle> {
  const base = await bundleCore();
  const edits: Record<string, readonly Edit[]> = {};
  const queue = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      edits[mutant.id] = editsBetween(base, await bundleCore(mutant));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    licences: licences(),
    base,
    mutants: mutants.map((mutant) => ({ ...mutant, edits: edits[mutant.id] ?? [] })),
  };
}

/** Where the build writes the bundle, and where the built package looks for it. */
export const bundleFile: string = join(
  dirname(fileURLToPath(import.meta.url)),
  "../dist/mutants.json",
);
