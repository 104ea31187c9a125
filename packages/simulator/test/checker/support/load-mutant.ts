// Builds the checker with some of its text changed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Check } from "./fuzz.ts";
import type { CheckerMutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const folder = `${root}packages/simulator/src/checker/`;

function changed(text: string, { name, changes }: CheckerMutant, file: string): string {
  return changes
    .filter((change) => file.endsWith(`/checker/${change.file}`))
    .reduce((before, { find, put }) => {
      const parts = before.split(find);
      if (parts.length !== 2) {
        throw new Error(`${name}: what it replaces occurs ${parts.length - 1} times in ${file}`);
      }
      return parts.join(put);
    }, text);
}

/** The checker with these changes; nothing is written to the tree. */
export async function load(mutant: CheckerMutant): Promise<Check> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}check.ts`],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    alias: { "@onceproof/core/advanced": `${root}packages/core/src/advanced.ts` },
    plugins: [
      {
        name: "mutant",
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]src[\\/]checker[\\/][a-z-]+\.ts$/ }, ({ path }) => {
            const file = path.replaceAll("\\", "/");
            return { contents: changed(readFileSync(path, "utf8"), mutant, file), loader: "ts" };
          });
        },
      },
    ],
  });
  // The name keeps the whole text out of a stack trace.
  const named = `${outputFiles[0]!.text}\n//# sourceURL=${mutant.name.replaceAll(" ", "-")}.js`;
  const text = Buffer.from(named).toString("base64");
  const module: { checkHistory: Check } = await import(
    /* @vite-ignore */ `data:text/javascript;base64,${text}`
  );
  return module.checkHistory;
}
