// The table has to be readable in any terminal.

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { Paint } from "../src/report/paint.js";
import { renderTable } from "../src/report/table.js";
import type { Row } from "../src/run.js";

const plain: Paint = {
  bold: (text) => text,
  dim: (text) => text,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
};
const loud: Paint = { ...plain, red: (text) => `\u001b[31m${text}\u001b[39m` };

const row: Row = {
  name: "a",
  title: "A long title of a disaster, with a subclause",
  counted: "money charged",
  expected: 100,
  without: 1_000,
  with: 100,
  algorithm: "state machine",
  calls: { first: 12, duplicate: 1, mean: 1.5 },
  requests: 4,
  tookMs: 5,
  problems: [],
};

describe.each([50, 79, 80, 100, 119, 120, 200])("at %i columns", (width) => {
  const text = renderTable([row, { ...row, title: "Short" }], width, plain);

  it("is no wider than the terminal", () => {
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  it("tells all", () => {
    for (const part of [
      "money charged",
      "100 ✓",
      "1000 ✗",
      "state machine",
      "12 / 1 / 1.5",
      "Short",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("is laid out the same with colours", () => {
    const coloured = renderTable([row, { ...row, title: "Short" }], width, loud);
    expect(stripVTControlCharacters(coloured)).toBe(text);
    expect(coloured).not.toBe(text);
  });
});

it("shows what could not be counted as a failure", () => {
  const { calls: _, with: __, ...broken } = row;
  const text = renderTable([{ ...broken, problems: ["broke down"] }], 100, plain);
  expect(text).toMatch(/1000 ✗ +- ✗ +state machine +-$/m);
});
