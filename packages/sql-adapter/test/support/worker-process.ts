// Starts the workers of this folder as processes of their own, and hears what they tell line by line.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { buildProgram } from "@onceproof/test-servers";

export interface Worker {
  readonly process: ChildProcess;
  /** The lines told so far. */
  readonly lines: string[];
  /** Resolves once so many lines were told, or the process has ended. */
  told(count: number): Promise<void>;
  /** Resolves when the process has ended and all its lines were heard. */
  readonly ended: Promise<void>;
}

export interface Workers {
  start(name: "sqlite-opener" | "sqlite-worker", args: readonly string[]): Worker;
  /** Ends those that still run. */
  end(): Promise<void>;
  remove(): void;
}

export async function buildWorkers(): Promise<Workers> {
  const program = await buildProgram({
    package: new URL("../../", import.meta.url),
    entries: {
      "sqlite-opener": "test/support/sqlite-opener.ts",
      "sqlite-worker": "test/support/sqlite-worker.ts",
    },
  });
  let running: Worker[] = [];
  return {
    start(name, args) {
      const worker = startWorker(program.file(name), args);
      running.push(worker);
      return worker;
    },
    async end() {
      for (const worker of running) worker.process.kill("SIGKILL");
      await Promise.all(running.map(({ ended }) => ended));
      running = [];
    },
    remove: program.remove,
  };
}

function startWorker(file: string, args: readonly string[]): Worker {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on("line", (line) => lines.push(line));
  const ended = Promise.all([once(reader, "close"), once(child, "exit")]).then(() => {});
  return {
    process: child,
    lines,
    ended,
    async told(count) {
      while (lines.length < count) {
        const line = once(reader, "line").then(() => true);
        if (!(await Promise.race([line, ended.then(() => false)]))) return;
      }
    },
  };
}
