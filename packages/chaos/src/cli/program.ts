// The command's arguments, progress and exit code.
import { missing } from "@onceproof/test-servers";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import picocolors from "picocolors";
import { brokenAdapters, brokenNames } from "../broken.js";
import { asDeclared, lossyFailover } from "../failover/lossy-failover.js";
import { judgeRun, readFacts } from "../oracles/judge.js";
import type { Verdict } from "../oracles/violation.js";
import { allFaults, COMMON_FAULTS, defaultFaults } from "../run/faults.js";
import { type ChaosReport, type Progress, runChaos } from "../run/run-chaos.js";
import type { StoreKind } from "../stores/store-kind.js";
import { storeKind, storeKinds } from "../stores/store-kinds.js";
import { type FailoverRun, failoverText, summaryText, violationsText } from "./summary.js";

const HELD = 0;
const VIOLATED = 1;
const BAD_USAGE = 2;
const INTERRUPTED = 130;
const MINUTE_MS = 60_000;
const DEFAULT_CALLS = 20_000;
const DEFAULT_MINUTES = 0.5;
const ECHO_MS = 500;
const LINE_EVERY_MS = 5_000;

interface Options {
  readonly store: string;
  readonly minutes?: number;
  readonly seed: number;
  readonly ops?: number;
  readonly faults?: readonly string[];
  readonly processes: number;
  readonly broken?: string;
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
    Object.entries(faults).map(([fault, what]) => [fault, `${what} (${name} only)`] as const),
  );
  const all = [...Object.entries(COMMON_FAULTS), ...own];
  return all.map(([fault, what]) => `  ${fault.padEnd(20)} ${what}`).join("\n");
}

function createProgram(): Command {
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

The seed fixes which fault strikes when and what each client asks. How the machine interleaves them
it does not fix: --keep keeps what happened, and --judge judges it again.

Examples:
  npm run chaos -- --store redis --minutes 10 --seed 7
  npm run chaos -- --faults kill,lose,flush --keep histories
  npm run chaos -- --broken unknown-as-refused
  npm run chaos -- --failover

Exit codes: 0 every guarantee held, 1 one was violated, 2 bad usage or no such server here,
130 interrupted.`,
    );
}

/** Carries out a command line; returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? HELD : BAD_USAGE;
    throw error;
  }
  if (program.args.length > 0) return badUsage(`unknown: ${program.args.join(" ")}`);
  const options = program.opts<Options>();
  if (options.judge !== undefined) return judgeAgain(options.judge, options.json === true);
  if (options.failover) return failover(options.json === true);
  const kind = storeKind(options.store);
  const known = allFaults(kind);
  const wrong = (options.faults ?? []).find((fault) => !known.includes(fault));
  if (wrong !== undefined) {
    return badUsage(`--faults: ${kind.name} has no "${wrong}"; there are ${known.join(", ")}`);
  }
  const reason = whyNot(kind, options.faults ?? []);
  if (reason !== undefined) return badUsage(reason);
  return run(options);
}

function whyNot(kind: StoreKind, faults: readonly string[]): string | undefined {
  return kind.missing() ?? (faults.includes("jump") ? missing("clock-shim") : undefined);
}

function badUsage(message: string): number {
  process.stderr.write(`${picocolors.red(`error: ${message}`)}\n`);
  return BAD_USAGE;
}

async function judgeAgain(folder: string, json: boolean): Promise<number> {
  let verdict: Verdict;
  try {
    verdict = await judgeRun(folder);
  } catch (error) {
    return badUsage(`${folder} holds no kept run: ${(error as Error).message}`);
  }
  const text = json
    ? JSON.stringify({ ...readFacts(folder), ...verdict }, undefined, 2)
    : violationsText(verdict);
  process.stdout.write(`${text}\n`);
  return verdict.violations.length === 0 ? HELD : VIOLATED;
}

async function failover(json: boolean): Promise<number> {
  const reason = missing("redis");
  if (reason !== undefined) return badUsage(reason);
  const runs = [
    { title: "The promoted clock is ahead", behindMs: 0 },
    // Only a clock that can be moved is behind.
    ...(missing("clock-shim") === undefined
      ? [{ title: "The promoted clock is a minute behind", behindMs: 60_000 }]
      : []),
  ];
  const seen: (FailoverRun & { readonly title: string })[] = [];
  for (const { title, behindMs } of runs) {
    const observations = await lossyFailover({ behindMs });
    seen.push({ title, observations });
  }
  const text = json ? JSON.stringify(seen, undefined, 2) : seen.map(failoverText).join("\n\n");
  process.stdout.write(`${text}\n`);
  return seen.every(({ observations }) => asDeclared(observations)) ? HELD : VIOLATED;
}

async function run(options: Options): Promise<number> {
  const kind = storeKind(options.store);
  const faults = options.faults ?? defaultFaults(kind);
  const { seed, processes, broken, keep, minutes, json } = options;
  const stop = new AbortController();
  stopOnSignals(stop);
  const show = progressOn(process.stderr);
  const report = await runChaos({
    kind,
    seed,
    faults,
    processes: Math.max(1, processes),
    broken,
    keep,
    calls: options.ops ?? (minutes === undefined ? DEFAULT_CALLS : 0),
    forMs: (minutes ?? (options.ops === undefined ? DEFAULT_MINUTES : 0)) * MINUTE_MS,
    signal: stop.signal,
    onProgress: show.update,
  });
  show.end();
  const facts = { store: kind.name, seed, processes, faults, broken };
  const text = json
    ? JSON.stringify({ ...facts, ...report }, undefined, 2)
    : summaryText(report, facts);
  process.stdout.write(`${text}\n`);
  return exitCode(report);
}

/** The first Ctrl-C ends the run and is told what there is, the second ends the process. */
function stopOnSignals(stop: AbortController): void {
  let firstMs = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // Who forwards a signal to a group may send it twice at once.
      if (stop.signal.aborted && performance.now() - firstMs > ECHO_MS) process.exit(INTERRUPTED);
      firstMs = stop.signal.aborted ? firstMs : performance.now();
      stop.abort();
    });
  }
}

function exitCode({ violations, interrupted }: ChaosReport): number {
  if (violations.length > 0) return VIOLATED;
  return interrupted ? INTERRUPTED : HELD;
}

/** One line that is written over on a terminal, a line now and then elsewhere. */
function progressOn(stream: NodeJS.WriteStream): {
  update(progress: Progress): void;
  end(): void;
} {
  let nextAt = 0;
  return {
    update({ phase, elapsedMs, calls, faults }) {
      const seconds = Math.round(elapsedMs / 1000);
      const line = `${seconds} s: ${phase}, ${calls.toLocaleString("en")} calls, ${faults} faults`;
      if (stream.isTTY) stream.write(`\r\u001b[2K${picocolors.dim(line)}`);
      else if (elapsedMs >= nextAt || phase !== "running") {
        nextAt = elapsedMs + LINE_EVERY_MS;
        stream.write(`${line}\n`);
      }
    },
    end() {
      if (stream.isTTY) stream.write("\r\u001b[2K");
    },
  };
}
