// Turns what the search found into findings for people: the smallest plan, told and drawn, with the
// token that repeats it.

import { shrink } from "../explore/shrink.js";
import { encodeToken } from "../explore/token.js";
import { drawDiagram } from "../report/diagram.js";
import type { RunSpec } from "../scenarios/scenario.js";
import { SimulationError } from "../virtual-runtime.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { hashTrace, type TraceEvent } from "../world/trace.js";
import { whereInWords } from "./fault-words.js";
import { type GapFault, gapFaultOf, gapOf, labelOf } from "./gaps.js";
import { causeOf, type FindingKind, judgedOf, type Simulation } from "./judges.js";
import type { Resolved } from "./options.js";
import type { RunLog } from "./run-log.js";
import { carryOut, type Ran } from "./runs.js";
import type { Searched } from "./search.js";
import { tellHandlerStory } from "./story.js";
import type { Candidate } from "./tallies.js";

/** Something that goes wrong, in one gap, with the smallest plan that shows it. */
export interface SimulationFinding {
  readonly kind: FindingKind;
  /** The kind and the effect, if there is one: `double charge`, `stuck`. */
  readonly title: string;
  /** The effect that took place twice or never. */
  readonly effect?: string;
  /** The two steps with the gap between them: `charge → save`. */
  readonly gap: string;
  /** The gap and what happened there, in words. */
  readonly where: string;
  /** What was wrong in the end. */
  readonly how: string;
  /** All kinds of faults that show it in this gap; none if it needs no fault. */
  readonly faults: readonly GapFault[];
  readonly plan: FaultPlan;
  /** The run, one line per thing that happened. */
  readonly story: string;
  /** The run as a space-time diagram: SVG, self-contained. */
  readonly diagram: string;
  /** Repeats it: `simulate({ ..., replay: token })`. */
  readonly token: string;
  /** Equal for two runs that went the same. */
  readonly traceHash: string;
  readonly trace: readonly TraceEvent[];
}

/** Makes findings of candidates, the gravest kinds first. */
export async function findingsOf(
  simulation: Simulation,
  resolved: Resolved,
  candidates: readonly Candidate[],
): Promise<readonly SimulationFinding[]> {
  const findings: SimulationFinding[] = [];
  for (const candidate of candidates) {
    const { id, gap, where, faults } = candidate;
    const spec = await smallest(simulation, resolved, candidate);
    const ran = await carryOut(simulation, resolved, spec);
    const how = ran.violations.find(({ guarantee }) => guarantee === id)?.how ?? "";
    const words = causedWhere(where, id, ran);
    findings.push(
      findingOf(ran, resolved, { id, gap, where: words, how, spec, faults: [...faults] }),
    );
  }
  return findings.sort((one, other) => rank(one) - rank(other));
}

const KINDS: readonly FindingKind[] = [
  "neverCalled",
  "double",
  "lost",
  "check",
  "disagree",
  "stuck",
];

/** Kinds in their order; within, what needs fewer faults first. The order is stable beyond. */
function rank({ kind, plan, gap }: SimulationFinding): number {
  if (kind === "stuck" && plan.length === 0 && gap === "no fault") {
    // A handler that fails by itself: all else follows from it.
    return -1;
  }
  return KINDS.indexOf(kind) * 10 + plan.length;
}

async function smallest(
  { scenario }: Simulation,
  { guard }: Resolved,
  { id, spec }: Candidate,
): Promise<RunSpec> {
  if (spec.plan.length < 2) {
    return spec;
  }
  try {
    const found = await shrink(scenario, { spec, how: "" }, id, { world: { guard } });
    return found.spec;
  } catch (error) {
    if (error instanceof SimulationError) {
      return spec;
    }
    throw error;
  }
}

interface Draft {
  readonly id: string;
  readonly gap: string;
  readonly where: string;
  readonly how: string;
  readonly spec: RunSpec;
  readonly faults: readonly GapFault[];
}

function findingOf({ trace }: Ran, resolved: Resolved, draft: Draft): SimulationFinding {
  const { id, spec, ...told } = draft;
  return {
    ...judgedOf(id),
    title: id,
    ...told,
    plan: spec.plan,
    story: tellHandlerStory(trace, Object.keys(resolved.effects)),
    diagram: drawDiagram(trace, { title: `${id}: ${draft.where}` }),
    token: encodeToken(spec),
    traceHash: hashTrace(trace),
    trace,
  };
}

/** Where it went wrong, with what else there is to say of the cause. */
function causedWhere(where: string, id: string, { spec, log }: Ran): string {
  const cause = causeOf(log);
  if (id !== "stuck") {
    return spec.plan.length === 0 ? where + both(id, log) : where;
  }
  if (spec.plan.length > 0) {
    return cause === undefined ? where : `${where}; then ${cause}`;
  }
  if (cause !== undefined) {
    return `it fails ${where}: ${cause}`;
  }
  return log.runs > log.ended.size
    ? `it comes to no end ${where}: it awaits something outside the simulation (real I/O?)`
    : where;
}

/** Which nodes carried the doubled effect out. */
function both(id: string, { effects }: RunLog): string {
  const { kind, effect } = judgedOf(id);
  const own = effects.filter((each) => each.effect === effect);
  const first = own.find(({ key }, at) => own.slice(at + 1).some((other) => other.key === key));
  const by = own
    .filter(({ key }) => key === first?.key)
    .map(({ by: node }) => node)
    .sort();
  return kind === "double" && by.length > 0
    ? `: ${[...new Set(by)].join(" and ")} ${new Set(by).size > 1 ? "both " : ""}reached \`${effect}\``
    : "";
}

/** Repeats one run, and tells it whether or not something is wrong in it. */
export async function replayed(
  simulation: Simulation,
  resolved: Resolved,
  spec: RunSpec,
): Promise<
  Searched & { readonly findings: readonly SimulationFinding[]; readonly run: ReplayedRun }
> {
  const ran = await carryOut(simulation, resolved, spec);
  const { calls } = ran.log;
  const gaps = spec.plan.map((fault) => ({ fault, gap: gapOf(fault, calls, resolved.nodes) }));
  const where = gaps.map(({ fault, gap }) => whereInWords(fault, gap)).join("; then ");
  const findings = ran.violations.map(({ guarantee: id, how }) =>
    findingOf(ran, resolved, {
      id,
      gap: gaps.map(({ gap }) => labelOf(gap)).join(" + ") || "no fault",
      where: causedWhere(where || "without any fault", id, ran),
      how,
      spec,
      faults: spec.plan.map(gapFaultOf),
    }),
  );
  const told = { id: "", gap: "", where: "", how: "", spec, faults: [] };
  const { plan, story, diagram, traceHash, trace } = findingOf(ran, resolved, told);
  return {
    candidates: [],
    gaps: [],
    plans: { none: 0, one: 0, two: 0 },
    complete: { one: false, two: false },
    findings,
    run: { plan, story, diagram, traceHash, trace },
  };
}

/** The run of a token. */
export type ReplayedRun = Pick<
  SimulationFinding,
  "plan" | "story" | "diagram" | "traceHash" | "trace"
>;
