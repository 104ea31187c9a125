// What the guard reports: which global was touched, and from where.

/** Code of a run reached for real time or randomness, so that the run would not repeat. */
export class NondeterminismError extends Error {
  override readonly name = "NondeterminismError";
  readonly code = "nondeterministic";
  /** What was touched, e.g. `Date.now()`. */
  readonly global: string;
  /** The stack frame that touched it, in the words of the engine; undefined where it tells none. */
  readonly at: string | undefined;

  constructor(global: string, at: string | undefined, above: readonly string[]) {
    super(
      `${global} was touched during a run${at === undefined ? "" : `, ${at}`}: ` +
        "take time, timers and randomness from the node's runtime",
    );
    this.global = global;
    this.at = at;
    if (at !== undefined) {
      const frames = [at, ...above].map((frame) => `    ${frame}`);
      this.stack = [`${this.name}: ${this.message}`, ...frames].join("\n");
    }
  }
}

/** An error's stack frames, innermost first, without the words that some engines put above them. */
export function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? "").split("\n");
  return lines.map((line) => line.trim()).filter((line) => /:\d+\)?$/.test(line));
}
