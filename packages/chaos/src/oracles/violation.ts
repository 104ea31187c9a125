// What a judge says: a sentence that was broken and how, and numbers that show the run was no idle
// one.

export interface Violation {
  /** The sentence, as docs/guarantees.md has it. */
  readonly guarantee: string;
  readonly detail: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly tallies: Readonly<Record<string, number>>;
}

/** Groups by a key, in the order of the items. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** The outcome of an algorithm's answer; undefined where there is none. */
export function outcomeOf(answer: unknown): string | undefined {
  const { outcome } = (answer ?? {}) as { readonly outcome?: string };
  return outcome;
}
