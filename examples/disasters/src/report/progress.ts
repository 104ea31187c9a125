// What happens while it runs, on stderr: a spinner in a terminal, one line per disaster elsewhere.

import yoctoSpinner from "yocto-spinner";
import type { Row } from "../run.js";
import type { Paint } from "./paint.js";

export interface Progress {
  /** A line that stays. */
  tell(text: string): void;
  step(text: string): void;
  done(row: Row): void;
  /** Leaves the terminal as it was found. */
  stop(): void;
}

export function createProgress(stream: NodeJS.WriteStream, paint: Paint): Progress {
  const lineOf = (row: Row): string => {
    const mark = row.problems.length === 0 ? paint.green("✓") : paint.red("✗");
    const took = paint.dim(`${(row.tookMs / 1000).toFixed(1)} s`);
    return `${mark} ${row.title} ${took}`;
  };
  if (!stream.isTTY || process.env.TERM === "dumb" || process.env.CI) {
    return {
      tell: (text) => void stream.write(`${text}\n`),
      step: () => {},
      done: (row) => void stream.write(`${lineOf(row)}\n`),
      stop: () => {},
    };
  }
  // Signals are ours to handle: the spinner would end the process before its servers are closed.
  const spinner = yoctoSpinner({ stream, handleSignals: false });
  return {
    tell: (text) => void stream.write(`${text}\n`),
    step(text) {
      spinner.text = text;
      spinner.start();
    },
    done: (row) => void spinner.stop(lineOf(row)),
    stop: () => void spinner.stop(),
  };
}
