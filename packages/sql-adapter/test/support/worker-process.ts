// Starts a worker of this folder as a process of its own, and hears what it tells line by line.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Worker {
  readonly process: ChildProcess;
  /** The lines told so far. */
  readonly lines: string[];
  /** Resolves once so many lines were told, or the process has ended. */
  told(count: number): Promise<void>;
  /** Resolves when the process has ended and all its lines were heard. */
  readonly ended: Promise<void>;
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));

export function startWorker(script: string, args: readonly string[]): Worker {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    cwd: root,
    env: { ...process.env, TSX_TSCONFIG_PATH: `${root}tsconfig.base.json` },
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
