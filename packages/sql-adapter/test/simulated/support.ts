// What the tests of the simulated SQLite store share: explorations that tell what no loss declares.
import {
  declaredLoss,
  explore,
  type Job,
  type MakeDatabase,
  type Part,
  type ProfileId,
  type RunSpec,
  runScenario,
  type Scenario,
  scenarioOf,
} from "@onceproof/simulator";
import { SQLITE_WORLD } from "./sqlite.ts";

/** Far more than a run takes that ends. */
const MAX_EVENTS = 20_000;

const worldOf = (database: MakeDatabase) => ({
  database,
  maxEvents: MAX_EVENTS,
  // What the store asks of the machine instead of its runtime ends the run.
  guard: true,
  ...SQLITE_WORLD,
});

/** What was found, with the plan that shows it. */
export interface Surprise {
  readonly guarantee: string;
  readonly how: string;
  readonly spec: RunSpec;
}

export interface Sample {
  readonly profile: ProfileId;
  readonly part?: Part;
  readonly oneIn: number;
  /** @defaultValue all of the scenario's */
  readonly workloads?: readonly string[];
  /** Ends at the first surprise. */
  readonly first?: boolean;
}

/** Explores a sample of a scenario's plans on a database. */
export async function surprisesOf(
  scenario: Scenario,
  database: MakeDatabase,
  { profile, part = { part: "singles" }, oneIn, workloads, first = false }: Sample,
): Promise<{ readonly runs: number; readonly found: readonly Surprise[] }> {
  const found: Surprise[] = [];
  let runs = 0;
  for (const { id } of scenario.workloads) {
    if (workloads !== undefined && !workloads.includes(id)) continue;
    const job: Job = { scenario: scenario.id, profile, workload: id, seed: 1, part, oneIn };
    const stop = (): boolean => first && found.length > 0;
    const explored = await explore(scenario, job, {
      world: worldOf(database),
      stop,
      onRun: (result, spec, surprises) => {
        for (const { how } of surprises) {
          const guarantee = result.violations.find((each) => each.how === how)?.guarantee;
          found.push({ guarantee: String(guarantee), how, spec });
        }
      },
    });
    runs += explored.runs;
    const stuck = explored.failures ?? [];
    found.push(...stuck.map(({ message, spec }) => ({ guarantee: "stuck", how: message, spec })));
  }
  return { runs, found };
}

/** Carries out one run. */
export function play(
  spec: RunSpec,
  database: MakeDatabase,
  scenario: Scenario = scenarioOf(spec.scenario),
) {
  return runScenario(scenario, spec, { world: worldOf(database) });
}

/** What a run violates that no loss declares. */
export async function violatedBy(spec: RunSpec, database: MakeDatabase): Promise<string[]> {
  const { violations } = await play(spec, database);
  const scenario = scenarioOf(spec.scenario);
  return violations
    .map(({ guarantee }) => guarantee)
    .filter((guarantee) => declaredLoss(scenario, guarantee, spec) === undefined);
}
