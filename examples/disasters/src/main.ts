// `npm start`: runs the disasters and prints what happened.

import { codeOf } from "@onceproof/core";
import { choose, helpText, parseCli, UsageError } from "./cli-options.js";
import type { Disaster } from "./disaster.js";
import { allDisasters } from "./disasters/index.js";
import { type Payload, readPayloads } from "./disasters/webhook-payloads.js";
import { onSignals } from "./on-signals.js";
import { createPaint } from "./report/paint.js";
import { createProgress } from "./report/progress.js";
import { held, renderJson, renderText } from "./report/report.js";
import { type Row, type RunOptions, runDisaster } from "./run.js";

const WIDTH_OF_A_PIPE = 100;

async function main(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { help, json, seed, only, payloads, store } = parseCli(argv);
  if (help) {
    process.stdout.write(helpText(allDisasters([]).map(({ name }) => name)));
    return 0;
  }
  const disasters = choose(allDisasters(await load(payloads)), only);
  const startedAt = performance.now();
  // Loaded only where it is asked for.
  const openStore =
    store === undefined ? undefined : (await import("./world/redis.js")).redisAt(store);
  const rows = await runAll(disasters, { seed, signal, openStore });
  const tookMs = Math.round(performance.now() - startedAt);
  const kind = store === undefined ? "memory" : "redis";
  const report = { seed, tookMs, rows, disasters, store: kind } as const;
  const width = process.stdout.columns || Number(process.env.COLUMNS) || WIDTH_OF_A_PIPE;
  process.stdout.write(
    json ? await renderJson(report) : await renderText(report, width, createPaint(process.stdout)),
  );
  return held(rows) ? 0 : 1;
}

async function load(directory: string | undefined): Promise<Payload[]> {
  try {
    return await readPayloads(directory);
  } catch (error) {
    throw new UsageError(`--payloads: ${error instanceof Error ? error.message : error}`);
  }
}

/** One after the other: each disaster's timing is its own. */
async function runAll(
  disasters: readonly Disaster[],
  options: Omit<RunOptions, "onStep">,
): Promise<Row[]> {
  const progress = createProgress(process.stderr, createPaint(process.stderr));
  const rows: Row[] = [];
  try {
    for (const disaster of disasters) {
      const row = await runDisaster(disaster, {
        ...options,
        onStep: ({ title }, half) =>
          progress.step(`${rows.length + 1}/${disasters.length} ${title}, ${half} protection`),
      });
      progress.done(row);
      rows.push(row);
    }
  } finally {
    progress.stop();
  }
  return rows;
}

process.stdout.on("error", (error) => {
  // A reader that has seen enough, as in `| head`, is no failure of ours.
  if (codeOf(error) !== "EPIPE") {
    throw error;
  }
});
const interruption = onSignals();
try {
  process.exitCode = await main(process.argv.slice(2), interruption.signal);
} catch (error) {
  if (interruption.signal.aborted) {
    process.stderr.write("Stopped; every server is closed.\n");
    process.exit(interruption.exitCode);
  }
  if (!(error instanceof UsageError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\nSee --help.\n`);
  process.exitCode = 2;
} finally {
  interruption.ignore();
}
