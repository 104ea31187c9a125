// The change of one mutant, made while vite loads the source: nothing is written to the tree.

import { writeFileSync } from "node:fs";
import type { Plugin } from "vite";
import type { Mutant } from "../../../simulator/src/mutants/mutant.ts";
import { packageRoot } from "./catalogue.ts";

export function patch({ id, file, find, replace }: Mutant): Plugin {
  const target = `${packageRoot}${file}`.replaceAll("\\", "/");
  return {
    name: "onceproof-mutant",
    enforce: "pre",
    transform(code, path) {
      if (path.split("?")[0] !== target) {
        return undefined;
      }
      const parts = code.split(find);
      if (parts.length !== 2) {
        throw new Error(`${id}: what it replaces occurs ${parts.length - 1} times in ${file}`);
      }
      if (process.env.ONCEPROOF_MUTANT_REPORT !== undefined) {
        writeFileSync(`${process.env.ONCEPROOF_MUTANT_REPORT}.applied`, "");
      }
      return { code: parts.join(replace), map: null };
    },
  };
}
