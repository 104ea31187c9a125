// What a run says of itself: medians, the goals that were missed, and its section of a document.
import { describe, expect, it } from "vitest";
import { amount } from "../src/compare/amount.js";
import type { Measured } from "../src/compare/compare.js";
import { type ArenaResult, missedGoals } from "../src/compare/run.js";
import { replaceSection, sectionOf } from "../src/compare/section.js";
import { spread } from "../src/compare/statistics.js";
import { asMarkdown, asText } from "../src/compare/tables.js";

const measured = (concurrency: number, share: number): Measured => ({
  concurrency,
  rounds: 5,
  perSecond: { median: 12_345, lower: 12_000, upper: 13_000 },
  clientUs: 20,
  serverUs: 10,
  share: { median: share, lower: share, upper: share },
});

function resultOf(share: number, us: number): ArenaResult {
  return {
    setting: "a store",
    comparisons: [
      {
        kind: "comparison",
        name: "redis: lock",
        contestants: [
          {
            name: "onceproof",
            client: "a client",
            kind: "ours",
            goal: 0.75,
            lacks: "nothing",
            account: { calls: ["EVALSHA"], costs: { "bytes held": 1234, "bytes left": 0 } },
            measured: [measured(1, 0.1), measured(64, share)],
          },
        ],
      },
    ],
    details: [
      {
        kind: "detail",
        name: "redis: calls",
        figures: [{ name: "create", value: us, unit: "µs", goal: 9 }],
      },
    ],
  };
}

describe("a spread", () => {
  it("is the median and the quartiles, in whatever order the numbers come", () => {
    expect(spread([5, 1, 4, 2, 3])).toEqual({ median: 3, lower: 2, upper: 4 });
    expect(spread([1, 2])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75 });
  });
});

describe("goals", () => {
  it("are met at the greatest concurrency, whatever one by one came to", () => {
    expect(missedGoals(resultOf(0.75, 9))).toEqual([]);
  });
  it("are missed by a smaller share or a longer time", () => {
    expect(missedGoals(resultOf(0.74, 9.1))).toEqual([
      "redis: lock on a client: 0.74 of bare, the goal is 0.75",
      "redis: calls, create: 9.1 µs, the goal is 9",
    ]);
  });
});

describe("a section", () => {
  const document = "before\n<!-- redis: begin -->\nold\n<!-- redis: end -->\nafter\n";

  it("is replaced between its markers, and nothing else", () => {
    expect(replaceSection(document, "redis", "new")).toBe(
      "before\n<!-- redis: begin -->\n\nnew\n\n<!-- redis: end -->\nafter\n",
    );
    expect(() => replaceSection(document, "postgres", "new")).toThrow("markers");
  });

  it("shows what missed its goal, and what each lacks", () => {
    const text = sectionOf(resultOf(0.5, 12), "On a store.");
    expect(text).toContain("#### Lock");
    expect(text).toContain(
      "| onceproof | a client | 12,300 | 0.10 (0.10 to 0.10) | 12,300 | 0.50 (0.50 to 0.50) | 0.75 (missed) |",
    );
    expect(text).toContain("| onceproof | a client | EVALSHA | 10.0 | 20.0 | 1,230 | 0.0 |");
    expect(text).toContain("- onceproof: nothing.");
    expect(text).toContain("| create | 12.0 µs | 9 (missed) |");
  });

  it("shows ratios to two digits with their quartiles, and large figures to three", () => {
    const spread = { median: 1.25, lower: 1.1, upper: 1.31 };
    expect(amount({ name: "", value: 1.25, unit: "times", spread })).toBe(
      "1.25 times (1.10 to 1.31)",
    );
    expect(amount({ name: "", value: 123_456, unit: "per second" })).toBe("123,000 per second");
  });

  it("has as many cells in each row as in the head", () => {
    const table = { head: ["a", "b", "c"], rows: [["1", "22", "333"]] };
    expect(asMarkdown(table)).toBe("| a | b | c |\n| --- | --- | --: |\n| 1 | 22 | 333 |");
    expect(asText(table)).toBe("  a  b     c\n  1  22  333");
  });
});
