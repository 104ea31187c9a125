// The statements that drivers send, by their first word: counted on the driver itself, whoever calls
// it, and only while somebody looks.

import { runBatch } from "../compare/batch.js";
import { repeated } from "../compare/calls.js";
import type { Contestant } from "../compare/comparison.js";

/** An object, often a class's prototype, whose methods send statements. */
export interface Sender {
  readonly of: object;
  readonly methods: readonly string[];
  /** The text of a call. @defaultValue the first parameter, or its `text` or `sql` */
  textOf?(on: object, parameters: readonly unknown[]): string | undefined;
}

function firstParameter(_on: object, [first]: readonly unknown[]): string | undefined {
  const { text, sql } = Object(first) as Partial<Record<"text" | "sql", string>>;
  return typeof first === "string" ? first : (text ?? sql);
}

const WATCHED = 5;

/** `SET STATEMENT … FOR SELECT` is a SELECT with limits of its own. */
function firstWord(text: string): string {
  const [word = ""] = text
    .replace(/^\s*SET STATEMENT .*? FOR /s, "")
    .trim()
    .split(/[\s;]/);
  return word.toUpperCase();
}

/** What was sent while `work` ran. */
async function watch(
  senders: readonly Sender[],
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const sent: string[] = [];
  const restores = senders.flatMap(({ of, methods, textOf = firstParameter }) => {
    const members = of as Record<string, (...parameters: unknown[]) => unknown>;
    return methods.map((name) => {
      const original = members[name] as (...parameters: unknown[]) => unknown;
      members[name] = function (this: object, ...parameters) {
        const text = textOf(this, parameters);
        if (text !== undefined) {
          sent.push(firstWord(text));
        }
        return original.apply(this, parameters);
      };
      return () => {
        members[name] = original;
      };
    });
  });
  try {
    await work();
  } finally {
    for (const restore of restores) {
      restore();
    }
  }
  return sent;
}

/** The statements of one operation; the same each time. The store is empty. */
export async function callsOf(
  senders: readonly Sender[],
  { name, operate, prepare }: Contestant,
): Promise<readonly string[]> {
  await prepare?.();
  // The first ones may ask a connection for something, or learn what to expect.
  await runBatch(operate, 0, WATCHED, 1);
  const sent = await watch(senders, () => runBatch(operate, WATCHED, WATCHED, 1));
  return repeated(name, sent, WATCHED);
}
