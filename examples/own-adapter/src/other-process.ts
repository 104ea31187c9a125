// A second process on the same files: what an embedded store has in place of a server. It is a client
// like the first, and it can hold LMDB's write lock, so that nobody else writes.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type AtomicStore,
  type Observation,
  StoreError,
  type WriteResult,
} from "@onceproof/core/advanced";
import type { Answer, At, Call, Request } from "./serve.js";

const PROGRAM = fileURLToPath(new URL("./serve.ts", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../tsconfig.base.json", import.meta.url));

export interface OtherProcess {
  /** A client like `store`, in that process. */
  client(store: AtomicStore, at: () => At): AtomicStore;
  /** From now on nobody can write to the file; what is returned ends that. */
  holdWriteLock(folder: string): Promise<() => Promise<void>>;
  /** Closes the file there. */
  forget(folder: string): Promise<void>;
  /** Kills it, without a warning, and starts another. */
  killAndStart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the process with the first call that needs it. */
export function startOtherProcess(): OtherProcess {
  let child: ChildProcess | undefined;
  let calls = 0;
  const waiting = new Map<number, (answer: Answer) => void>();

  function start(): ChildProcess {
    const started = fork(PROGRAM, {
      execArgv: ["--import", import.meta.resolve("tsx")],
      // Under tsx itself this names the built packages; under a test runner the sources.
      env: { TSX_TSCONFIG_PATH: SOURCES, ...process.env },
      stdio: ["pipe", "pipe", "inherit", "ipc"],
      serialization: "advanced",
    });
    started.on("message", (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
    return started;
  }

  function ask(call: Call): Promise<unknown> {
    child ??= start();
    calls += 1;
    const request: Request = { ...call, id: calls };
    return new Promise((resolve, reject) => {
      waiting.set(request.id, ({ result, error }) => {
        if (error === undefined) {
          resolve(result);
        } else {
          reject(new StoreError(error.code, error.message));
        }
      });
      child?.send(request);
    });
  }

  async function kill(): Promise<void> {
    const killed = child;
    child = undefined;
    if (killed !== undefined) {
      const exited = once(killed, "exit");
      killed.kill("SIGKILL");
      await exited;
    }
  }

  return {
    client: ({ capabilities }, at) => ({
      capabilities,
      read: async (key) => (await ask({ ...at(), call: "read", key })) as Observation,
      write: async (write) => (await ask({ ...at(), call: "write", write })) as WriteResult,
      async close() {},
    }),
    async holdWriteLock(folder) {
      const released = ask({ call: "hold", folder });
      await once(child?.stdout as Readable, "data");
      return async () => {
        child?.stdin?.write("x");
        await released;
      };
    },
    forget: async (folder) => void (await ask({ call: "forget", folder })),
    killAndStart: kill,
    stop: kill,
  };
}
