// The command line: what can be asked for, and a clear answer when it cannot.

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const LARGEST_SEED = 2 ** 32 - 1;

/** Thrown for a command line that makes no sense; its message is for the user. */
export class UsageError extends Error {}

export interface CliOptions {
  readonly help: boolean;
  readonly json: boolean;
  /** undefined means that of the run that is gone on with, or any. */
  readonly seed: number | undefined;
  /** Names of disasters; empty means all. */
  readonly only: readonly string[];
  readonly payloads: string | undefined;
  /** How many come to the sale. */
  readonly buyers: number;
  readonly store: StoreChoice;
}

/** Where the runs take place. */
export type StoreChoice =
  | { readonly kind: "sqlite"; readonly file: string | undefined; readonly fresh: boolean }
  | { readonly kind: "memory" | "pglite" }
  | { readonly kind: "redis" | "postgres" | "mysql"; readonly url: string };

/** Where each server is looked for by itself. */
const SERVERS: Readonly<Record<string, string>> = {
  redis: "redis://localhost:6379",
  postgres: "postgres://postgres@localhost:5432/postgres",
  mysql: "mysql://root@localhost:3306/test",
  mariadb: "mariadb://root@localhost:3306/test",
};

export function parseCli(argv: readonly string[]): CliOptions {
  const { values } = parse(argv);
  const store = storeOf(values.store ?? "sqlite", values.file, values.fresh ?? false);
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    seed: values.seed === undefined ? undefined : seedOf(values.seed),
    only: (values.only ?? []).flatMap((names) => names.split(",")).map((name) => name.trim()),
    payloads: values.payloads,
    buyers: values.buyers === undefined ? buyersOn(store) : buyersIn(values.buyers),
    store,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      // A "--" meant for npm, which takes it away only when npm itself is called.
      args: argv.slice(argv[0] === "--" ? 1 : 0),
      options: {
        help: { type: "boolean", short: "h" },
        json: { type: "boolean" },
        seed: { type: "string" },
        only: { type: "string", multiple: true },
        payloads: { type: "string" },
        buyers: { type: "string" },
        store: { type: "string" },
        file: { type: "string" },
        fresh: { type: "boolean" },
      },
    });
  } catch (error) {
    // The first sentence says what is wrong; the rest is advice on positional arguments.
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(/\.(?: |$)/)[0]);
  }
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > LARGEST_SEED) {
    throw new UsageError(`--seed must be a whole number from 0 to ${LARGEST_SEED}, got "${text}"`);
  }
  return seed;
}

export const drawSeed = (): number => randomInt(2 ** 31);

function storeOf(text: string, file: string | undefined, fresh: boolean): StoreChoice {
  if (text === "sqlite") {
    return { kind: "sqlite", file, fresh };
  }
  if (file !== undefined || fresh) {
    throw new UsageError("--file and --fresh are for --store sqlite");
  }
  return text === "memory" || text === "pglite" ? { kind: text } : serverOf(text);
}

function serverOf(text: string): StoreChoice {
  const address = SERVERS[text] ?? text;
  if (/^rediss?:\/\//.test(address)) {
    return { kind: "redis", url: address };
  }
  if (/^valkeys?:\/\//.test(address)) {
    return { kind: "redis", url: address.replace("valkey", "redis") };
  }
  if (/^postgres(ql)?:\/\//.test(address)) {
    return { kind: "postgres", url: address };
  }
  if (/^(mysql|mariadb):\/\//.test(address)) {
    return { kind: "mysql", url: address.replace("mariadb", "mysql") };
  }
  const names = ["sqlite", "memory", "pglite", ...Object.keys(SERVERS)].join(", ");
  throw new UsageError(
    `--store must be ${names} or an address like redis://host:port, got "${text}"`,
  );
}

const MANY_BUYERS = 1_000;
/** Of a thousand who contend for one row, most wait for others' transactions and begin again: minutes. */
const BUYERS_ON_SQL = 100;

function buyersOn({ kind }: StoreChoice): number {
  return ["postgres", "mysql", "pglite"].includes(kind) ? BUYERS_ON_SQL : MANY_BUYERS;
}

function buyersIn(text: string): number {
  const buyers = Number(text);
  if (!/^\d+0$/.test(text) || buyers < 10 || buyers > MANY_BUYERS) {
    throw new UsageError(`--buyers must be 10, 20, and so on up to ${MANY_BUYERS}, got "${text}"`);
  }
  return buyers;
}

/** The chosen of all, in the order of the table. */
export function choose<T extends { readonly name: string }>(
  all: readonly T[],
  only: readonly string[],
): readonly T[] {
  const names = all.map(({ name }) => name);
  for (const name of only) {
    if (!names.includes(name)) {
      throw new UsageError(`--only: there is no "${name}"; there are ${names.join(", ")}`);
    }
  }
  return only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
}

export function helpText(names: readonly string[]): string {
  return `The classic disasters of repeated requests, without and with Onceproof.

Starts a small order service on loopback, hits it with real concurrent HTTP requests, and counts
what its bank, warehouse and other sinks were made to do. Prints one table.

Usage: npm start -- [options]

  --only NAMES    only these, separated by commas:
                  ${wrapNames(names)}
  --seed N        decides timing, duplication and order of the traffic (printed; default random)
  --payloads DIR  replay the JSON files of this directory instead of GitHub's example webhooks
  --buyers N      how many come to the sale, for a tenth as many units (default 1000; on Postgres,
                  MySQL and PGlite 100)
  --file FILE     the SQLite file to run in (default: .state/disasters.db in this example's folder)
  --fresh         begins anew; without it, a run that was stopped or killed in the last half hour
                  is gone on with
  --store KIND    sqlite (default), memory, pglite, or a server of yours: redis, postgres, mysql,
                  mariadb, or its address, such as postgres://user:password@host:port/database
  --json          the facts as JSON on stdout
  -h, --help      this text

Exits 0 when every disaster showed without protection and none did with it, 1 when not (and says
which), 2 for a command line that makes no sense, 130 on Ctrl-C. NO_COLOR turns colours off.
`;
}

function wrapNames(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 70) {
      lines[lines.length - 1] = `${last}, ${name}`;
    } else {
      lines.push(name);
    }
  }
  return lines.join(",\n                  ");
}
