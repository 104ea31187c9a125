// How far a command is: a bar on a terminal, a line now and then elsewhere.

import { SingleBar } from "cli-progress";
import { grouped } from "../report/words.js";
import { coloured, duration, printError } from "./terminal.js";

export interface Progress {
  /** Tells how much is done and how much there is, as well as that is known. */
  update(done: number, total: number): void;
  end(): void;
}

const FIRST_LINE_MS = 2_000;
const LINE_EVERY_MS = 15_000;

/** `12,345 of ≈30,000 plans, 812/s, 22 s left`. */
export function progressLine(
  noun: string,
  { done, total, elapsedMs }: { done: number; total: number; elapsedMs: number },
): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const left = rate > 0 && total > done ? `, ${duration((1000 * (total - done)) / rate)} left` : "";
  const perSecond = rate >= 10 ? grouped(Math.round(rate)) : rate.toFixed(1);
  return `${grouped(done)} of ≈${grouped(Math.max(total, done))} ${noun}, ${perSecond}/s${left}`;
}

export function startProgress(noun: string): Progress {
  return process.stderr.isTTY === true ? startBar(noun) : startLines(noun);
}

function startBar(noun: string): Progress {
  const startedMs = performance.now();
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
      bar.setTotal(Math.max(total, done, 1));
      const elapsedMs = performance.now() - startedMs;
      bar.update(done, { line: progressLine(noun, { done, total, elapsedMs }) });
    },
    end: () => bar.stop(),
  };
}

function startLines(noun: string): Progress {
  const startedMs = performance.now();
  let nextMs = startedMs + FIRST_LINE_MS;
  return {
    update(done, total) {
      const nowMs = performance.now();
      if (done > 0 && nowMs >= nextMs) {
        nextMs = nowMs + LINE_EVERY_MS;
        printError(progressLine(noun, { done, total, elapsedMs: nowMs - startedMs }));
      }
    },
    end() {},
  };
}
