// Worker processes: each does one task at a time. What dies or falls silent is reported, and replaced.

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answers, FromWorker, Task, ToWorker } from "./protocol.js";

/** How a task ended. */
export type Ended<A> =
  | { readonly end: "done"; readonly answer: A }
  /** The task threw, or its process died. `silent` if it was ended for giving no sign of life. */
  | { readonly end: "failed"; readonly message: string; readonly silent?: boolean }
  /** The pool was stopped before the task began. */
  | { readonly end: "notBegun" };

export interface PoolOptions {
  /** The file that a worker process runs. */
  readonly worker: URL;
  readonly jobs: number;
  /** A worker that says nothing for so long is ended. @defaultValue 60_000 */
  readonly silenceMs?: number;
  /** After a stop, tasks have so long to answer. @defaultValue 2_000 */
  readonly graceMs?: number;
}

export interface Pool {
  /** Does a task once a worker is free; `onPlans` is told the plans that it carried out so far. */
  run<T extends Task>(
    task: T,
    onPlans?: (plans: number) => void,
  ): Promise<Ended<Answers[T["task"]]>>;
  /** Drops the tasks that wait and asks the running ones to end early; later tasks are done. */
  halt(): void;
  /** As `halt`, and begins no more tasks. */
  stop(): void;
  /** Ends all workers; settles when none is left. */
  close(): Promise<void>;
  /** Ends all workers at once. */
  kill(): void;
}

interface Waiting {
  readonly task: Task;
  readonly onPlans: (plans: number) => void;
  readonly settle: (ended: Ended<never>) => void;
}

interface Worker {
  readonly child: ChildProcess;
  readonly gone: Promise<void>;
  ready: boolean;
  busy?: Waiting & { readonly id: number };
  silent: boolean;
  heardMs: number;
}

/** A process that starts, perhaps on a busy machine, says nothing until it is ready. */
const START_MS = 60_000;
// Garbage of short runs: a larger young generation is collected far less often.
const SEMI_SPACE_MB = 64;

export function openPool(options: PoolOptions): Pool {
  const { worker: file, jobs, silenceMs = 60_000, graceMs = 2_000 } = options;
  const workers = new Set<Worker>();
  const waiting: Waiting[] = [];
  let nextId = 1;
  let stopped = false;
  let broken: string | undefined;

  const tell = (worker: Worker, message: ToWorker): void => {
    // A worker that died meanwhile is told of by its exit.
    worker.child.send(message, () => {});
  };

  const feed = (): void => {
    for (const worker of workers) {
      if (worker.ready && worker.busy === undefined) {
        const next = waiting.shift();
        if (next === undefined) {
          return;
        }
        worker.busy = { ...next, id: nextId };
        worker.heardMs = performance.now();
        tell(worker, { say: "do", id: nextId, task: next.task });
        nextId += 1;
      }
    }
    let idle = [...workers].filter(({ busy }) => busy === undefined).length;
    while (!stopped && workers.size < jobs && idle < waiting.length) {
      hire();
      idle += 1;
    }
  };

  const hear = (worker: Worker, message: FromWorker): void => {
    worker.heardMs = performance.now();
    if (message.say === "ready") {
      worker.ready = true;
      feed();
      return;
    }
    const { busy } = worker;
    if (busy === undefined || busy.id !== message.id) {
      return;
    }
    if (message.say === "plans") {
      busy.onPlans(message.plans);
      return;
    }
    delete worker.busy;
    busy.settle(
      message.say === "done"
        ? { end: "done", answer: message.answer as never }
        : { end: "failed", message: message.message },
    );
    feed();
  };

  const lose = (worker: Worker, how: string): void => {
    workers.delete(worker);
    const message = worker.silent
      ? `a worker gave no sign of life for ${silenceMs / 1000} s and was ended`
      : `a worker process died (${how})`;
    worker.busy?.settle({ end: "failed", message, ...(worker.silent && { silent: true }) });
    if (!worker.ready) {
      // The next would not start either.
      broken = `${message} before it was ready`;
    }
    if (broken !== undefined) {
      for (const { settle } of waiting.splice(0)) {
        settle({ end: "failed", message: broken });
      }
    } else {
      feed();
    }
  };

  const hire = (): void => {
    const child = fork(fileURLToPath(file), [], {
      execArgv: [...process.execArgv, `--max-semi-space-size=${SEMI_SPACE_MB}`],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const { promise: gone, resolve } = withResolvers();
    const worker: Worker = { child, gone, ready: false, silent: false, heardMs: performance.now() };
    workers.add(worker);
    child.on("message", (message: FromWorker) => hear(worker, message));
    const ended = (how: string): void => {
      if (workers.has(worker)) {
        lose(worker, how);
      }
      resolve();
    };
    child.once("error", (error) => ended(error.message));
    child.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  };

  const watch = setInterval(
    () => {
      for (const worker of workers) {
        const working = worker.busy !== undefined || !worker.ready;
        const patienceMs = worker.ready ? silenceMs : Math.max(silenceMs, START_MS);
        if (working && performance.now() - worker.heardMs > patienceMs) {
          worker.silent = true;
          worker.child.kill("SIGKILL");
        }
      }
    },
    Math.min(1_000, silenceMs),
  );
  watch.unref();

  const kill = (): void => {
    for (const { child } of workers) {
      child.kill("SIGKILL");
    }
  };

  const halt = (): void => {
    for (const { settle } of waiting.splice(0)) {
      settle({ end: "notBegun" });
    }
    const asked = [...workers].map((worker) => ({ worker, id: worker.busy?.id }));
    for (const { worker } of asked) {
      tell(worker, { say: "stop" });
    }
    const late = setTimeout(() => {
      for (const { worker, id } of asked) {
        if (id !== undefined && worker.busy?.id === id) {
          worker.child.kill("SIGKILL");
        }
      }
    }, graceMs);
    late.unref();
  };

  return {
    run: (task, onPlans = () => {}) =>
      new Promise((resolve) => {
        if (stopped) {
          resolve({ end: "notBegun" });
        } else if (broken !== undefined) {
          resolve({ end: "failed", message: broken });
        } else {
          waiting.push({ task, onPlans, settle: resolve });
          feed();
        }
      }),
    halt,
    stop() {
      stopped = true;
      halt();
    },
    async close() {
      stopped = true;
      clearInterval(watch);
      const all = [...workers];
      for (const { child } of all) {
        if (child.connected) {
          child.disconnect();
        }
      }
      const late = setTimeout(kill, graceMs);
      await Promise.all(all.map(({ gone }) => gone));
      clearTimeout(late);
    },
    kill,
  };
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
