// The command line of `npm run bench`.

import { Command, InvalidArgumentError, Option } from "commander";
import type { Aof } from "./redis/arena.js";
import { FEWEST_LARGE_ROWS } from "./sql/names.js";

export const STORES = ["memory", "redis", "postgres", "mariadb", "sqlite"] as const;
export type StoreName = (typeof STORES)[number];

export interface Options {
  readonly store: readonly StoreName[];
  readonly only: string;
  readonly time?: number;
  readonly concurrency?: readonly number[];
  readonly aof: Aof;
  readonly rows: number;
  readonly seed: number;
  readonly profile: boolean;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly goals: boolean;
}

const DEFAULT_STORES: readonly StoreName[] = ["memory", "redis"];
const DEFAULT_ROWS = 10_000_000;

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  }
  return value;
}

function rowCount(text: string): number {
  const value = Number(text);
  const some = Number.isSafeInteger(value) && value >= FEWEST_LARGE_ROWS;
  if (!some && text !== "0") {
    throw new InvalidArgumentError(
      `It must be a whole number from ${FEWEST_LARGE_ROWS} on, or 0 to leave this part out.`,
    );
  }
  return value;
}

function storeNames(text: string): readonly StoreName[] {
  const names = text.split(",");
  const known = STORES.filter((store) => names.includes(store));
  if (known.length !== names.length) {
    throw new InvalidArgumentError(`The stores are ${STORES.join(", ")}; several with commas.`);
  }
  return known;
}

/** Reads a command line; ends the process for `--help` and for mistakes. */
export function readOptions(argv: readonly string[]): Options {
  const program = new Command("npm run bench --")
    .description("Measures the algorithms in memory, and on stores beside bare commands and peers.")
    .addOption(
      new Option("--store <names>", `of ${STORES.join(", ")}; several with commas`)
        .argParser(storeNames)
        .default(DEFAULT_STORES, DEFAULT_STORES.join(",")),
    )
    .option("--only <word>", "only what contains this word in its name, as in `redis: lock`")
    .option(
      "--time <ms>",
      "for how long each is measured (default: 1000, on a store 2000)",
      wholeNumber,
    )
    .addOption(
      new Option(
        "--concurrency <numbers>",
        "on a store: how many operations at a time, in ascending order (default: 1,64 on redis, else 1,16)",
      ).argParser((text) => text.split(",").map(wholeNumber)),
    )
    .addOption(
      new Option("--aof <mode>", "redis: whether each write is on disk before it is answered")
        .choices(["off", "always"])
        .default("off"),
    )
    .addOption(
      new Option(
        "--rows <number>",
        "postgres: the large table of the part `growth`, which takes minutes and 5 GB of disk; 0 leaves it out",
      )
        .argParser(rowCount)
        .default(DEFAULT_ROWS),
    )
    .option("--seed <number>", "of the order within each round", wholeNumber, 1)
    .option("--profile", "also shows where the time of the client process goes", false)
    .option("--json", "prints JSON", false)
    .option("--markdown", "renews the tables in docs/benchmarks.md; not with --only", false)
    .option("--goals", "exits with 1 when a goal is missed (nothing else running)", false)
    .showHelpAfterError("--help lists the options.");
  program
    .exitOverride(({ exitCode, code }) => {
      process.exit(code === "commander.helpDisplayed" ? 0 : exitCode === 0 ? 0 : 2);
    })
    .parse(argv, { from: "user" });
  const options: Options = { only: "", ...program.opts<Omit<Options, "only">>() };
  if (options.markdown && options.only !== "") {
    program.error(
      "error: --markdown renews all tables of a store: leave out --only, or --markdown.",
    );
  }
  return options;
}
