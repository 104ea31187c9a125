// A surprise, told so that a person can act on it: the sentence, the plan, the story, the token.

import type { Cell, Matrix } from "../explore/matrix.js";
import { describePlan, tellStory } from "../report/story.js";
import { rerun } from "./rerun.js";
import { indent, paint } from "./terminal.js";

/** Stories are long; further surprises are named with their token alone. */
const MOST_STORIES = 5;

export async function surprisesText({ rows, surprises }: Matrix): Promise<string> {
  const sentences = new Map(rows.map(({ guarantee, sentence }) => [guarantee, sentence]));
  const parts: string[] = [];
  for (const [at, cell] of surprises.entries()) {
    parts.push(await surpriseText(cell, sentences.get(cell.guarantee) ?? "", at < MOST_STORIES));
  }
  return parts.join("\n\n");
}

async function surpriseText(cell: Cell, sentence: string, withStory: boolean): Promise<string> {
  const { scenario, guarantee, profile, column, smallest, why } = cell;
  const where = `${guarantee} in ${scenario} on ${profile}, ${column}`;
  if (cell.verdict === "notFound") {
    return [
      `${paint.red("NOT FOUND")} ${where}: ${sentence}`,
      `  declared to be lost (${why ?? "no reason given"}), and no plan lost it`,
    ].join("\n");
  }
  const lines = [`${paint.red("VIOLATED")} ${where}: ${sentence}`];
  if (smallest !== undefined) {
    const { how, spec, token } = smallest;
    lines.push(`  how:    ${how}`, `  plan:   ${describePlan(spec.plan)}`);
    if (withStory) {
      lines.push(indent(tellStory((await rerun(spec)).trace), 4));
    }
    lines.push(`  replay: onceproof replay ${token}`);
  }
  return lines.join("\n");
}
