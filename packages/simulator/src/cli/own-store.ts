// A store of the user's own, or an adapter's, on which scenarios are run: a module that says what is
// different in the worlds.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProfileId } from "../world/profile.js";
import type { WorldOptions } from "../world/world.js";
import { UsageError } from "./usage-error.js";

/** What such a module exports as `world`. */
export type OwnWorld = Partial<WorldOptions> & Required<Pick<WorldOptions, "database">>;

/** What a store behind `database` can suffer: it loses nothing and breaks no clause. */
const OWN_STORE_PROFILES: readonly ProfileId[] = [
  "durable",
  "single-key",
  "clock-back",
  "transactional",
];

/**
 * Loads the module.
 *
 * Fails: UsageError if it cannot be loaded, or exports no `world` with a `database`.
 */
export async function loadOwnWorld(file: string): Promise<OwnWorld> {
  let module: { readonly world?: Partial<WorldOptions> };
  try {
    module = (await import(pathToFileURL(resolve(file)).href)) as typeof module;
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${(error as Error).message}`);
  }
  const { world } = module;
  if (typeof world?.database !== "function") {
    throw new UsageError(`${file} must export \`world\`, an object with a function \`database\``);
  }
  return world as OwnWorld;
}

/** The world options of a module; nothing without one. */
export async function worldOf(file: string | undefined): Promise<Partial<WorldOptions>> {
  return file === undefined ? {} : loadOwnWorld(file);
}

/**
 * The profiles that a store of one's own is run as.
 *
 * Fails: UsageError for one whose faults it cannot suffer.
 */
export function ownProfiles(chosen: readonly ProfileId[] | undefined): readonly ProfileId[] {
  const odd = chosen?.find((id) => !OWN_STORE_PROFILES.includes(id));
  if (odd !== undefined) {
    const possible = OWN_STORE_PROFILES.join(", ");
    throw new UsageError(`a store of your own is not run as ${odd}: choose among ${possible}`);
  }
  return chosen ?? OWN_STORE_PROFILES;
}
