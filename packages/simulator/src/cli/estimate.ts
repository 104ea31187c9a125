// How many plans jobs will carry out, from one run without faults of each workload: what the bar
// measures by. Faults change the calls that a run makes, so it is about right and no more.

import type { Job } from "../explore/explore.js";
import { callsOf, Menus } from "../explore/plans.js";
import { scenarioOf } from "../scenarios/catalogue.js";
import { runScenario } from "../scenarios/run.js";
import type { CallAt } from "../world/fault-plan.js";
import { profileOf } from "../world/profile.js";

export interface Estimator {
  plansOf(job: Job): Promise<number>;
}

export function createEstimator(): Estimator {
  const known = new Map<string, Promise<readonly CallAt[]>>();
  const learn = async ({ scenario, workload, seed }: Job): Promise<readonly CallAt[]> => {
    const found = scenarioOf(scenario);
    const { profiles } = found;
    const profile = profiles.includes("durable") ? "durable" : (profiles[0] ?? "durable");
    try {
      const { trace } = await runScenario(found, { scenario, profile, workload, seed, plan: [] });
      // The workers' messages come first.
      await new Promise((resolve) => void setImmediate(resolve));
      return callsOf(found, trace);
    } catch {
      // The job itself tells what is wrong.
      return [];
    }
  };
  const callsOfJob = (job: Job): Promise<readonly CallAt[]> => {
    const key = `${job.scenario} ${job.workload}`;
    const calls = known.get(key) ?? learn(job);
    known.set(key, calls);
    return calls;
  };
  return {
    async plansOf(job) {
      const { part, oneIn = 1, share: [, of] = [0, 1] } = job;
      if (part.part === "swarm") {
        return Math.ceil(part.plans / of / oneIn);
      }
      const scenario = scenarioOf(job.scenario);
      const workload = scenario.workloads.find(({ id }) => id === job.workload);
      const calls = await callsOfJob(job);
      if (workload === undefined) {
        return 0;
      }
      const menus = new Menus(scenario, profileOf(job.profile), workload);
      const singles = calls.reduce((sum, call) => sum + menus.of(call).length, 0);
      return part.part === "singles"
        ? 1 + Math.ceil(singles / of / oneIn)
        : Math.ceil((singles * singles) / 2 / of / oneIn);
    },
  };
}
