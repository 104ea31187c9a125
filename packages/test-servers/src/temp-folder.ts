// Private data folders, named after the process that owns them so that a later run can remove
// those whose owner was killed before it could.
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onExit } from "./exit-cleanup.js";
import type { User } from "./unprivileged.js";

const PREFIX = "onceproof-";

let swept = false;

/** Creates a folder that `user` owns. */
export function makeFolder(name: string, user: User | "self"): string {
  if (!swept) removeAbandoned();
  swept = true;
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${name}-${process.pid}-`));
  if (user !== "self") chownSync(folder, user.uid, user.gid);
  return folder;
}

/** A private folder, removed at the latest when this process ends. */
export interface TestFolder {
  readonly path: string;
  remove(): void;
}

/** Creates a folder for what needs no server, such as a database in a file. */
export function makeTestFolder(name: string): TestFolder {
  const path = makeFolder(name, "self");
  const withdraw = onExit(() => removeFolder(path));
  return {
    path,
    remove() {
      withdraw();
      removeFolder(path);
    },
  };
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^onceproof-[a-z]+-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    try {
      removeFolder(join(tmpdir(), name));
    } catch {
      // Another user's: not ours to remove.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
