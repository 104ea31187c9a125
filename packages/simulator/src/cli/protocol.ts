// What the command and its worker processes say to each other. All of it is plain data.

import type { Job, JobResult } from "../explore/explore.js";
import type { Hunt } from "../explore/mutants.js";
import type { Found } from "../explore/tally.js";

/** One piece of work. */
export type Task =
  | {
      readonly task: "explore";
      readonly job: Job;
      readonly mutant?: string;
      /** The module of a store of the user's own. */
      readonly store?: string;
    }
  | {
      readonly task: "shrink";
      readonly found: Found;
      readonly guarantee: string;
      readonly store?: string;
    }
  | {
      readonly task: "hunt";
      /** Absent: core as it is. */
      readonly mutant?: string;
      readonly scenarios: readonly string[];
      readonly seed: number;
      readonly budget: number;
    };

/** What each task answers. */
export interface Answers {
  readonly explore: JobResult;
  readonly shrink: Found;
  readonly hunt: Hunt;
}

export type ToWorker =
  | { readonly say: "do"; readonly id: number; readonly task: Task }
  /** End the task soon and answer with what there is. */
  | { readonly say: "stop" };

export type FromWorker =
  | { readonly say: "ready" }
  /** Plans carried out in this task so far; also the sign of life. */
  | { readonly say: "plans"; readonly id: number; readonly plans: number }
  | { readonly say: "done"; readonly id: number; readonly answer: Answers[Task["task"]] }
  | { readonly say: "failed"; readonly id: number; readonly message: string };
