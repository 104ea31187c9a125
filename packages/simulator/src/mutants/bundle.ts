// The built form of the mutants: one bundle of core as it is, and for each mutant the few places in
// which its bundle differs. Applying those is all that is left to do at run time.

import type { Mutant } from "./mutant.js";

/** What replaces the characters from `start` to before `end` of the base. */
export type Edit = readonly [start: number, end: number, text: string];

/** A mutant and how its bundle differs from the base. */
export interface BundledMutant extends Mutant {
  /** Ascending and apart, with offsets into the base. */
  readonly edits: readonly Edit[];
}

/** What `dist/mutants.json` holds. */
export interface MutantBundle {
  /** The licence texts of what is bundled beside core, by package. */
  readonly licences: { readonly [name: string]: string };
  /** Core with its dependencies, as one CommonJS module that requires nothing. */
  readonly base: string;
  readonly mutants: readonly BundledMutant[];
}

/** The text with its edits applied. */
export function applyEdits(base: string, edits: readonly Edit[]): string {
  let text = "";
  let from = 0;
  for (const [start, end, replacement] of edits) {
    text += base.slice(from, start) + replacement;
    from = end;
  }
  return text + base.slice(from);
}
