// Where text goes and whether it is coloured. Results go to standard output; progress and errors to
// standard error, so that results can be piped.

import picocolors from "picocolors";

type Colours = ReturnType<typeof picocolors.createColors>;

/** Whether a stream gets colours: FORCE_COLOR and NO_COLOR decide, then whether it is a terminal. */
export function coloured(
  env: { readonly [name: string]: string | undefined },
  stream: { readonly isTTY?: boolean },
): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") {
    return false;
  }
  if (FORCE_COLOR !== undefined) {
    return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  }
  return stream.isTTY === true && TERM !== "dumb";
}

/** Colours of standard output. */
export const paint: Colours = picocolors.createColors(coloured(process.env, process.stdout));

/** Colours of standard error. */
export const paintError: Colours = picocolors.createColors(coloured(process.env, process.stderr));

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** `0.4 s`, `12 s`, `3 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 9_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** The lines of a text, each moved to the right. */
export function indent(text: string, by = 2): string {
  return text.replace(/^(?=.)/gm, " ".repeat(by));
}
