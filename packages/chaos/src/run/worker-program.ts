// The client program as one file, made once for a run: to start it then costs a fraction of what it
// costs to translate every source again in each process, and processes are started all the time.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ENTRY = fileURLToPath(new URL("../worker/main.ts", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../../tsconfig.base.json", import.meta.url));
/** Within the package, so that the program finds the drivers that it names. */
const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** Loaded as they are: some are no modules, or not in JavaScript. */
const DRIVERS = ["ioredis", "redis", "pg", "mysql2", "mariadb", "libsql"];

export interface WorkerProgram {
  readonly file: string;
  remove(): void;
}

/** Makes the client program of one run. */
export async function buildWorkerProgram(): Promise<WorkerProgram> {
  const folder = join(FOLDER, `chaos-${process.pid}-${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  await build({
    entryPoints: { worker: ENTRY },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    ...{ bundle: true, splitting: true, platform: "node", format: "esm", target: "node20" },
    external: DRIVERS.flatMap((driver) => [driver, `${driver}/*`]),
    // Under tsx this names the built packages, else the sources.
    tsconfig: process.env.TSX_TSCONFIG_PATH ?? SOURCES,
    sourcemap: "inline",
    logLevel: "error",
  });
  return {
    file: join(folder, "worker.mjs"),
    remove() {
      process.removeListener("exit", remove);
      remove();
    },
  };
}
