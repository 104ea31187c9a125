// `npm start`: runs the disasters and prints what happened.

import { codeOf } from "@onceproof/core";
import { choose, drawSeed, helpText, parseCli, UsageError } from "./cli-options.js";
import type { Disaster } from "./disaster.js";
import { allDisasters } from "./disasters/index.js";
import { type Payload, readPayloads } from "./disasters/webhook-payloads.js";
import { onSignals } from "./on-signals.js";
import { leaveOutSqliteWarning } from "./on-warnings.js";
import { openRun } from "./open-run.js";
import { createPaint } from "./report/paint.js";
import { createProgress } from "./report/progress.js";
import { held, renderJson, renderText } from "./report/report.js";
import { type Row, runDisaster } from "./run.js";
import type { RunState } from "./run-state.js";

const WIDTH_OF_A_PIPE = 100;

async function main(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { help, json, seed, only, payloads, buyers, store } = parseCli(argv);
  if (help) {
    process.stdout.write(helpText(allDisasters([]).map(({ name }) => name)));
    return 0;
  }
  const disasters = choose(allDisasters(await load(payloads), { buyers }), only);
  const startedAt = performance.now();
  const asked = JSON.stringify([disasters.map(({ name, expected }) => [name, expected]), payloads]);
  const run = await openRun(store, { seed, asked, drawSeed });
  try {
    const rows = await runAll(disasters, run, signal);
    const tookMs = Math.round(performance.now() - startedAt);
    const { starts } = run.stage;
    const report = { seed: run.seed, tookMs, rows, disasters, store: store.kind, starts };
    const width = process.stdout.columns || Number(process.env.COLUMNS) || WIDTH_OF_A_PIPE;
    process.stdout.write(
      json
        ? await renderJson(report)
        : await renderText(report, width, createPaint(process.stdout)),
    );
    run.finish();
    return held(rows) ? 0 : 1;
  } finally {
    await run.close();
  }
}

async function load(directory: string | undefined): Promise<Payload[]> {
  try {
    return await readPayloads(directory);
  } catch (error) {
    throw new UsageError(`--payloads: ${error instanceof Error ? error.message : error}`);
  }
}

/** One after the other: each disaster's timing is its own. What is done already is not run again. */
async function runAll(
  disasters: readonly Disaster[],
  { stage, seed, done, record }: RunState,
  signal: AbortSignal,
): Promise<Row[]> {
  const progress = createProgress(process.stderr, createPaint(process.stderr));
  const rows: Row[] = [];
  try {
    if (stage.starts > 1) {
      const far = `${done.size} of ${disasters.length} done`;
      progress.tell(`Going on with a run that was not finished, ${far}; --fresh begins anew.`);
    }
    for (const disaster of disasters) {
      const step = (half: string) =>
        `${rows.length + 1}/${disasters.length} ${disaster.title}, ${half} protection`;
      const onStep = (_: Disaster, half: string) => progress.step(step(half));
      const known = done.get(disaster.name);
      const row = known ?? (await runDisaster(disaster, { seed, signal, stage, onStep }));
      if (row !== known) {
        record(row);
        progress.done(row);
      }
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
leaveOutSqliteWarning();
const interruption = onSignals();
try {
  process.exitCode = await main(process.argv.slice(2), interruption.signal);
} catch (error) {
  if (interruption.signal.aborted) {
    process.stderr.write("Stopped; every server is closed. The next start goes on from here.\n");
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
