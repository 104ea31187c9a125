// What a preflight tells of a database that would weaken a guarantee.

/** One thing to know before going live. */
export interface Finding {
  /** Stable across releases. */
  readonly id: string;
  /** `fatal`: a clause does not hold; `warning`: it may not, or costs more; `info`: good to know. */
  readonly severity: "fatal" | "warning" | "info";
  /** What was found, with the setting's value. */
  readonly finding: string;
  /** What to do about it. */
  readonly remedy: string;
}
