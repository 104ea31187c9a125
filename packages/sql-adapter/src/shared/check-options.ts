// Refuses, before anything is sent, what JavaScript callers without types may give: a misspelt option,
// which would otherwise have no effect, and a client in the place of the options.

import { ArgumentError } from "@onceproof/core/advanced";

/** The options that the stores of all dialects share. As a record, so that none can be forgotten. */
export const SHARED_OPTIONS = {
  table: true,
  operationTimeoutMs: true,
  tombstoneMs: true,
  runtime: true,
} as const;

/** What `who` takes: every option, and what the one is called that holds the client. */
export interface Taken<Name extends string> {
  readonly who: string;
  readonly client: "client" | "database";
  readonly names: Readonly<Record<Name, true>>;
}

/** Throws for options that are none, or hold one that is none of `names`. */
export function checkOptions<Name extends string>(
  options: unknown,
  isClient: (value: unknown) => boolean,
  { who, client, names }: Taken<Name>,
): void {
  const refuse = (message: string): never => {
    throw new ArgumentError("optionInvalid", message);
  };
  // A client may be a function, as the sql of postgres.js is.
  if (isClient(options)) {
    refuse(`${who} takes the ${client} in an object: ${who}({ ${client} })`);
  }
  if (typeof options !== "object" || options === null) {
    refuse(`${who} takes an object of options, at least { ${client} }`);
  }
  const unknown = Object.keys(Object(options)).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) {
    refuse(`there is no option ${unknown}: there are ${Object.keys(names).join(", ")}`);
  }
}

/** For what takes a client of any dialect, as its first argument or as an option. */
export function notAClient(): never {
  throw new ArgumentError(
    "optionInvalid",
    "client must be the driver's own: a pg Pool or Client, the sql of postgres.js, a PGlite, a pool or " +
      "connection of mysql2 or mariadb, or a connection of libsql, better-sqlite3 or node:sqlite",
  );
}
