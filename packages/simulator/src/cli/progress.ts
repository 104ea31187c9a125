// How far a command is: a bar on a terminal, a line now and then elsewhere.

import { SingleBar } from "cli-progress";
import { grouped } from "../report/words.js";
import { coloured, duration, printError } from "./terminal.js";

export interface Progress {
  /** Tells how much is done and how much there is; the latter is undefined until it is known. */
  update(done: number, total: number | undefined): void;
  end(): void;
}

const FIRST_LINE_MS = 2_000;
const LINE_EVERY_MS = 15_000;

/** Starting takes a while, which says nothing of the rate: it is measured from here on. */
const MEASURED_FROM_MS = 2_000;
/** Before, an estimate of the time left would be far off. */
const NO_ESTIMATE_MS = 5_000;

/** How much was done when. */
export interface Standing {
  readonly done: number;
  readonly elapsedMs: number;
}

/**
 * `12,345 of ≈30,000 plans, 812/s, 22 s left`.
 *
 * @param now - `from` is where the rate is measured from, `total` absent as long as it is not known.
 */
export function progressLine(
  noun: string,
  now: Standing & { readonly total?: number; readonly from?: Standing },
): string {
  const { done, total = 0, elapsedMs, from = { done: 0, elapsedMs: 0 } } = now;
  const passedMs = elapsedMs - from.elapsedMs;
  const rate = passedMs > 0 ? ((done - from.done) * 1000) / passedMs : 0;
  const tells = rate > 0 && total > done && elapsedMs >= NO_ESTIMATE_MS;
  const left = tells ? `, ${duration((1000 * (total - done)) / rate)} left` : "";
  const perSecond = rate >= 10 ? grouped(Math.round(rate)) : rate.toFixed(1);
  const of = now.total === undefined ? "" : ` of ≈${grouped(Math.max(total, done))}`;
  return `${grouped(done)}${of} ${noun}, ${perSecond}/s${left}`;
}

/** Writes the lines of one command, with the rate of all but its beginning. */
function startLine(noun: string): (done: number, total: number | undefined) => string {
  const startedMs = performance.now();
  let from: Standing | undefined;
  return (done, total) => {
    const elapsedMs = performance.now() - startedMs;
    const standing = { done, elapsedMs, ...(total !== undefined && { total }) };
    const line = progressLine(noun, { ...standing, ...(from !== undefined && { from }) });
    if (done > 0 && elapsedMs >= MEASURED_FROM_MS) {
      from ??= { done, elapsedMs };
    }
    return line;
  };
}

export function startProgress(noun: string): Progress {
  return process.stderr.isTTY === true ? startBar(noun) : startLines(noun);
}

function startBar(noun: string): Progress {
  const line = startLine(noun);
  const [on, off] = coloured(process.env, process.stderr) ? ["\u001b[36m", "\u001b[39m"] : ["", ""];
  const bar = new SingleBar({
    format: `${on}{bar}${off} {percentage}%  {line}`,
    barCompleteChar: "━",
    barIncompleteChar: "─",
    barsize: 24,
    fps: 8,
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    // Ctrl-C is ours: the bar would only put itself away.
    gracefulExit: false,
  });
  bar.start(1, 0, { line: noun });
  return {
    update(done, total) {
      bar.setTotal(Math.max(total ?? 0, done, 1));
      bar.update(total === undefined ? 0 : done, { line: line(done, total) });
    },
    end: () => bar.stop(),
  };
}

function startLines(noun: string): Progress {
  const line = startLine(noun);
  let nextMs = performance.now() + FIRST_LINE_MS;
  return {
    update(done, total) {
      const nowMs = performance.now();
      const text = line(done, total);
      if (done > 0 && nowMs >= nextMs) {
        nextMs = nowMs + LINE_EVERY_MS;
        printError(text);
      }
    },
    end() {},
  };
}
