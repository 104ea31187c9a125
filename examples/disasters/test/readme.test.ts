// The README's table names every disaster with what protects it.

import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { allDisasters } from "../src/disasters/index.js";

it("lists each disaster, in the order of the table, with its algorithm", async () => {
  const text = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const listed = [...text.matchAll(/^\| `([a-z-]+)` +\|.*\| `(create\w+)`[^|]*\|$/gm)];
  const known = allDisasters([]).map(({ name, factories }) => [name, factories[0]]);
  expect(listed.map(([, name, factory]) => [name, factory])).toEqual(known);
});
