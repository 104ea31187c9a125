// What a client process and the process that started it tell each other.

export interface WorkerOptions {
  readonly store: string;
  readonly name: string;
  readonly seed: number;
  readonly folder: string;
  readonly originNs: string;
  /** Of the proxy in front of the server. */
  readonly port: number;
  readonly sinkPort: number;
  readonly space: string;
  readonly connections: number;
  readonly operationTimeoutMs: number;
  readonly tombstoneMs: number;
  readonly broken: string | undefined;
}

export type ToWorker =
  | { readonly type: "clock" }
  | { readonly type: "start"; readonly options: WorkerOptions }
  | { readonly type: "finish" };

export type FromWorker =
  | { readonly type: "clock"; readonly ns: string }
  | { readonly type: "started" }
  /** Store calls that have settled since the last such message. */
  | { readonly type: "calls"; readonly count: number }
  | { readonly type: "finished" };
