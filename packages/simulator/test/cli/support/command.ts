// Runs the command as a child process.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildProgram } from "@onceproof/test-servers";
import { vi } from "vitest";
import { currentBundle } from "../../../mutants/cache.ts";
import { runProgram } from "../../../src/cli/program.ts";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const PACKAGE = new URL("../../../", import.meta.url);

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

export interface Command {
  start(args: readonly string[], env?: Record<string, string>): Started;
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** A module with a store of one's own, for `--store`. */
  readonly forgetfulStore: string;
  remove(): void;
}

/** The package's command over its sources, laid out as a user gets it. */
export async function buildCommand(): Promise<Command> {
  const program = await buildProgram({
    package: PACKAGE,
    entries: {
      "cli/main": "src/cli/main.ts",
      "cli/worker": "src/cli/worker.ts",
      "forgetful-store": "test/cli/support/forgetful-store.ts",
    },
  });
  cpSync(new URL("bin", PACKAGE), join(program.folder, "bin"), { recursive: true });
  writeFileSync(join(program.folder, "dist/mutants.json"), JSON.stringify(await currentBundle()));
  const bin = join(program.folder, "bin/onceproof.js");
  const start: Command["start"] = (args, env = {}) => startFile(bin, args, env);
  return {
    start,
    run: (args, env) => start(args, env).ended,
    forgetfulStore: program.file("forgetful-store"),
    remove: program.remove,
  };
}

function startFile(file: string, args: readonly string[], env: Record<string, string>): Started {
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [file, ...args], {
    cwd: ROOT,
    env: { ...inherited, ...env },
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
