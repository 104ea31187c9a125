// Loads core as it is or with one mutant, in Node: from the built package's `mutants.json`, or from
// sources, where the bundle is made when it is first asked for.

import { readFile } from "node:fs/promises";
import { compileFunction } from "node:vm";
import { ArgumentError } from "@onceproof/core/advanced";
import { applyEdits, type MutantBundle } from "./bundle.js";
import type { Mutant } from "./mutant.js";

/** Both entries of core as one module. */
export type CoreModule = typeof import("@onceproof/core") &
  typeof import("@onceproof/core/advanced");

let loading: Promise<MutantBundle> | undefined;

// Beside the code or one folder above, depending on where the build puts this module.
const BUILT = ["./mutants.json", "../mutants.json"];
const FROM_SOURCES = "../../mutants/cache.ts";

async function readBundle(): Promise<MutantBundle> {
  for (const path of BUILT) {
    try {
      return JSON.parse(await readFile(new URL(path, import.meta.url), "utf8")) as MutantBundle;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "ENOENT") {
        throw error;
      }
    }
  }
  const { href } = new URL(FROM_SOURCES, import.meta.url);
  const sources = (await import(/* @vite-ignore */ href)) as {
    currentBundle(): Promise<MutantBundle>;
  };
  return sources.currentBundle();
}

function bundle(): Promise<MutantBundle> {
  loading ??= readBundle();
  return loading;
}

/**
 * Lists the mutants. Cost: reads one file, once per process; from sources the first call after a
 * change of core bundles every mutant, which takes seconds.
 */
export async function loadMutants(): Promise<readonly Mutant[]> {
  return (await bundle()).mutants;
}

/**
 * Returns the text of core as one CommonJS module, as it is or with one mutant.
 *
 * Guarantee: the text with a mutant differs from the one without.
 * Fails: `optionInvalid` for an id that no mutant has.
 */
export async function coreText(mutantId: string | undefined): Promise<string> {
  const { base, mutants } = await bundle();
  if (mutantId === undefined) {
    return base;
  }
  const mutant = mutants.find(({ id }) => id === mutantId);
  if (mutant === undefined) {
    const message = `no mutant is called "${mutantId}": loadMutants() lists their ids`;
    throw new ArgumentError("optionInvalid", message);
  }
  const text = applyEdits(base, mutant.edits);
  if (text === base) {
    throw new Error(`the mutant "${mutantId}" changes nothing of what is bundled`);
  }
  return text;
}

function evaluate(text: string, name: string): CoreModule {
  const made: { exports: object } = { exports: {} };
  // Compiled under a name, so that stack traces are short and say which mutant it was.
  compileFunction(text, ["module"], { filename: `onceproof-core/${name}.js` })(made);
  return Object.freeze({ ...made.exports }) as CoreModule;
}

const copies = new Map<string | undefined, Promise<CoreModule>>();

/**
 * Loads core as it is (without an id), bundled like the mutants for a fair comparison, or with one
 * mutant.
 *
 * Guarantee: a copy of its own. It shares no state and no class with `@onceproof/core` or with
 * another copy, so errors are told apart by their codes. The same id gives the same copy again.
 * Fails: `optionInvalid` for an id that no mutant has.
 */
export function loadCore(mutantId: string | undefined): Promise<CoreModule> {
  let copy = copies.get(mutantId);
  if (copy === undefined) {
    copy = coreText(mutantId).then((text) => evaluate(text, mutantId ?? "as-it-is"));
    copies.set(mutantId, copy);
  }
  return copy;
}
