// `onceproof mutants`: hunts every broken variant of core, and core as it is in the same way.

import { beyond, type Hunt, scenariosFor } from "../explore/mutants.js";
import { encodeToken } from "../explore/token.js";
import { loadMutants, type Mutant } from "../mutants/index.js";
import { describePlan } from "../report/story.js";
import { counted, grouped } from "../report/words.js";
import { SCENARIOS } from "../scenarios/catalogue.js";
import { INTERRUPTED, onInterrupt } from "./interrupt.js";
import { checkOutputs, writeResult } from "./output-file.js";
import { type Ended, openPool, type Pool } from "./pool.js";
import { startProgress } from "./progress.js";
import { duration, paint, paintError, print, printError } from "./terminal.js";
import { UsageError } from "./usage-error.js";

export interface MutantsOptions {
  readonly only?: string;
  readonly jobs: number;
  readonly seed: number;
  readonly budget: number;
  readonly json?: string | true;
  readonly list?: boolean;
}

/** What became of one variant. */
interface Verdict {
  /** The mutant's id, or the algorithm that core as it is was tried with. */
  readonly id: string;
  readonly guarantee: string;
  readonly verdict: "killed" | "survived" | "notFlagged" | "flagged" | "beyond" | "open" | "error";
  readonly plans: number;
  readonly ms: number;
  /** What gave it away, and the smallest run that does. */
  readonly by?: string;
  readonly how?: string;
  readonly plan?: string;
  readonly token?: string;
}

/** A variant on which a worker falls silent for so long hangs. */
const SILENCE_MS = 15_000;

/** Carries the command out; returns the exit code. */
export async function mutants(worker: URL, options: MutantsOptions): Promise<number> {
  const { hunted, left } = choose(await loadMutants(), options.only);
  if (options.list === true) {
    list(hunted, left);
    return 0;
  }
  if (hunted.length === 0) {
    throw new UsageError("all of these are beyond the simulator: `--list` says why");
  }
  checkOutputs(options);
  const startedMs = performance.now();
  const pool = openPool({ worker, jobs: options.jobs, silenceMs: SILENCE_MS });
  const interrupt = onInterrupt(pool.stop, pool.kill);
  try {
    const verdicts = await huntAll(pool, hunted, options);
    const ms = performance.now() - startedMs;
    report(verdicts, options, { left: left.length, interrupted: interrupt.happened, ms });
    const bad = verdicts.some(({ verdict }) => FAILED.has(verdict));
    return interrupt.happened ? INTERRUPTED : bad ? 1 : 0;
  } finally {
    await pool.close();
    interrupt.dispose();
  }
}

const FAILED: ReadonlySet<Verdict["verdict"]> = new Set(["survived", "flagged", "error"]);

interface Choice {
  readonly hunted: readonly Mutant[];
  /** Chosen, but beyond the simulator: those are hunted only by their full id. */
  readonly left: readonly Mutant[];
}

function choose(all: readonly Mutant[], only = ""): Choice {
  const prefixes = only.split(",").filter((prefix) => prefix !== "");
  const chosen = all.filter(
    ({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)),
  );
  if (chosen.length === 0) {
    throw new UsageError(
      `no mutant's id begins with ${only}: try dedup/ or lock/, or \`onceproof mutants --list\``,
    );
  }
  const isLeft = ({ id }: Mutant): boolean => beyond[id] !== undefined && !prefixes.includes(id);
  return { hunted: chosen.filter((each) => !isLeft(each)), left: chosen.filter(isLeft) };
}

function list(hunted: readonly Mutant[], left: readonly Mutant[]): void {
  for (const { id, guarantee } of [...hunted, ...left]) {
    const why = beyond[id];
    print(`${paint.bold(id)}: ${guarantee}`);
    if (why !== undefined) {
      print(`  ${paint.yellow("beyond the simulator")}: ${why}`);
    }
  }
  print(`\n${counted(hunted.length + left.length, "mutant")}, ${left.length} beyond the simulator`);
}

async function huntAll(
  pool: Pool,
  chosen: readonly Mutant[],
  options: MutantsOptions,
): Promise<readonly Verdict[]> {
  const progress = startProgress("variants");
  const correct = [...new Set(chosen.map((mutant) => scenarioIds(mutant).join()))].map((ids) =>
    one(pool, options, { ids: ids.split(",") }),
  );
  const broken = chosen.map((mutant) => one(pool, options, { ids: scenarioIds(mutant), mutant }));
  const all = [...correct, ...broken];
  let done = 0;
  for (const each of all) {
    void each.then(() => {
      done += 1;
      progress.update(done, all.length);
    });
  }
  const verdicts = await Promise.all(all);
  progress.end();
  return verdicts;
}

const scenarioIds = ({ id, file }: Mutant): readonly string[] =>
  scenariosFor(id, SCENARIOS, file).map((scenario) => scenario.id);

async function one(
  pool: Pool,
  { seed, budget }: MutantsOptions,
  { ids, mutant }: { readonly ids: readonly string[]; readonly mutant?: Mutant },
): Promise<Verdict> {
  let begunMs: number | undefined;
  let plans = 0;
  const named = mutant === undefined ? {} : { mutant: mutant.id };
  const task = { task: "hunt", scenarios: ids, seed, budget, ...named } as const;
  const ended = await pool.run(task, (count) => {
    begunMs ??= performance.now();
    plans = count;
  });
  const ms = begunMs === undefined ? 0 : performance.now() - begunMs;
  return verdictOn(ended, { ids, plans, ms, ...(mutant !== undefined && { mutant }) });
}

interface Hunted {
  readonly ids: readonly string[];
  readonly mutant?: Mutant;
  readonly plans: number;
  readonly ms: number;
}

function verdictOn(ended: Ended<Hunt>, { ids, mutant, plans, ms }: Hunted): Verdict {
  const id = mutant?.id ?? `core as it is, in ${ids.join(", ")}`;
  const guarantee = mutant?.guarantee ?? "every guarantee";
  const base = { id, guarantee, plans, ms };
  if (ended.end === "notBegun") {
    return { ...base, verdict: "open" };
  }
  if (ended.end === "failed") {
    // A hang is a lost guarantee of progress; there is no run to show.
    return ended.silent === true && mutant !== undefined
      ? { ...base, verdict: "killed", by: "silence", how: ended.message }
      : { ...base, verdict: "error", how: ended.message };
  }
  const { killed, stopped } = ended.answer;
  const tried = { ...base, plans: ended.answer.plans };
  if (killed === undefined) {
    const kept = mutant === undefined ? "notFlagged" : "survived";
    return { ...tried, verdict: stopped === true ? "open" : kept };
  }
  return {
    ...tried,
    verdict: mutant === undefined ? "flagged" : "killed",
    by: killed.guarantee ?? killed.by,
    how: killed.how,
    plan: describePlan(killed.spec.plan),
    token: encodeToken(killed.spec),
  };
}

interface Totals {
  /** How many of the chosen are beyond the simulator. */
  readonly left: number;
  readonly interrupted: boolean;
  readonly ms: number;
}

function report(
  verdicts: readonly Verdict[],
  { json, seed }: MutantsOptions,
  totals: Totals,
): void {
  if (json !== undefined) {
    const text = JSON.stringify({
      format: "onceproof-mutants",
      version: 1,
      seed,
      verdicts,
      beyond,
    });
    writeResult(json, text);
  }
  const say = json === true ? printError : print;
  for (const verdict of verdicts) {
    say(verdictText(verdict));
  }
  say(summary(verdicts, totals));
}

function verdictText({ id, guarantee, verdict, plans, ms, by, how, plan, token }: Verdict): string {
  const tried = `${grouped(plans)} plans, ${duration(ms)}`;
  switch (verdict) {
    case "killed":
      return [
        `${paint.green("killed")}   ${paint.bold(id)}: ${guarantee} ${paint.dim(`(${tried})`)}`,
        `         by ${by}: ${how}`,
        ...(plan === undefined ? [] : [`         ${paint.dim(`plan: ${plan}`)}`]),
      ].join("\n");
    case "survived":
      return `${paint.red("SURVIVED")} ${paint.bold(id)}: ${guarantee} (${tried})`;
    case "flagged":
      return [
        `${paint.red("FLAGGED")}  ${paint.bold(id)}: a violation that nobody planted (${tried})`,
        `         by ${by}: ${how}`,
        `         plan: ${plan}`,
        `         onceproof replay ${token}`,
      ].join("\n");
    case "error":
      return `${paintError.red("ERROR")}    ${paint.bold(id)}: ${how}`;
    case "notFlagged":
      return `${paint.green("correct")}  ${id} ${paint.dim(`(${tried})`)}`;
    default:
      return `${paint.yellow("open")}     ${id}: not tried to the end`;
  }
}

function beyondText(count: number): readonly string[] {
  return count === 0
    ? []
    : [
        `${count} more ${count === 1 ? "is" : "are"} beyond the simulator ` +
          "(they need particular inputs; `--list` says why)",
      ];
}

function summary(verdicts: readonly Verdict[], { left, interrupted, ms }: Totals): string {
  const count = (verdict: Verdict["verdict"]): number =>
    verdicts.filter((each) => each.verdict === verdict).length;
  const hunted = verdicts.filter(({ verdict }) => ["killed", "survived", "open"].includes(verdict));
  const plans = verdicts.reduce((sum, each) => sum + each.plans, 0);
  const parts = [
    `${count("killed")} of ${hunted.length} mutants killed`,
    `core as it is ${count("flagged") === 0 ? `never flagged${count("open") > 0 ? " in what ran" : ""}` : "FLAGGED"}`,
    ...(count("open") > 0 ? [`${count("open")} not tried to the end`] : []),
    ...(count("error") > 0 ? [`${count("error")} errors`] : []),
    `${grouped(plans)} plans in ${duration(ms)}`,
  ];
  const early = interrupted ? "interrupted: " : "";
  return `\n${early}${[parts.join(", "), ...beyondText(left)].join("; ")}`;
}
