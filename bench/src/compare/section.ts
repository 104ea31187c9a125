// A section of a document that a run writes: between two markers, and nothing else of the document.

import { readFileSync, writeFileSync } from "node:fs";
import type { ArenaResult } from "./run.js";
import { asMarkdown, costTable, figureTable, lacking, rateTable } from "./tables.js";

/** `redis: dedup, first run` as a heading. */
function heading(name: string): string {
  const title = name.slice(name.indexOf(": ") + 2);
  return `#### ${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

/** What a run measured, as Markdown; `intro` tells how and on what. */
export function sectionOf(result: ArenaResult, intro: string): string {
  const parts = [intro];
  for (const comparison of result.comparisons) {
    parts.push(heading(comparison.name));
    parts.push(asMarkdown(rateTable(comparison)));
    parts.push(asMarkdown(costTable(comparison)));
    const lacks = lacking(comparison).map((line) => `- ${line}.`);
    parts.push(`What each lacks that another in the table does:\n\n${lacks.join("\n")}`);
  }
  for (const detail of result.details) {
    parts.push(heading(detail.name), asMarkdown(figureTable(detail)));
  }
  return parts.join("\n\n");
}

/** The document with what stands between the markers called `name` replaced. */
export function replaceSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) {
    throw new Error(`the document has no markers ${begin} and ${end}`);
  }
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

export function renewSection(file: URL, name: string, text: string): void {
  writeFileSync(file, replaceSection(readFileSync(file, "utf8"), name, text));
}
