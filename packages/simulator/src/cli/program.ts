// The command's arguments: what there is, what it means, examples.

import { ArgumentError } from "@onceproof/core/advanced";
import { Command, CommanderError, Help, Option } from "commander";
import { calledAs } from "./called-as.js";
import { mutants } from "./mutants-command.js";
import { replay } from "./replay-command.js";
import { paintError, printError } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import * as values from "./values.js";
import { verify } from "./verify-command.js";

export interface ProgramOptions {
  /** The file that worker processes run. */
  readonly worker: URL;
  readonly version: string;
}

/** Exit codes: 1 is a failed check, 2 a command that cannot be understood. */
const BAD_USAGE = 2;

/** Carries out a command line; returns the exit code. */
export async function runProgram(
  args: readonly string[],
  { worker, version }: ProgramOptions,
): Promise<number> {
  let exitCode = 0;
  const program = new Command("onceproof")
    .description("Verifies Onceproof's guarantees under simulated faults.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .configureHelp({
      commandUsage: (command) =>
        command.parent === null
          ? new Help().commandUsage(command)
          : `${calledAs(command.name())} ${command.usage()}`,
    })
    .configureOutput({ outputError: (text, write) => write(paintError.red(text)) })
    .showHelpAfterError("(onceproof --help tells what there is)")
    .addHelpText(
      "after",
      `
Examples:
  onceproof verify                   a sample of every kind of plan, about 26,000
  onceproof verify --full --time 10m as much as ten minutes allow
  onceproof replay op1.WyJ…          tell again what happened in one run
  onceproof mutants                  show that broken variants of core are noticed

Exit codes: 0 as expected, 1 a guarantee was violated or a check failed, 2 bad usage, 130 interrupted.`,
    );
  const action =
    <A extends unknown[]>(act: (...args: A) => Promise<number>) =>
    async (...given: A): Promise<void> => {
      exitCode = await act(...given);
    };
  addVerify(
    program,
    action((options) => verify(worker, options)),
  );
  addReplay(program, action(replay));
  addMutants(
    program,
    action((options) => mutants(worker, options)),
  );
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : BAD_USAGE;
    }
    if (error instanceof UsageError || error instanceof ArgumentError) {
      printError(paintError.red(`error: ${error.message}`));
      return BAD_USAGE;
    }
    throw error;
  }
}

const jobsOption = (): Option =>
  new Option("--jobs <n>", "worker processes")
    .argParser(values.parseJobs)
    .default(values.defaultJobs(), "one for each core");

const seedOption = (): Option =>
  new Option("--seed <n>", "what all random choices come from")
    .argParser(values.parseSeed)
    .default(1);

function addVerify(
  program: Command,
  act: (options: Parameters<typeof verify>[1]) => Promise<void>,
): void {
  program
    .command("verify")
    .showHelpAfterError(`(${calledAs("verify")} --help tells what there is)`)
    .description("explore every scenario under faults and print which guarantee holds where")
    .addOption(
      new Option("--quick", "a sample of the plans (default; about 26,000)").conflicts([
        "full",
        "singles",
      ]),
    )
    .addOption(
      new Option(
        "--singles",
        "every plan of one fault on every profile, a sample of the others",
      ).conflicts("full"),
    )
    .addOption(new Option("--full", "every plan of one and of two faults, and many random ones"))
    .addOption(
      new Option("--time <time>", "end after so long: 30s, 10m; alone it means --full").argParser(
        values.parseTime,
      ),
    )
    .addOption(jobsOption())
    .addOption(
      new Option("--shard <i/n>", "do the i-th of n parts, for --merge").argParser(
        values.parseShard,
      ),
    )
    .addOption(seedOption())
    .addOption(
      new Option(
        "--only <scenarios>",
        "scenarios whose ids begin so, separated by commas",
      ).argParser(values.parseScenarios),
    )
    .addOption(
      new Option("--profile <ids>", "store profiles, separated by commas").argParser(
        values.parseProfiles,
      ),
    )
    .option("--json [file]", "write the results as JSON; without a file to standard output")
    .option("--html <file>", "write a report for a browser")
    .option("--markdown <file>", "write the matrix as Markdown")
    .addOption(
      new Option(
        "--merge <files...>",
        "run nothing: join what --json wrote for the parts of one verification",
      ).conflicts([
        "quick",
        "singles",
        "full",
        "time",
        "shard",
        "only",
        "profile",
        "list",
        "mutant",
        "store",
      ]),
    )
    .option("--mutant <id>", "explore a broken variant of core, as mutants --list lists them")
    .option("--store <module>", "run them on a store of your own, which the module exports")
    .option("--list", "print scenarios, profiles and guarantees, and run nothing")
    .addHelpText(
      "after",
      `
Examples:
  ${calledAs("verify")} --only dedup,lock --profile durable
  ${calledAs("verify")} --full --jobs 8 --html report.html
  ${calledAs("verify")} --full --shard 1/4 --json part-1.json
  ${calledAs("verify")} --merge part-1.json part-2.json part-3.json part-4.json`,
    )
    .action(act);
}

function addReplay(
  program: Command,
  act: (token: string, options: Parameters<typeof replay>[1]) => Promise<void>,
): void {
  program
    .command("replay")
    .showHelpAfterError(`(${calledAs("replay")} --help tells what there is)`)
    .description("carry out one run again, and tell what happened")
    .argument("<token>", "the replay token that a violation was printed with")
    .option("--trace", "print every event, one a line, and a hash over all: the same everywhere")
    .option("--json", "print JSON")
    .option("--html <file>", "write a report for a browser")
    .option("--check", "exit with 1 if it violates what no scenario gives up")
    .option("--store <module>", "run it on the store that it was found on")
    .addHelpText(
      "after",
      `
Examples:
  ${calledAs("replay")} op1.WyJ…
  ${calledAs("replay")} op1.WyJ… --trace > run.txt`,
    )
    .action(act);
}

function addMutants(
  program: Command,
  act: (options: Parameters<typeof mutants>[1]) => Promise<void>,
): void {
  program
    .command("mutants")
    .showHelpAfterError(`(${calledAs("mutants")} --help tells what there is)`)
    .description("show that broken variants of core are noticed, and that core as it is is not")
    .option("--only <prefix>", "mutants whose ids begin so, separated by commas")
    .option("--list", "print ids and what each breaks, and run nothing")
    .addOption(jobsOption())
    .addOption(seedOption())
    .addOption(
      new Option("--budget <plans>", "plans that a variant must survive")
        .argParser(values.parseBudget)
        .default(values.DEFAULT_BUDGET),
    )
    .option("--json [file]", "write the results as JSON; without a file to standard output")
    .addHelpText(
      "after",
      `
Examples:
  ${calledAs("mutants")} --only dedup/
  ${calledAs("mutants")} --budget 20000 --json mutants.json`,
    )
    .action(act);
}
