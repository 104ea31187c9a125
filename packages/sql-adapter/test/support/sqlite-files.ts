// SQLite files in folders of their own, and a clock that moves.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runtime, systemRuntime } from "@onceproof/core/advanced";

/** A file path in a new folder, and what removes both. */
export function newFile(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "onceproof-sqlite-"));
  return {
    file: join(folder, "store.db"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The machine's runtime with a wall clock that can be moved. */
export function movableClock(): { readonly runtime: Runtime; move(byMs: number): void } {
  let offsetMs = 0;
  return {
    runtime: { ...systemRuntime, wallNow: () => systemRuntime.wallNow() + offsetMs },
    move(byMs) {
      offsetMs += byMs;
    },
  };
}
