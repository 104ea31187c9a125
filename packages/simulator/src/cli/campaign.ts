// Carries out jobs in worker processes and gathers their results, until all are done, the time is up
// or somebody interrupts.

import type { Job, JobResult } from "../explore/explore.js";
import { createEstimator } from "./estimate.js";
import type { Pool } from "./pool.js";
import { startProgress } from "./progress.js";

export interface Campaign {
  readonly results: readonly JobResult[];
  /** Jobs that gave no result, with the reason. */
  readonly errors: readonly string[];
  /** Jobs that were not begun, or ended early. */
  readonly left: readonly Job[];
  readonly plans: number;
  readonly estimate: number;
}

const UPDATE_EVERY_MS = 200;

export async function carryOut(
  pool: Pool,
  jobs: readonly Job[],
  variant: { readonly mutant?: string; readonly store?: string } = {},
): Promise<Campaign> {
  const progress = startProgress("plans");
  const estimates = jobs.map(() => 0);
  const plans = jobs.map(() => 0);
  let estimated = false;
  const update = (): void => progress.update(sum(plans), estimated ? sum(estimates) : undefined);
  const results: JobResult[] = [];
  const errors: string[] = [];
  const left: Job[] = [];
  const one = async (job: Job, at: number): Promise<void> => {
    const task = { task: "explore", job, ...variant } as const;
    const ended = await pool.run(task, (count) => {
      plans[at] = count;
    });
    if (ended.end === "done") {
      const { answer } = ended;
      results.push(answer);
      plans[at] = answer.runs;
      if (answer.stopped === true) {
        left.push(job);
      } else {
        estimates[at] = answer.runs;
      }
    } else if (ended.end === "notBegun") {
      left.push(job);
    } else {
      errors.push(`${describeJob(job)}: ${ended.message}`);
    }
  };
  const timer = setInterval(update, UPDATE_EVERY_MS);
  const all = jobs.map(one);
  const estimator = createEstimator();
  const settled = new Set<number>();
  all.forEach((done, at) => void done.then(() => settled.add(at)));
  for (const [at, job] of jobs.entries()) {
    if (left.length > 0) {
      // Stopped: nobody waits for estimates any more.
      break;
    }
    const estimate = await estimator.plansOf(job);
    if (!settled.has(at) || estimates[at] === 0) {
      estimates[at] = estimate;
    }
  }
  estimated = true;
  await Promise.all(all);
  clearInterval(timer);
  progress.end();
  return { results, errors, left, plans: sum(plans), estimate: sum(estimates) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** `pairs 3/8 of dedup/park double-click on durable`. */
export function describeJob({ scenario, profile, workload, part, share }: Job): string {
  const of = share === undefined ? "" : ` ${share[0] + 1}/${share[1]}`;
  return `${part.part}${of} of ${scenario} ${workload} on ${profile}`;
}
