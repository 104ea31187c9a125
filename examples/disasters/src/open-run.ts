// A run with what it stands on and how far it has come: in a SQLite file it survives kill -9; over
// another store it is over when the program is.

import { codeOf } from "@onceproof/core";
import { type StoreChoice, UsageError } from "./cli-options.js";
import { openRunFile, type RunFileOptions } from "./run-file.js";
import type { RunState } from "./run-state.js";
import { inMemory, type Stores } from "./stores/stores.js";
import { passingStage } from "./world/stage.js";

export async function openRun(
  store: StoreChoice,
  options: Pick<RunFileOptions, "seed" | "asked" | "drawSeed">,
): Promise<RunState> {
  if (store.kind === "sqlite") {
    return openFile({ file: store.file, fresh: store.fresh, ...options });
  }
  return passing(await storesOf(store), options);
}

/** Each is loaded only where it is asked for. */
async function storesOf(store: Exclude<StoreChoice, { kind: "sqlite" }>): Promise<Stores> {
  switch (store.kind) {
    case "memory":
      return inMemory;
    case "pglite": {
      const { onPglite } = await import("./stores/pglite.js");
      return onPglite();
    }
    case "redis": {
      const { redisAt } = await import("./stores/redis.js");
      return reached(redisAt(store.url));
    }
    case "postgres": {
      const { postgresAt } = await import("./stores/postgres.js");
      return reached(postgresAt(store.url));
    }
    case "mysql": {
      const { mysqlAt } = await import("./stores/mysql.js");
      return reached(mysqlAt(store.url));
    }
  }
}

/** A server that cannot be used is told of at once, and not by each disaster. */
async function reached(stores: Stores): Promise<Stores> {
  try {
    const store = await stores.open();
    await store.read("is anybody there?").finally(() => store.close());
    return stores;
  } catch (error) {
    await stores.close();
    throw new UsageError(`--store: it cannot be used: ${reasonOf(error)}`);
  }
}

/** What a driver says; of several addresses that were tried, it only has a code. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const said = message || String(codeOf(error));
  const why = cause === undefined ? "" : reasonOf(cause);
  // A store's error ends with what its cause says.
  return said.includes(why) ? said : `${said} (${why})`;
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
  stores: Stores,
  { seed, drawSeed }: Pick<RunFileOptions, "seed" | "drawSeed">,
): RunState {
  return {
    ...{ stage: passingStage(stores), seed: seed ?? drawSeed(), done: new Map() },
    record() {},
    finish() {},
    close: stores.close,
  };
}
