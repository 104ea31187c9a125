// Folders outside the tree that are gone when their work is done, also after Ctrl-C.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set();
let listening = false;

/**
 * Runs `work` with a new empty folder, and removes it.
 *
 * @template T
 * @param {string} name
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withTempFolder(name, work) {
  // A run that a signal stops ends by process.exit, which runs no `finally`.
  if (!listening) process.once("exit", () => folders.forEach(remove));
  listening = true;
  const folder = mkdtempSync(join(tmpdir(), `onceproof-${name}-`));
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    remove(folder);
    folders.delete(folder);
  }
}

const remove = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
