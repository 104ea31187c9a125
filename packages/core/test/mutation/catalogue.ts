// All mutants: every file in test/mutants holds those of one algorithm.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Mutant } from "../support/mutant.ts";

export const packageRoot: string = fileURLToPath(new URL("../../", import.meta.url));

const folder = new URL("../mutants/", import.meta.url);

export async function allMutants(): Promise<Mutant[]> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .sort();
  const modules = await Promise.all(
    files.map(
      (name) =>
        import(new URL(name, folder).href) as Promise<{ mutants: readonly Mutant[] | undefined }>,
    ),
  );
  return modules.flatMap(({ mutants }, index) => {
    if (!Array.isArray(mutants)) {
      throw new Error(`test/mutants/${files[index]} exports no list called mutants`);
    }
    return mutants;
  });
}

/** Why a mutant can't be tried, if so: then it is the mutant that needs mending. */
export function defectOf(mutant: Mutant, all: readonly Mutant[]): string | undefined {
  const { id, file, find, replace, test } = mutant;
  if (all.filter((each) => each.id === id).length > 1) {
    return "another mutant has the same id";
  }
  for (const path of [file, test]) {
    if (!existsSync(`${packageRoot}${path}`)) {
      return `there is no ${path}`;
    }
  }
  if (find === replace || find === "") {
    return "it changes nothing";
  }
  const times = readFileSync(`${packageRoot}${file}`, "utf8").split(find).length - 1;
  return times === 1 ? undefined : `what it replaces occurs ${times} times in ${file}`;
}
