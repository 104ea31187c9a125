// What a client process and the process that started it tell each other.
import type { Place } from "../stores/store-kind.js";

export interface WorkerOptions {
  readonly store: string;
  readonly name: string;
  readonly seed: number;
  readonly folder: string;
  readonly originNs: string;
  /** Of the proxy in front of the server, where there is one. */
  readonly place: Place;
  readonly sinkPort: number;
  readonly space: string;
  readonly connections: number;
  readonly operationTimeoutMs: number;
  readonly tombstoneMs: number;
  readonly broken: string | undefined;
  readonly workloads: readonly string[] | undefined;
}

export type ToWorker =
  | { readonly type: "clock" }
  | { readonly type: "start"; readonly options: WorkerOptions }
  | { readonly type: "finish" }
  | { readonly type: "close" };

export type FromWorker =
  | { readonly type: "clock"; readonly ns: string }
  | { readonly type: "started" }
  /** Store calls that have settled since the last such message. */
  | { readonly type: "calls"; readonly count: number }
  /** Every loop has ended; the connections are open. */
  | { readonly type: "finished" };
