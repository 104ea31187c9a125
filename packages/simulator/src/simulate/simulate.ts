// `simulate`: the caller's own handler under every fault of one kind and many of two.

import { ArgumentError } from "@onceproof/core/advanced";
import { decodeToken } from "../explore/token.js";
import type { EffectMap, EffectsOption, ServiceMap } from "./context.js";
import { findingsOf, replayed } from "./finding.js";
import { createSimulation, SCENARIO_ID } from "./judges.js";
import type { SimulateOptions } from "./options.js";
import { createReport } from "./report.js";
import type { SimulationReport } from "./report-facts.js";
import { resolveOptions } from "./resolve-options.js";
import { createRunLog } from "./run-log.js";
import { makeReference } from "./runs.js";
import { search } from "./search.js";

/**
 * Runs a handler on simulated nodes while calls are lost, late and repeated and nodes crash and
 * pause, and tells which gaps between its `await`s allow a double or a lost effect.
 *
 * Guarantee: every plan of one fault is tried where the budget allows it (`report.complete.one`);
 * the same options give the same report. It finds bugs, and proves nothing beyond the plans tried.
 * Cost: no real time passes; about a millisecond of computing for each plan.
 * Fails: ArgumentError for bad options, before anything runs; NondeterminismError when the handler
 * reaches for real time or randomness; SimulationError when a run does not repeat.
 */
export async function simulate<
  const E extends EffectsOption = EffectMap,
  S extends ServiceMap = Readonly<Record<never, object>>,
  R = { readonly id: string },
  L = undefined,
>(options: SimulateOptions<R, S, E, L>): Promise<SimulationReport> {
  const resolved = resolveOptions(options);
  const { replay, seed } = resolved;
  const spec = replay === undefined ? undefined : decodeToken(replay);
  const simulation = createSimulation(resolved, createRunLog);
  if (spec !== undefined && spec.scenario !== SCENARIO_ID) {
    throw new ArgumentError(
      "optionInvalid",
      `replay: this token is of ${spec.scenario}, not of simulate: use \`onceproof replay\``,
    );
  }
  await makeReference(simulation, resolved);
  if (spec !== undefined) {
    return createReport({ seed, ...(await replayed(simulation, resolved, spec)) });
  }
  const searched = await search(simulation, resolved);
  const findings = await findingsOf(simulation, resolved, searched.candidates);
  return createReport({ seed, ...searched, findings });
}
