// How times, keys, opIds and fencing tokens are written for people: short, and never two alike.

import type { Write } from "@onceproof/core/advanced";
import type { TraceEvent } from "../world/trace.js";

/** `1,505.1 ms`: whole thousands are grouped, and a tenth is shown where there is one. */
export function formatUs(us: number): string {
  const tenths = Math.round(Math.abs(us) / 100);
  const tenth = tenths % 10;
  const sign = us < 0 ? "−" : "";
  return `${sign}${grouped(Math.floor(tenths / 10))}${tenth === 0 ? "" : `.${tenth}`} ms`;
}

/** `1,500 ms` for a length that is given in milliseconds. */
export function formatMs(ms: number): string {
  return formatUs(ms * 1000);
}

/** `3.2 s` from a second on, milliseconds below: for gaps, where digits would be noise. */
export function formatGap(us: number): string {
  return us < 999_500 ? `${grouped(Math.round(us / 1000))} ms` : `${trim(us / 1_000_000)} s`;
}

function trim(seconds: number): string {
  return seconds >= 100 ? grouped(Math.round(seconds)) : String(Math.round(seconds * 10) / 10);
}

/** Groups the digits of a whole number by threes, the same in every locale. */
export function grouped(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinal(nth: number): string {
  const teen = nth % 100 >= 11 && nth % 100 <= 13;
  const ending = teen ? undefined : ["th", "st", "nd", "rd"][nth % 10];
  return `${nth}${ending ?? "th"}`;
}

/** `1 write`, `2 writes`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The parts of a wire key (`3:pay5:dedup2:k1`), or the key itself if it is none. */
export function keyParts(key: string): readonly string[] {
  const parts: string[] = [];
  let rest = key;
  while (rest !== "") {
    const head = /^(\d+):/.exec(rest);
    if (head === null) {
      return [key];
    }
    const [whole, digits = "0"] = head;
    const end = whole.length + Number(digits);
    if (rest.length < end) {
      return [key];
    }
    parts.push(rest.slice(whole.length, end));
    rest = rest.slice(end);
  }
  return parts.length === 0 ? [key] : parts;
}

/** `pay/dedup/k1`. */
export function readableKey(key: string): string {
  return keyParts(key).join("/");
}

/** How one trace's opIds, revisions and keys are shortened: distinct ones stay distinct. */
export interface Shortener {
  opId(opId: string): string;
  /** A revision or a fencing token, which is one. */
  revision(revision: number): string;
  /** A wire key without what all wire keys of the trace begin with. */
  key(key: string): string;
  /** A text in which there may be ids of 22 characters. */
  text(text: string): string;
  /** What became of a call at the store: revisions stand in it as `r1800000000002000`. */
  outcome(outcome: string): string;
}

const OP_ID_CHARS = 4;
const REVISION_DIGITS = 4;

/** Reads a trace once and knows how to shorten what is in it. */
export function createShortener(trace: readonly TraceEvent[]): Shortener {
  const opIds = new Set<string>();
  const revisions = new Set<string>();
  const keys = new Set<string>();
  for (const event of trace) {
    collect(event, opIds, revisions, keys);
  }
  for (const [id] of [...keys].join(" ").matchAll(IDS)) {
    opIds.add(id);
  }
  const opIdChars = distinctChars([...opIds]);
  const cut = sharedDigits([...revisions]);
  const shared = sharedParts([...keys].map(keyParts));
  const revision = (text: string): string => (cut === 0 ? text : `…${text.slice(cut)}`);
  const opId = (id: string): string => (id.length <= opIdChars ? id : `${id.slice(0, opIdChars)}…`);
  const text = (long: string): string => long.replace(IDS, (id) => opId(id));
  return {
    opId,
    revision: (value) => revision(String(value)),
    key: (key) => text(keyParts(key).slice(shared).join("/")),
    text,
    outcome: (outcome) =>
      outcome.replace(REVISIONS, (all) => all.replace(/\d+/g, (digits) => revision(digits))),
  };
}

/** `r1800000000002000`, and several of one `writeAll`. */
const REVISIONS = /\br\d+(?:,\d+)*\b/g;
/** What core makes of 128 random bits, with what a token has after it. */
const IDS = /(?<![\w-])[\w-]{22}(?:\.\d{16})?(?![\w-])/g;

function collect(
  event: TraceEvent,
  opIds: Set<string>,
  revisions: Set<string>,
  keys: Set<string>,
): void {
  if ("fencingToken" in event && event.fencingToken !== undefined) {
    revisions.add(String(event.fencingToken));
  }
  if (event.type === "arrived") {
    for (const [all] of event.outcome.matchAll(REVISIONS)) {
      for (const digits of all.slice(1).split(",")) {
        revisions.add(digits);
      }
    }
  }
  if (event.type !== "sent") {
    return;
  }
  const { ask } = event;
  const step = ask.ask === "session" ? ask.does : undefined;
  if (step?.step === "read") {
    keys.add(step.key);
  } else if (step?.step === "write") {
    collectWrite(step.write, opIds, revisions, keys);
  } else if (ask.ask === "read") {
    keys.add(ask.key);
  } else if (ask.ask === "writeAll") {
    opIds.add(ask.opId);
    for (const key of ask.keys) {
      keys.add(key);
    }
  } else if (ask.ask === "write") {
    collectWrite(ask.write, opIds, revisions, keys);
  }
}

function collectWrite(
  { key, opId, expect }: Write,
  opIds: Set<string>,
  revisions: Set<string>,
  keys: Set<string>,
): void {
  keys.add(key);
  opIds.add(opId);
  if (typeof expect === "object" && "opId" in expect) {
    opIds.add(expect.opId);
    revisions.add(String(expect.revision));
  }
}

function distinctChars(opIds: readonly string[]): number {
  let chars = OP_ID_CHARS;
  const longest = Math.max(0, ...opIds.map((opId) => opId.length));
  while (
    chars < longest &&
    new Set(opIds.map((opId) => opId.slice(0, chars))).size < opIds.length
  ) {
    chars += 1;
  }
  return chars;
}

/** How many leading digits all have in common; 0 if they are not of one length. */
function sharedDigits(revisions: readonly string[]): number {
  const [first = ""] = revisions;
  if (revisions.some(({ length }) => length !== first.length)) {
    return 0;
  }
  let shared = 0;
  const most = first.length - REVISION_DIGITS;
  while (shared < most && revisions.every((each) => each[shared] === first[shared])) {
    shared += 1;
  }
  return shared;
}

/** How many leading parts all have in common, the last part apart. */
function sharedParts(keys: readonly (readonly string[])[]): number {
  const [first = []] = keys;
  let shared = 0;
  const most = Math.min(first.length, ...keys.map(({ length }) => length)) - 1;
  while (shared < most && keys.every((parts) => parts[shared] === first[shared])) {
    shared += 1;
  }
  return shared;
}
