// Every oracle quotes docs/guarantees.md: a sentence that is changed there changes its judge.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as oracles from "../../src/oracles/index.ts";
import type { Guarantee } from "../../src/scenarios/scenario.ts";

const docs = words(
  readFileSync(new URL("../../../../docs/guarantees.md", import.meta.url), "utf8"),
);

/** A text without the marks and breaks of its lines. */
function words(text: string): string {
  return text
    .replaceAll(/^\s*(?:>|-|\|)\s?/gmu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function isGuarantee(value: unknown): value is Guarantee {
  return typeof value === "object" && value !== null && "judge" in value;
}

const guarantees: Guarantee[] = Object.values(oracles).flatMap((exported) => {
  const made: unknown = typeof exported === "function" ? exported({}) : exported;
  return isGuarantee(made) ? [made] : [];
});

it("finds the oracles", () => {
  expect(guarantees.length).toBeGreaterThan(15);
});

it.each(guarantees)("$id quotes the docs", ({ sentence }) => {
  expect(docs).toContain(words(sentence));
});

it("names each oracle once", () => {
  const ids = guarantees.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

it.each(guarantees)("$id says nothing of a run in which nothing happened", ({ judge }) => {
  const times = { operationTimeoutMs: 1, tombstoneMs: 1, leaseMs: 1, retentionMs: 1 };
  const nothing = { operations: [], effects: [], spans: [], healedUs: 1, findings: {} };
  expect(judge(nothing, { times, workload: { initial: 0 } })).toBeUndefined();
});
