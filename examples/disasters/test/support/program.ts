// The program as JavaScript, so that it starts in a moment: a test that kills it 50 times has to start
// it 50 times.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { buildProgram as build, type ProgramSources } from "@onceproof/test-servers";

export interface Ended {
  /** null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Program {
  /** With these environment variables instead of those that forbid colours. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Ends what still runs, and removes its files. */
  remove(): Promise<void>;
}

/** Sources that read themselves, or files beside them, find them where they are. */
const inPlace: NonNullable<ProgramSources["plugins"]>[number] = {
  name: "in place",
  setup({ onLoad }) {
    onLoad({ filter: /\/examples\/disasters\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
};

export async function buildProgram(): Promise<Program> {
  const built = await build({
    package: new URL("../../", import.meta.url),
    entries: { main: "src/main.ts" },
    plugins: [inPlace],
  });
  const running = new Set<Started>();
  return {
    start(args, env = { NO_COLOR: "1" }) {
      const { FORCE_COLOR: _, NO_COLOR: __, COLUMNS: ___, ...inherited } = process.env;
      const child = spawn(process.execPath, [built.file("main"), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...inherited, ...env },
      });
      const started = { process: child, ended: endOf(child) };
      running.add(started);
      started.ended.finally(() => running.delete(started));
      return started;
    },
    async remove() {
      for (const { process } of running) {
        process.kill("SIGKILL");
      }
      await Promise.all([...running].map(({ ended }) => ended));
      built.remove();
    },
  };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}
