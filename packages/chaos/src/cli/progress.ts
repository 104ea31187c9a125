// How far a run is.
import picocolors from "picocolors";
import type { Progress } from "../run/run-chaos.js";

const LINE_EVERY_MS = 5_000;

/** One line that is written over on a terminal, a line now and then elsewhere. */
export function progressOn(stream: NodeJS.WriteStream): {
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
