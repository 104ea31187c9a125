// Starts the command in this process.

import { readFileSync } from "node:fs";
import { runProgram } from "./program.js";
import { paintError, printError } from "./terminal.js";

/** Carries out the command line of this process and sets its exit code. */
export function start(args: readonly string[] = process.argv.slice(2)): void {
  // From sources this file and the worker's are TypeScript.
  const name = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js";
  const manifest = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  endQuietlyWhenNobodyReads();
  runProgram(args, { worker: new URL(name, import.meta.url), version }).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error) => {
      printError(
        paintError.red(error instanceof Error ? (error.stack ?? error.message) : `${error}`),
      );
      process.exitCode = 1;
    },
  );
}

/** `onceproof … | head` closes the pipe. */
function endQuietlyWhenNobodyReads(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") {
      process.exit(0);
    }
    throw error;
  });
}
