// The code to copy is cut out of the very files that have just run, so that it cannot rot.

import { readFile } from "node:fs/promises";
import type { Disaster } from "../disaster.js";

const REGION = /^[ \t]*\/\/ #region recipe\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;
const LONGEST_LINE = 78;
const PRELUDE = ["../run-file.ts", "../world/world.ts"].map(
  (file) => new URL(file, import.meta.url),
);

export interface Recipe {
  readonly title: string;
  readonly algorithm: string;
  readonly code: string;
}

/** The lines between `// #region recipe` and `// #endregion`, each region without its indentation. */
export function recipeIn(source: string): string {
  return [...source.matchAll(REGION)].map(([, region]) => dedent(region ?? "")).join("\n");
}

function dedent(region: string): string {
  const lines = region.replace(/\n$/, "").split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join("\n");
}

export async function recipeOf(disaster: Disaster): Promise<Recipe> {
  const { title, algorithm, source } = disaster;
  return { title, algorithm, code: recipeIn(await readFile(new URL(source), "utf8")) };
}

/** What every recipe begins with. */
export async function prelude(disasters: readonly Disaster[]): Promise<string> {
  const sources = await Promise.all(PRELUDE.map((file) => readFile(file, "utf8")));
  const factories = new Set(disasters.flatMap((disaster) => disaster.factories));
  return [
    importOf([...factories].sort(), "@onceproof/core"),
    importOf(["openSqlite"], "@onceproof/sql-adapter"),
    ...sources.map(recipeIn),
  ].join("\n");
}

function importOf(names: readonly string[], from: string): string {
  const line = `import { ${names.join(", ")} } from "${from}";`;
  const lines = names.map((name) => `  ${name},\n`).join("");
  return line.length <= LONGEST_LINE ? line : `import {\n${lines}} from "${from}";`;
}
