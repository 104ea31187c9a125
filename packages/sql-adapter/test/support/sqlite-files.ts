// SQLite files in a folder of their own, and connections to them as a user would open them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runtime, systemRuntime } from "@onceproof/core/advanced";
import type { SqliteDatabase } from "@onceproof/sql-adapter";
import Database from "libsql";

export interface Connection extends SqliteDatabase {
  close(): unknown;
}

/** Opens a connection to a file with one driver. */
export type Opener = (file: string) => Connection;

export const openLibsql: Opener = (file) => new Database(file);

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
