// What a person types for an option becomes a value, or is refused with what to type instead.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkOutputs } from "../../src/cli/output-file.ts";
import { progressLine } from "../../src/cli/progress.ts";
import { coloured, duration } from "../../src/cli/terminal.ts";
import {
  parseProfiles,
  parseScenarios,
  parseSeed,
  parseShard,
  parseTime,
} from "../../src/cli/values.ts";
import { summary } from "../../src/cli/verify-report.ts";
import { SCENARIOS } from "../../src/scenarios/catalogue.ts";

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["10m", 600_000],
  ["1.5h", 5_400_000],
])("%s is a time", (text, ms) => {
  expect(parseTime(text)).toBe(ms);
});

test.each(["", "30", "s", "-1s", "0s", "3 days", "1e3s"])("%j is no time", (text) => {
  expect(() => parseTime(text)).toThrow(/for example 30s/);
});

test("a shard counts from 1", () => {
  expect(parseShard("2/3")).toEqual({ index: 2, of: 3 });
  for (const wrong of ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/2"]) {
    expect(() => parseShard(wrong), wrong).toThrow(/for example 1\/3/);
  }
});

test("a seed has 32 bits", () => {
  expect(parseSeed("4294967295")).toBe(4_294_967_295);
  for (const wrong of ["4294967296", "-1", "0x1", "1.5", ""]) {
    expect(() => parseSeed(wrong), wrong).toThrow(/whole number/);
  }
});

test("scenarios are chosen by how their ids begin, and what is unknown names all", () => {
  const [first] = SCENARIOS;
  expect(parseScenarios(first?.id ?? "").map(({ id }) => id)).toContain(first?.id);
  const algorithms = parseScenarios(`${first?.algorithm}/`).map(({ algorithm }) => algorithm);
  expect([...new Set(algorithms)]).toEqual([first?.algorithm]);
  expect(() => parseScenarios("no-such")).toThrow(first?.id);
  expect(() => parseScenarios(" , ")).toThrow(/separated by commas/);
});

test("profiles come in the order of tables", () => {
  expect(parseProfiles("failover, durable")).toEqual(["durable", "failover"]);
  expect(() => parseProfiles("durable,postgres")).toThrow(/no profile is called "postgres"/);
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, false],
])("with %j on a terminal: %s, coloured: %s", (env, isTTY, expected) => {
  expect(coloured(env, { isTTY })).toBe(expected);
});

test("progress tells rate and time left, and never more done than there is", () => {
  const now = { done: 4_000, total: 7_000, elapsedMs: 6_000 };
  expect(progressLine("plans", now)).toBe("4,000 of ≈7,000 plans, 667/s, 4.5 s left");
  expect(progressLine("plans", { ...now, from: { done: 1_000, elapsedMs: 3_000 } })).toBe(
    "4,000 of ≈7,000 plans, 1,000/s, 3.0 s left",
  );
  expect(progressLine("plans", { done: 50, total: 40, elapsedMs: 10_000 })).toBe(
    "50 of ≈50 plans, 5.0/s",
  );
  expect(duration(185_000)).toBe("3 min 05 s");
});

test("no time left is told before it can be known", () => {
  const early = progressLine("plans", { done: 4, total: 4_000, elapsedMs: 4_900 });
  expect(early).toBe("4 of ≈4,000 plans, 0.8/s");
  expect(progressLine("plans", { done: 40, elapsedMs: 9_000 })).toBe("40 plans, 4.4/s");
});

test.each([
  [undefined, 7, [], "no surprise, 7 plans/s"],
  ["interrupted", 7, [], "interrupted: nothing surprising in what ran, 7 plans/s"],
  ["out of time", 7, [], "out of time: nothing surprising in what ran, 7 plans/s"],
  ["out of time", 0, [], "out of time: nothing ran, 0 plans/s"],
  ["interrupted", 7, ["a worker died"], "interrupted: 1 error, 7 plans/s"],
] as const)("a run that is %s after %i plans says so last", (why, runs, errors, expected) => {
  const outcome = { shard: "1/1", ...(why !== undefined && { gap: { why, what: "a part" } }) };
  const text = summary(outcome, { runs, seconds: 1, surprises: [] }, errors);
  expect(text.split("\n").at(-1)).toBe(expected);
});

test("a file that cannot be written is refused before the run", () => {
  const folder = mkdtempSync(join(tmpdir(), "onceproof-out-"));
  try {
    writeFileSync(join(folder, "file"), "");
    expect(() => checkOutputs({ html: folder })).toThrow(/--html .* it is a folder/);
    expect(() => checkOutputs({ json: join(folder, "file/a.json") })).toThrow(/no folder/);
    expect(() => checkOutputs({ json: true, markdown: join(folder, "new/a.md") })).not.toThrow();
    expect(() => checkOutputs({ json: join(folder, "file") })).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
