// Bundles core once as it is and once for each mutant, and keeps of each mutant only how its bundle
// differs. The package carries the result as `dist/mutants.json`; from sources it is made on demand.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import type { Edit, MutantBundle } from "../src/mutants/bundle.ts";
import type { Mutant } from "../src/mutants/mutant.ts";
import { mutants } from "./catalogue.ts";
import { editsBetween } from "./edits.ts";

export const coreRoot: string = fileURLToPath(new URL("../../core/", import.meta.url));

/** One for each core of a usual machine; each reads all of core. */
const AT_ONCE = 2;
const INLINED = ["@noble/hashes", "devalue"];

/** Core's source file with the change of a mutant. */
function patched({ id, file, find, replace }: Mutant): string {
  const parts = readFileSync(join(coreRoot, file), "utf8").split(find);
  if (parts.length !== 2) {
    throw new Error(`${id}: what it replaces occurs ${parts.length - 1} times in ${file}`);
  }
  return parts.join(replace);
}

export interface Bundler {
  /** Core with its dependencies as one CommonJS module, which can be evaluated under any name. */
  bundle(mutant?: Mutant): Promise<string>;
  close(): Promise<void>;
}

/** Bundles core any number of times, one after the other; what stays the same is read once. */
export async function openBundler(): Promise<Bundler> {
  let mutant: Mutant | undefined;
  const building = await context({
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
            mutant && path === join(coreRoot, mutant.file)
              ? { contents: patched(mutant), loader: "ts" }
              : undefined,
          );
        },
      },
    ],
  });
  return {
    async bundle(next) {
      mutant = next;
      const { outputFiles } = await building.rebuild();
      // Where a package manager keeps the dependencies is of no interest, and differs.
      const text = outputFiles[0]?.text ?? "";
      return text.replace(/^\/\/ \S*node_modules\//gm, "// node_modules/");
    },
    close: () => building.dispose(),
  };
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

/** Bundles everything. Takes seconds. */
export async function bundleMutants(): Promise<MutantBundle> {
  const edits: Record<string, readonly Edit[]> = {};
  const queue = [...mutants];
  const work = async (): Promise<string> => {
    const bundler = await openBundler();
    const base = await bundler.bundle();
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      edits[mutant.id] = editsBetween(base, await bundler.bundle(mutant));
    }
    await bundler.close();
    return base;
  };
  const [base = ""] = await Promise.all(Array.from({ length: AT_ONCE }, work));
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
