// What the pages of docs/mutants show that is generated: the run of a mutant as story and diagram,
// the tables of mutants, and the index of families.

import {
  decodeToken,
  describePlan,
  drawDiagram,
  encodeToken,
  type RunSpec,
  runScenario,
  scenarioOf,
  tellStory,
} from "@onceproof/simulator";
import {
  type Family,
  families,
  loadCore,
  type Mutant,
} from "../../packages/simulator/src/mutants/index.ts";
import { SHOWN } from "./mutant-runs.ts";

export const FAMILIES: readonly Family[] = Object.keys(families) as Family[];

/** The run of a family's page, with the mutant and with core as it is. */
export async function playShown(family: Family) {
  const { mutant, scenario: id, workload, plan, guarantee, untilMs } = SHOWN[family];
  const scenario = scenarioOf(id);
  const spec: RunSpec = { scenario: id, profile: "durable", workload, seed: 1, plan, mutant };
  // Through its token, as whoever replays it has it.
  const replayed = decodeToken(encodeToken(spec));
  const broken = await runScenario(scenario, replayed, { core: await loadCore(mutant) });
  const correct = await runScenario(scenario, replayed, { core: await loadCore(undefined) });
  const healed = broken.trace.findIndex(({ type }) => type === "healed");
  const trace = broken.trace
    .slice(0, healed)
    .filter(({ atUs }) => untilMs === undefined || atUs <= untilMs * 1_000);
  return { spec, guarantee, scenario, broken, correct, trace };
}

export type Played = Awaited<ReturnType<typeof playShown>>;

export function diagramOf({ trace, spec }: Played): string {
  const title = `What the mutant ${spec.mutant} does when ${describePlan(spec.plan)}`;
  return `${drawDiagram(trace, { detail: "short", title })}\n`;
}

/** The part of a page that shows the run. */
export function runText(family: Family, played: Played): string {
  const { spec, scenario, guarantee, broken, trace } = played;
  const sentence = scenario.states.find((each) => each.guarantee.id === guarantee)?.guarantee
    .sentence;
  const how = broken.violations.find((each) => each.guarantee === guarantee)?.how;
  return [
    "```text",
    `mutant: ${spec.mutant}`,
    `plan: ${describePlan(spec.plan)}`,
    "",
    tellStory(trace),
    "",
    `violated: ${guarantee}: ${sentence}`,
    `  how: ${how}`,
    "```",
    "",
    `![The same run as a space-time diagram: who sent what to whom, time downwards](${family}.svg)`,
    "",
    "```sh",
    `npx onceproof replay ${encodeToken(spec)}`,
    "```",
  ].join("\n");
}

/** A table of the mutants of a family. */
export function mutantsTable(all: readonly Mutant[], family: Family): string {
  const rows = all
    .filter((mutant) => mutant.family === family)
    .map(({ id, guarantee }) => `| \`${id}\` | ${guarantee} |`);
  return ["| mutant | the guarantee that it breaks |", "|---|---|", ...rows].join("\n");
}

/** The index of families. */
export function familiesTable(all: readonly Mutant[]): string {
  const rows = FAMILIES.map((family) => {
    const count = all.filter((mutant) => mutant.family === family).length;
    return `| [${family}](${family}.md) | ${families[family]} | ${count} |`;
  });
  return [
    "| family | what such code does | mutants |",
    "|---|---|---|",
    ...rows,
    `| | | ${all.length} |`,
  ].join("\n");
}

/** A page with its generated parts renewed; what stands outside their marks stays as it is. */
export function renewed(page: string, parts: Readonly<Record<string, string>>): string {
  let text = page;
  for (const [name, part] of Object.entries(parts)) {
    const [open, close] = [`<!-- generated: ${name} -->\n`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(open), text.indexOf(close)];
    if (from < 0 || to < from) {
      throw new Error(`the page has no place for its ${name}: ${open.trim()} … ${close}`);
    }
    text = `${text.slice(0, from + open.length)}\n${part}\n\n${text.slice(to)}`;
  }
  return text;
}
