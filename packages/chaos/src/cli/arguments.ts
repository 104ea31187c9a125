// The command's arguments: what there is, what it means, examples.
import { Command, InvalidArgumentError, Option } from "commander";
import { brokenAdapters, brokenNames } from "../broken.js";
import { brokenTransactions } from "../broken-transactions.js";
import { COMMON_FAULTS } from "../run/faults.js";
import { storeKinds } from "../stores/store-kinds.js";
import { workloadNames } from "../workloads/workloads.js";

/** What was asked for on the command line. */
export interface Options {
  readonly store: string;
  readonly minutes?: number;
  readonly seed: number;
  readonly ops?: number;
  readonly faults?: readonly string[];
  readonly processes: number;
  readonly broken?: string;
  readonly workloads?: readonly string[];
  readonly keep?: string;
  readonly judge?: string;
  readonly failover?: boolean;
  readonly json?: boolean;
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError("It must be a whole number.");
  }
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

const names = storeKinds.map(({ name }) => name);

function faultsHelp(): string {
  const own = storeKinds.flatMap(({ name, faults }) =>
    Object.entries(faults).flatMap(([fault, what]) => {
      // What several stores say in the same words is one line, at the first of them.
      const sharing = storeKinds.filter((kind) => kind.faults[fault] === what);
      const names = sharing.map((kind) => kind.name);
      return names[0] === name ? [[fault, `${what} (${names.join(", ")} only)`] as const] : [];
    }),
  );
  const common = Object.entries(COMMON_FAULTS).map(([fault, what]) => {
    const without = storeKinds.filter((kind) => kind.without.includes(fault));
    const names = without.map(({ name }) => name).join(", ");
    return [fault, names === "" ? what : `${what} (not ${names})`] as const;
  });
  const all = [...common, ...own];
  return all.map(([fault, what]) => `  ${fault.padEnd(20)} ${what}`).join("\n");
}

/** What there is to ask for, and what it means. */
export function createProgram(): Command {
  return new Command("npm run chaos --")
    .description(
      "Client processes work on a real server while its connections, processes and clock fail;\n" +
        "oracles then compare what they were told with the guarantees.",
    )
    .exitOverride()
    .showHelpAfterError("(--help tells what there is)")
    .helpOption("-h, --help", "print this help")
    .addOption(new Option("--store <name>", "which server").choices(names).default("redis"))
    .addOption(
      new Option(
        "--minutes <n>",
        "how long it goes on at least; half a minute by itself",
      ).argParser(positive),
    )
    .addOption(
      new Option(
        "--ops <n>",
        "how many calls of the store it makes at least; 20,000 by itself",
      ).argParser(whole),
    )
    .addOption(
      new Option("--seed <n>", "what the faults and the workloads are drawn from")
        .argParser(whole)
        .default(1),
    )
    .addOption(
      new Option("--faults <names>", "which faults, separated by commas; none for none").argParser(
        (text) => (text === "none" ? [] : text.split(",")),
      ),
    )
    .addOption(
      new Option(
        "--workloads <names>",
        "which workloads, separated by commas; all by themselves",
      ).argParser((text) => text.split(",")),
    )
    .addOption(new Option("--processes <n>", "client processes").argParser(whole).default(4))
    .option("--keep <folder>", "keep the histories there, as lines of JSON")
    .option(
      "--failover",
      "lose acknowledged writes in a failover of Redis, and tell what that takes away",
    )
    .option("--judge <folder>", "run nothing: judge again what --keep has kept")
    .addOption(
      new Option("--broken <name>", "break something on purpose, to see it noticed").choices(
        brokenNames,
      ),
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Faults:
${faultsHelp()}

Broken on purpose:
${brokenAdapters.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join("\n")}
  unfenced-sink        the sink of the locks checks no token
${brokenTransactions.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join("\n")}

Workloads: ${workloadNames.join(", ")}

The seed fixes which fault strikes when and what each client asks. How the machine interleaves them
it does not fix: --keep keeps what happened, and --judge judges it again.

Examples:
  npm run chaos -- --store redis --minutes 10 --seed 7
  npm run chaos -- --faults kill,lose,flush --keep histories
  npm run chaos -- --store mariadb --workloads payments --processes 10
  npm run chaos -- --broken unknown-as-refused
  npm run chaos -- --failover

Exit codes: 0 every guarantee held, 1 one was violated, 2 bad usage or no such server here,
130 interrupted.`,
    );
}
