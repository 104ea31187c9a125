// A run with what it stands on and how far it has come: in a SQLite file it survives kill -9; over
// another store it is over when the program is.

import { codeOf } from "@onceproof/core";
import { type StoreChoice, UsageError } from "./cli-options.js";
import { openRunFile, type RunFileOptions } from "./run-file.js";
import type { RunState } from "./run-state.js";
import { passingStage, type Stage } from "./world/stage.js";

export async function openRun(
  store: StoreChoice,
  options: Pick<RunFileOptions, "seed" | "asked" | "drawSeed">,
): Promise<RunState> {
  switch (store.kind) {
    case "sqlite":
      return openFile({ file: store.file, fresh: store.fresh, ...options });
    case "memory":
      return passing(passingStage(), options);
    case "redis": {
      // Loaded only where it is asked for.
      const { redisAt } = await import("./world/redis.js");
      return passing(passingStage(redisAt(store.url)), options);
    }
  }
}

/** What `openSqlite` refuses says what to do about it. */
const FOR_THE_USER: readonly unknown[] = ["optionInvalid", "formatUnknown", "unavailable"];

async function openFile(options: RunFileOptions): Promise<RunState> {
  try {
    return await openRunFile(options);
  } catch (error) {
    if (error instanceof Error && FOR_THE_USER.includes(codeOf(error))) {
      throw new UsageError(`--file: ${error.message}`);
    }
    throw error;
  }
}

function passing(
  stage: Stage,
  { seed, drawSeed }: Pick<RunFileOptions, "seed" | "drawSeed">,
): RunState {
  return {
    ...{ stage, seed: seed ?? drawSeed(), done: new Map() },
    record() {},
    finish() {},
    async close() {},
  };
}
