// Declares the tests of one guarantee: each history that it allows, and each that violates it.

import { describe, it } from "vitest";
import type { Guarantee } from "../../src/scenarios/scenario.ts";
import { type Case, expectAllowed, expectViolation, judgeCase, type Pen } from "./written.ts";

type Histories = Readonly<Record<string, (pen: Pen) => void>>;

function casesOf(histories: Histories): Case[] {
  return Object.entries(histories).map(([shows, tell]) => ({ shows, tell }));
}

export function judges<W>(
  guarantee: Guarantee<W>,
  histories: { readonly allows: Histories; readonly forbids: Histories; readonly workload?: W },
): void {
  const { allows, forbids, workload } = histories;
  describe(guarantee.id, () => {
    it.each(casesOf(allows))("allows $shows", (each) => {
      expectAllowed(judgeCase(guarantee, each, workload as W));
    });
    it.each(casesOf(forbids))("forbids $shows", (each) => {
      expectViolation(judgeCase(guarantee, each, workload as W));
    });
  });
}
