// Statements as templates: what stands in a hole is a fragment of text, or else a value, and a value
// never becomes text.

import { createHash } from "node:crypto";
import type { Dialect } from "../shared/dialect.js";
import type { Statement } from "../shared/session.js";

const FRAGMENT: unique symbol = Symbol("fragment");

/** A piece of a statement: its texts, with a value between each two of them. */
export interface Fragment {
  readonly [FRAGMENT]: true;
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
}

/** One statement and its values. */
export interface Query {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

function fragment(texts: readonly string[], values: readonly unknown[]): Fragment {
  return { [FRAGMENT]: true, texts, values };
}

function isFragment(part: unknown): part is Fragment {
  return typeof part === "object" && part !== null && FRAGMENT in part;
}

/** Text as it is: a quoted name, or words of SQL. */
export function raw(text: string): Fragment {
  return fragment([text], []);
}

export const NONE: Fragment = raw("");

/** Puts fragments together. */
function chain(parts: readonly Fragment[]): Fragment {
  const texts: string[] = [""];
  const values: unknown[] = [];
  for (const part of parts) {
    const [first = "", ...rest] = part.texts;
    texts.push(`${texts.pop()}${first}`, ...rest);
    values.push(...part.values);
  }
  return fragment(texts, values);
}

/** A piece of SQL; a hole takes a fragment or a value. */
export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Fragment {
  return chain(
    strings.flatMap((text, at) => {
      const hole = holes[at];
      const piece = raw(text);
      if (at === holes.length) {
        return [piece];
      }
      return [piece, isFragment(hole) ? hole : fragment(["", ""], [hole])];
    }),
  );
}

/** Fragments with words between them. */
export function joined(parts: readonly Fragment[], between: string): Fragment {
  return chain(parts.flatMap((part, at) => (at === 0 ? [part] : [raw(between), part])));
}

/** The statement in a dialect's own placeholders. */
export function render(dialect: Dialect, { texts, values }: Fragment): Query {
  const place = dialect === "postgres" ? (at: number) => `$${at}` : () => "?";
  const text = texts.reduce((before, piece, at) => `${before}${place(at)}${piece}`);
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return { statement: { name: `onceproof_${digest}`, text }, values };
}
