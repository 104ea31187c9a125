// The printed recipes are cut out of the code that runs; this keeps them short and whole.

import * as core from "@onceproof/core";
import * as sql from "@onceproof/sql-adapter";
import { describe, expect, it } from "vitest";
import { allDisasters } from "../src/disasters/index.js";
import { prelude, recipeIn, recipeOf } from "../src/report/recipes.js";

const INDENT = 2;
const disasters = allDisasters([]);

describe.each(disasters)("the recipe of $name", (disaster) => {
  it("creates with its factories and fits a narrow terminal", async () => {
    const { code } = await recipeOf(disaster);
    for (const factory of disaster.factories) {
      expect(code).toContain(`= ${factory}`);
    }
    const lines = code.split("\n");
    expect(lines.length).toBeLessThanOrEqual(13);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80 - INDENT);
    expect(lines[0]).toMatch(/^\S/);
  });
});

it("imports only what core exports", async () => {
  const text = await prelude(disasters);
  const names = text.match(/\bcreate\w+(?=,)/g) ?? [];
  expect(sql).toHaveProperty("openSqlite");
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !(name in core))).toEqual([]);
  expect(text).toContain("const store = await openSqlite(file);");
});

it("joins the regions of a file and takes each one's indentation off", () => {
  const source = [
    "before",
    "  // #region recipe",
    "  one();",
    "  // #endregion",
    "between",
    "      // #region recipe",
    "      two(() => {",
    "        three();",
    "      });",
    "      // #endregion",
  ].join("\n");
  expect(recipeIn(source)).toBe("one();\ntwo(() => {\n  three();\n});");
});
