// A surprise, told so that a person can act on it: the sentence, the plan, the story, the token.

import type { Cell, Matrix } from "../explore/matrix.js";
import { judgedOf } from "../report/judged.js";
import { groupBy } from "../report/matrix-words.js";
import { describePlan, tellStory } from "../report/story.js";
import { rerun } from "./rerun.js";
import { indent, paint } from "./terminal.js";

/** Stories are long: further surprises are named with their plan and token, then merely counted. */
const MOST_STORIES = 3;
const MOST_SURPRISES = 20;

/** The same surprise on several profiles is told once. */
export async function surprisesText({ rows, surprises }: Matrix, store?: string): Promise<string> {
  const sentences = new Map(rows.map(({ guarantee, sentence }) => [guarantee, sentence]));
  const groups = [
    ...groupBy(surprises, ({ scenario, guarantee, column, verdict }) =>
      [scenario, guarantee, column, verdict].join(" "),
    ).values(),
  ];
  const parts: string[] = [];
  for (const [at, cells] of groups.slice(0, MOST_SURPRISES).entries()) {
    parts.push(await surpriseText(cells, sentences, at < MOST_STORIES, store));
  }
  if (groups.length > MOST_SURPRISES) {
    parts.push(`and ${groups.length - MOST_SURPRISES} more: --json, --html or --only shows them`);
  }
  return parts.join("\n\n");
}

async function surpriseText(
  cells: readonly Cell[],
  sentences: ReadonlyMap<string, string>,
  withStory: boolean,
  store: string | undefined,
): Promise<string> {
  const [cell] = cells;
  if (cell === undefined) {
    return "";
  }
  const { scenario, guarantee, column, smallest, why } = cell;
  const profiles = cells.map(({ profile }) => profile).join(", ");
  const judged = judgedOf(guarantee);
  const sharper = judged === undefined ? "" : `\n  judged: ${judged}`;
  const where = `${guarantee}: ${sentences.get(guarantee)}${sharper}\n  in:     ${scenario} on ${profiles}, ${column}`;
  if (cell.verdict === "notFound") {
    return [
      `${paint.red("NOT FOUND")} ${where}`,
      `  declared to be lost, and no plan lost it: ${why ?? "no reason given"}`,
    ].join("\n");
  }
  const lines = [`${paint.red("VIOLATED")} ${where}`];
  if (smallest !== undefined) {
    const { how, spec, token } = smallest;
    lines.push(`  how:    ${how}`, `  plan:   ${describePlan(spec.plan)}`);
    if (withStory) {
      lines.push(indent(tellStory((await rerun(spec, store)).trace), 4));
    }
    const on = store === undefined ? "" : ` --store ${store}`;
    lines.push(`  replay: onceproof replay ${token}${on}`);
  }
  return lines.join("\n");
}
