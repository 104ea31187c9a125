// `onceproof replay`: carries out the run of a token once more and tells what happened.

import { declaredLoss } from "../explore/tally.js";
import { decodeToken } from "../explore/token.js";
import { mutantWarning } from "../report/matrix-words.js";
import { describePlan, tellStory } from "../report/story.js";
import type { RunSpec } from "../scenarios/scenario.js";
import { SCENARIO_ID } from "../simulate/judges.js";
import { formatEvent, hashTrace } from "../world/trace.js";
import { checkOutputs, writeResult } from "./output-file.js";
import { runPage } from "./reports.js";
import { type Rerun, rerun, workloadName } from "./rerun.js";
import { indent, paint, print } from "./terminal.js";
import { UsageError } from "./usage-error.js";

export interface ReplayOptions {
  readonly trace?: boolean;
  readonly json?: boolean;
  readonly html?: string;
  readonly check?: boolean;
  readonly store?: string;
}

/** Carries the command out; returns the exit code. */
export async function replay(token: string, options: ReplayOptions): Promise<number> {
  checkOutputs(options);
  const spec = readToken(token);
  const run = await runAgain(spec, options.store);
  const judged = run.violations.map((violation) => ({
    ...violation,
    sentence: sentenceOf(run, violation.guarantee),
    declared: declaredLoss(run.scenario, violation.guarantee, spec)?.why,
  }));
  if (options.json === true) {
    print(jsonText(spec, run, judged, options.trace === true));
  } else if (options.trace === true) {
    print([...run.trace.map(formatEvent), `trace hash ${hashTrace(run.trace)}`].join("\n"));
  } else {
    print(storyText(spec, run, judged));
  }
  if (options.html !== undefined) {
    writeResult(options.html, runPage(spec, run));
  }
  const surprised =
    run.stuck !== undefined || judged.some(({ declared }) => declared === undefined);
  return options.check === true && surprised ? 1 : 0;
}

function readToken(token: string): RunSpec {
  let spec: RunSpec;
  try {
    spec = decodeToken(token);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (spec.scenario === SCENARIO_ID) {
    throw new UsageError(
      "this token is of simulate(): pass it as `replay` to your own simulate({ … })",
    );
  }
  if (spec.seed < 0) {
    throw new UsageError(`the token's seed must be a whole number from 0 on, got ${spec.seed}`);
  }
  return spec;
}

/** A token that names what is not there is one of another version, or altered. */
async function runAgain(spec: RunSpec, store: string | undefined): Promise<Rerun> {
  try {
    return await rerun(spec, store);
  } catch (error) {
    const { name, code, message } = error as { name?: string; code?: string; message: string };
    if (error instanceof UsageError) {
      throw error;
    }
    if (name === "TypeError" || code === "optionInvalid") {
      throw new UsageError(`this token is of another version or altered: ${message}`);
    }
    throw error;
  }
}

interface Judged {
  readonly guarantee: string;
  readonly how: string;
  readonly sentence: string;
  /** Why it is given up here; absent if nothing declares it. */
  readonly declared: string | undefined;
}

function sentenceOf({ scenario }: Rerun, guarantee: string): string {
  return (
    scenario.states.find((state) => state.guarantee.id === guarantee)?.guarantee.sentence ?? ""
  );
}

function storyText(spec: RunSpec, run: Rerun, judged: readonly Judged[]): string {
  const { scenario, profile, seed, plan, mutant } = spec;
  const lines = [
    `${paint.bold(scenario)} on ${profile}, workload ${workloadName(spec)}, seed ${seed}`,
    ...(mutant === undefined ? [] : [paint.yellow(`mutant: ${mutant} (${mutantWarning(mutant)})`)]),
    `plan: ${describePlan(plan)}`,
    ...(run.struck.length < plan.length
      ? [paint.dim(`${run.struck.length} of ${plan.length} faults found their call`)]
      : []),
    "",
    indent(tellStory(run.trace)),
    "",
    ...(run.stuck === undefined ? [] : [paint.red(`it comes to no end: ${run.stuck}`)]),
    ...judged.map(judgedText),
  ];
  if (judged.length === 0 && run.stuck === undefined) {
    lines.push(paint.green(`none of the ${run.scenario.states.length} guarantees is violated`));
  }
  return lines.join("\n");
}

function judgedText({ guarantee, how, sentence, declared }: Judged): string {
  const head =
    declared === undefined
      ? paint.red(`violated: ${guarantee}: ${sentence}`)
      : paint.yellow(`lost, as declared: ${guarantee}: ${sentence}`);
  return `${head}\n  how: ${how}${declared === undefined ? "" : `\n  why: ${declared}`}`;
}

function jsonText(
  spec: RunSpec,
  { struck, events, stuck, trace }: Rerun,
  violations: readonly Judged[],
  withTrace: boolean,
): string {
  return JSON.stringify({
    spec,
    struck,
    events,
    ...(stuck !== undefined && { stuck }),
    violations,
    traceHash: hashTrace(trace),
    ...(withTrace && { trace }),
  });
}
