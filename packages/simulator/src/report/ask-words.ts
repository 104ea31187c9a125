// What messages ask for, in words: the story says it in full, the diagram in a label.

import type { Write } from "@onceproof/core/advanced";
import type { SessionStep } from "../world/sessions.js";
import type { Ask } from "../world/trace.js";
import { readableKey, type Shortener } from "./words.js";

/** `create pay/dedup/k1 as running (opId OAqZ…)`. */
export function describeAsk(ask: Ask, short: Shortener): string {
  switch (ask.ask) {
    case "read":
      return `read ${short.text(readableKey(ask.key))}`;
    case "write":
      return `${verb(ask.write)} ${short.text(readableKey(ask.write.key))}${become(ask.write, verb(ask.write) === "create" ? " as " : " with ")} (opId ${short.opId(ask.write.opId)})`;
    case "writeAll":
      return `write ${ask.keys.map((key) => short.text(readableKey(key))).join(" and ")} in one step (opId ${short.opId(ask.opId)})`;
    case "session":
      return `${describeStep(ask.does, short)} in transaction ${ask.session}`;
    case "call":
      return ask.what;
  }
}

function describeStep(step: SessionStep, short: Shortener): string {
  return "write" in step || "key" in step ? describeAsk(plainAsk(step), short) : stepWords(step);
}

/** What a statement of a transaction would be outside of it. */
function plainAsk(step: Extract<SessionStep, { step: "read" | "write" }>): Ask {
  return step.step === "read"
    ? { ask: "read", key: step.key }
    : { ask: "write", write: step.write };
}

function stepWords(step: Exclude<SessionStep, { step: "read" | "write" }>): string {
  switch (step.step) {
    case "begin":
      return "begin";
    case "insert":
      return `insert ${step.row.key} into ${step.row.table}`;
    case "commit":
      return "commit";
    case "rollback":
      return "roll back";
    case "leave":
      return "hang up";
  }
}

/** `create k1 running`. */
export function labelAsk(ask: Ask, short: Shortener): string {
  switch (ask.ask) {
    case "read":
      return `read ${short.key(ask.key)}`;
    case "write":
      return `${verb(ask.write)} ${short.key(ask.write.key)}${become(ask.write, " → ")}`;
    case "writeAll":
      return `write ${ask.keys.map((key) => short.key(key)).join(" + ")}`;
    case "session": {
      const { does } = ask;
      return "write" in does || "key" in does ? labelAsk(plainAsk(does), short) : stepWords(does);
    }
    case "call":
      return ask.what;
  }
}

/** Whether a write renews an entry without a new value. */
export function isRenewal(ask: Ask): boolean {
  return ask.ask === "write" && typeof ask.write.next === "object" && "touch" in ask.write.next;
}

function verb({ expect, next }: Write): string {
  if (next === "removed") {
    return "remove";
  }
  if ("touch" in next) {
    return "renew";
  }
  return expect === "absent" || "absentSince" in expect ? "create" : "replace";
}

function become({ next }: Write, as: string): string {
  const state = next !== "removed" && "value" in next ? stateOf(next.value) : undefined;
  return state === undefined ? "" : `${as}${state}`;
}

/** Records of core begin with a version digit and JSON; what has a state is told by it. */
function stateOf(value: string): string | undefined {
  const found = /^\d?\{[^\n]*?"state":"([A-Za-z-]{1,24})"/.exec(value);
  return found?.[1];
}
