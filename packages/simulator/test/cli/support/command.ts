// Runs the command from sources as a child process.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** Settles when neither it nor any process that it started is left: all share its stderr. */
  readonly ended: Promise<Ended>;
  /** Settles when standard error matches. */
  said(pattern: RegExp): Promise<void>;
}

export function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...inherited } = process.env;
  const tsx = import.meta.resolve("tsx");
  const child = spawn(process.execPath, ["--import", tsx, path("./from-source.ts"), ...args], {
    cwd: path("../../../../../"),
    env: { ...inherited, TSX_TSCONFIG_PATH: path("../../../../../tsconfig.base.json"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
    for (const listener of listeners) {
      listener();
    }
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stderr)) {
            listeners.delete(look);
            resolve();
          }
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${pattern}:\n${stderr}`)));
      }),
  };
}

export const run = (args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  start(args, env).ended;

/** Carries a command line out in this process, which is quicker. It has no worker to start. */
export async function runHere(args: readonly string[]): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      output[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await runProgram(args, { worker: new URL("file:///no-worker"), version: "0.0.0" });
    return { code, ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
