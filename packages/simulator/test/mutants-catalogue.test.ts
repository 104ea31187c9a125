// The catalogue of mutants: each is named once and belongs to a family, every mistake that we set
// out to cover is made by one, and what the build keeps of it is the change of the source.

import fc from "fast-check";
import { expect, test } from "vitest";
import { openBundler } from "../mutants/bundle.ts";
import { mutants } from "../mutants/catalogue.ts";
import { editsBetween } from "../mutants/edits.ts";
import { applyEdits } from "../src/mutants/bundle.ts";
import { coreText, families, loadMutants } from "../src/mutants/index.ts";
import type { Mutant } from "../src/mutants/mutant.ts";

const TEXTBOOK = [
  "query-then-insert",
  "a dedup table whose failed rows can never be retried",
  "a row that stays processing for ever after a crash",
  "a token deleted before the business failed",
  "status checked, then updated without the old status in the WHERE",
  "already paid answered by looking at the status only",
  "release without owner check",
  "a lock whose holder outlives its lease",
  "a version check without a request id, which deducts stock twice on a retry",
  "no rows changed, so the status is read and called success",
  "a failed lock answered as success before the first one's outcome is known",
  "a used token answered as success before the first one's outcome is known",
  "get-then-delete token",
  "multi-key insert written one by one",
  "a record that is written beside the transaction of the effect",
  "an error that is caught within the transaction, which then commits",
];

const SUBTLE = [
  "finish by key only",
  "takeover retried without judging the lease again",
  "running record's TTL equal to its lease",
  "open forgets steps",
  "an unknown failure treated as retryable",
  "delete on any error",
  "a late owner returns its own value",
  "no answer taken for no in verify",
  "lease judged by the client's clock",
  "lease counted from the reply",
  "lease counted from the last send",
  "a waiter that removes the record",
  "request log checked on the first read only",
  "replay recomputed",
  "fencing token that follows renewals",
  "opId ignored on removals",
  "tombstone dropped at expiry",
  "a lost answer to a commit told as a rollback",
];

const distinct = (values: readonly (string | undefined)[]): string[] =>
  [...new Set(values.filter((value) => value !== undefined))].sort();

test("each mutant has an id of its own", () => {
  const ids = mutants.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("every textbook mistake and every subtle one is made by a mutant", () => {
  expect(distinct(mutants.map(({ textbook }) => textbook))).toEqual([...TEXTBOOK].sort());
  expect(distinct(mutants.map(({ subtle }) => subtle))).toEqual([...SUBTLE].sort());
});

test("every family has at least two mutants", () => {
  expect(distinct(mutants.map(({ family }) => family))).toEqual(Object.keys(families).sort());
  for (const family of Object.keys(families)) {
    expect(mutants.filter((mutant) => mutant.family === family).length, family).toBeGreaterThan(1);
  }
});

/** By a bundler that has bundled nothing else. */
async function bundleAnew(mutant?: Mutant): Promise<string> {
  const bundler = await openBundler();
  try {
    return await bundler.bundle(mutant);
  } finally {
    await bundler.close();
  }
}

test("the edits of a mutant make exactly what bundling its changed source gives", async () => {
  const listed = await loadMutants();
  expect(listed.map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
  expect(await coreText(undefined)).toBe(await bundleAnew());
  for (const mutant of mutants.filter((_, index) => index % 20 === 0)) {
    expect(await coreText(mutant.id), mutant.id).toBe(await bundleAnew(mutant));
  }
});

test("no two mutants of one algorithm come to the same code", async () => {
  const seen = new Map<string, string>();
  const doubles: string[] = [];
  for (const { id } of mutants) {
    const code = `${id.slice(0, id.indexOf("/"))}\n${await coreText(id)}`;
    const earlier = seen.get(code);
    if (earlier !== undefined) {
      doubles.push(`${earlier} = ${id}`);
    }
    seen.set(code, id);
  }
  expect(doubles).toEqual([]);
});

test("an id that no mutant has is refused", async () => {
  await expect(coreText("dedup/no-such")).rejects.toMatchObject({ code: "optionInvalid" });
});

test("edits between any two texts lead from one to the other", () => {
  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 30 })
    .chain((lines) =>
      fc.constantFrom("", "a", "b").map((unfinished) => lines.join("") + unfinished),
    );
  fc.assert(
    fc.property(text, text, (from, to) => applyEdits(from, editsBetween(from, to)) === to),
    { seed: 1, numRuns: 500 },
  );
});
