// The program as one file, so that it starts in a moment: a test that kills it 50 times has to start
// it 50 times. Built of the sources, like everything that is tested.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

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
  /** Ends what still runs, and removes the file. */
  remove(): Promise<void>;
}

/** Sources that read themselves, or files beside them, find them where they are. */
const inPlace: Plugin = {
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
  // Below this example, since its dependencies are looked up from there.
  const folder = here("../../.state/");
  await mkdir(folder, { recursive: true });
  const own = await mkdtemp(join(folder, "program-"));
  const outfile = join(own, "main.mjs");
  const { dependencies } = JSON.parse(await readFile(here("../../package.json"), "utf8"));
  const packages = here("../../../../packages/");
  await build({
    entryPoints: [here("../../src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: Object.keys(dependencies).filter((name) => !name.startsWith("@onceproof/")),
    alias: {
      "@onceproof/core/advanced": `${packages}core/src/advanced.ts`,
      "@onceproof/core": `${packages}core/src/index.ts`,
      "@onceproof/redis-adapter": `${packages}redis-adapter/src/index.ts`,
      "@onceproof/sql-adapter": `${packages}sql-adapter/src/index.ts`,
      "@onceproof/simulator": `${packages}simulator/src/index.ts`,
    },
    plugins: [inPlace],
    logLevel: "error",
  });
  const running = new Set<Started>();
  return {
    start(args, env = { NO_COLOR: "1" }) {
      const { FORCE_COLOR: _, NO_COLOR: __, COLUMNS: ___, ...inherited } = process.env;
      const child = spawn(process.execPath, [outfile, ...args], {
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
      await rm(own, { recursive: true, force: true });
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
