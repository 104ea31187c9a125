// Judges every key of the store by the contract: some order of its calls explains every answer,
// with each write of unknown outcome taking effect at some time after it was sent, or never.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  atomicStoreModel,
  checkHistory,
  type Operation,
  type StoreInput,
  type StoreOutput,
} from "@onceproof/simulator/checker";
import type { Call } from "../log/call.js";
import { groupBy, type Verdict, type Violation } from "./violation.js";

const SENTENCE = "S1: Per key, reads and writes are linearizable.";
const MAX_STEPS = 1_000_000;
const LINES_SHOWN = 40;
// To make a counterexample small takes far longer than to find one.
const EXPLAINED = 3;
const STEPS_TO_EXPLAIN = 2_000;
const LIMITS = { maxSteps: MAX_STEPS, maxStepsToMinimize: STEPS_TO_EXPLAIN };

function operationOf(call: Call): Operation<StoreInput, StoreOutput> | undefined {
  if (call.ended === "nothing") return undefined;
  const { by, askedAt, endedAt } = call;
  const input = call.ask as StoreInput;
  const asked = { process: by, input, invokedAt: askedAt };
  return call.ended === "told" && endedAt !== undefined
    ? { ...asked, output: call.answer as StoreOutput, returnedAt: endedAt }
    : asked;
}

const operationsOf = (calls: readonly Call[]): Operation<StoreInput, StoreOutput>[] =>
  calls.map(operationOf).filter((each) => each !== undefined);

const keyOf = ({ ask }: Call): string => {
  const input = ask as StoreInput;
  return input.kind === "read" ? input.key : input.write.key;
};

/** What an answer may tell of who wrote. */
interface Told {
  readonly outcome?: string;
  readonly entry?: { readonly stamp: { readonly opId: string } };
}

const isWrite = ({ ask }: Call): boolean => (ask as StoreInput).kind === "write";

/**
 * The calls but for writes without an answer that nobody has seen the effect of: who was told of an
 * entry, or goes on from one, was told its opId.
 *
 * A history that is right without them is right with them, as they may never take effect. To look for
 * an order of many of them takes too long.
 */
function withoutUnseen(calls: readonly Call[]): readonly Call[] {
  const seen = new Set<unknown>();
  for (const { ask, answer } of calls) {
    const input = ask as StoreInput;
    const { entry, outcome } = (answer ?? {}) as Told;
    seen.add(entry?.stamp.opId);
    if (input.kind === "write") {
      const { expect, opId } = input.write;
      if (outcome === "applied") seen.add(opId);
      if (typeof expect === "object" && "opId" in expect) seen.add(expect.opId);
    }
  }
  const isSeen = (call: Call): boolean => {
    const input = call.ask as StoreInput;
    return input.kind === "write" && seen.has(input.write.opId);
  };
  return calls.filter((call) => call.ended === "told" || !isWrite(call) || isSeen(call));
}

/** @param tombstoneMs - after which the store may forget a key that holds nothing. */
export async function judgeContract(calls: readonly Call[], tombstoneMs: number): Promise<Verdict> {
  const asked = calls.filter(({ to }) => to === "store");
  const violations: Violation[] = [];
  const undecided: string[] = [];
  const tallies = { storeCalls: 0, unknownWrites: 0, keys: 0, largestKey: 0 };
  for (const [key, group] of groupBy(asked, keyOf)) {
    const operations = operationsOf(group);
    tallies.keys += 1;
    tallies.largestKey = Math.max(tallies.largestKey, operations.length);
    for (const call of group) {
      if (call.ended !== "open") tallies.storeCalls += 1;
      if (call.ended === "lost" && isWrite(call)) tallies.unknownWrites += 1;
    }
    const spanMs = ((group.at(-1)?.askedAt ?? 0) - (group[0]?.askedAt ?? 0)) / 1e6;
    const model = atomicStoreModel({ forgets: spanMs > 0.9 * tombstoneMs });
    // Between keys a Ctrl-C is heard.
    await nextTurn();
    const fewer = withoutUnseen(group);
    const first = fewer.length < group.length ? operationsOf(fewer) : operations;
    let verdict = checkHistory(model, first, LIMITS);
    if (verdict.verdict !== "linearizable" && first !== operations) {
      verdict = checkHistory(model, operations, LIMITS);
    }
    if (verdict.verdict === "undecided") undecided.push(`${key} (${operations.length} calls)`);
    if (verdict.verdict === "violated") {
      const explained = violations.length < EXPLAINED;
      const text = explained ? `\n${firstLines(verdict.counterexample.text)}` : "";
      const detail = `key ${key}: no order of its ${operations.length} calls is right${text}`;
      violations.push({ guarantee: SENTENCE, detail });
    }
  }
  if (undecided.length > 0) {
    const keys = undecided.join(", ");
    const detail = `not known for keys that could not be decided within ${MAX_STEPS} steps: ${keys}`;
    violations.push({ guarantee: SENTENCE, detail });
  }
  return { violations, tallies: { ...tallies, undecidedKeys: undecided.length } };
}

function firstLines(text: string): string {
  return text.split("\n").slice(0, LINES_SHOWN).join("\n");
}
