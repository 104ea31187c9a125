// The files that a command writes: looked at before it begins, so that a long run is not lost to a
// path that cannot be written.

import { accessSync, constants, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { print, printError } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Options that name a file, or are true for standard output. */
export interface Outputs {
  readonly json?: string | boolean;
  readonly html?: string;
  readonly markdown?: string;
}

/** Fails: UsageError if a file that is asked for is a folder or cannot be written. */
export function checkOutputs({ json, html, markdown }: Outputs): void {
  for (const [option, path] of Object.entries({ json, html, markdown })) {
    if (typeof path === "string") {
      const wrong = wrongWith(path);
      if (wrong !== undefined) {
        throw new UsageError(`--${option} ${path} cannot be written: ${wrong}`);
      }
    }
  }
}

function wrongWith(path: string): string | undefined {
  const found = kindOf(path);
  if (found === "folder") {
    return "it is a folder: name a file in it";
  }
  if (found === "file") {
    return isWritable(path) ? undefined : "it may not be written by you";
  }
  // The folders that are missing will be made.
  let folder = dirname(resolve(path));
  while (kindOf(folder) === undefined && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return kindOf(folder) === "folder" && isWritable(folder)
    ? undefined
    : `${folder} is no folder that you may write to`;
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes a text to a file, whose folder is made if need be, or to standard output. */
export function writeResult(to: string | true, text: string): void {
  if (to === true) {
    print(text);
    return;
  }
  try {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, `${text}\n`);
  } catch (error) {
    throw new UsageError(`${to} cannot be written: ${(error as Error).message}`);
  }
  printError(`written: ${to}`);
}
