// What the program needs to know of a run, wherever it takes place.

import type { Row } from "./run.js";
import type { Stage } from "./world/stage.js";

export interface RunState {
  readonly stage: Stage;
  readonly seed: number;
  /** What earlier starts of this run have found, by name. */
  readonly done: ReadonlyMap<string, Row>;
  record(row: Row): void;
  /** The table is printed: the next start begins a new run. */
  finish(): void;
  close(): Promise<void>;
}
