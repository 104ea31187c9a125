// How far a run is: a bar on a terminal, nothing elsewhere.

import { SingleBar } from "cli-progress";

export interface Progress {
  update(done: number, total: number, now: string): void;
  /** Takes the bar away, so that something can be printed. */
  pause(): void;
}

export function startProgress(): Progress {
  if (process.stderr.isTTY !== true) {
    return { update() {}, pause() {} };
  }
  const bar = new SingleBar({
    format: "{bar} {percentage}%  {now}, {eta_formatted} left",
    barCompleteChar: "━",
    barIncompleteChar: "─",
    barsize: 24,
    fps: 4,
    clearOnComplete: true,
    stream: process.stderr,
    // Ctrl-C is the servers' to act on.
    gracefulExit: false,
  });
  let running = false;
  return {
    update(done, total, now) {
      if (!running) {
        bar.start(total, done, { now });
        running = true;
      }
      bar.update(done, { now });
    },
    pause() {
      if (running) {
        bar.stop();
        running = false;
      }
    },
  };
}
