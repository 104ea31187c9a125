// The mutants, which the simulator keeps, as core's tests use them.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mutants } from "../../../simulator/mutants/catalogue.ts";
import type { Mutant } from "../../../simulator/src/mutants/mutant.ts";

export const packageRoot: string = fileURLToPath(new URL("../../", import.meta.url));

/** A mutant that a test of core must notice. */
export type TestedMutant = Mutant & { readonly test: string };

export function allMutants(): readonly Mutant[] {
  return mutants;
}

/** The mutants that core's tests must notice; the simulator tries all of them. */
export function testedMutants(): readonly TestedMutant[] {
  return mutants.filter((mutant): mutant is TestedMutant => mutant.test !== undefined);
}

/** Why a mutant can't be tried, if so: then it is the mutant that needs mending. */
export function defectOf(mutant: Mutant, all: readonly Mutant[]): string | undefined {
  const { id, file, find, replace, test } = mutant;
  if (all.filter((each) => each.id === id).length > 1) {
    return "another mutant has the same id";
  }
  for (const path of test === undefined ? [file] : [file, test]) {
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
