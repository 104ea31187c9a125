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

function operationOf(call: Call): Operation<StoreInput, StoreOutput> | undefined {
  if (call.ended === "nothing") return undefined;
  const { by, askedAt, endedAt } = call;
  const input = call.ask as StoreInput;
  const asked = { process: by, input, invokedAt: askedAt };
  return call.ended === "told" && endedAt !== undefined
    ? { ...asked, output: call.answer as StoreOutput, returnedAt: endedAt }
    : asked;
}

const keyOf = ({ ask }: Call): string => {
  const input = ask as StoreInput;
  return input.kind === "read" ? input.key : input.write.key;
};

/** @param tombstoneMs - after which the store may forget a key that holds nothing. */
export async function judgeContract(calls: readonly Call[], tombstoneMs: number): Promise<Verdict> {
  const asked = calls.filter(({ to }) => to === "store");
  const violations: Violation[] = [];
  const tallies = { storeCalls: 0, unknownWrites: 0, keys: 0, largestKey: 0, undecidedKeys: 0 };
  for (const [key, group] of groupBy(asked, keyOf)) {
    const operations = group.map(operationOf).filter((each) => each !== undefined);
    tallies.keys += 1;
    tallies.largestKey = Math.max(tallies.largestKey, operations.length);
    for (const call of group) {
      if (call.ended !== "open") tallies.storeCalls += 1;
      if (call.ended === "lost" && (call.ask as StoreInput).kind === "write") {
        tallies.unknownWrites += 1;
      }
    }
    const spanMs = ((group.at(-1)?.askedAt ?? 0) - (group[0]?.askedAt ?? 0)) / 1e6;
    const model = atomicStoreModel({ forgets: spanMs > 0.9 * tombstoneMs });
    // Between keys a Ctrl-C is heard.
    await nextTurn();
    const verdict = checkHistory(model, operations, {
      maxSteps: MAX_STEPS,
      maxStepsToMinimize: STEPS_TO_EXPLAIN,
    });
    if (verdict.verdict === "undecided") tallies.undecidedKeys += 1;
    if (verdict.verdict === "violated") {
      const explained = violations.length < EXPLAINED;
      const text = explained ? `\n${firstLines(verdict.counterexample.text)}` : "";
      const detail = `key ${key}: no order of its ${operations.length} calls is right${text}`;
      violations.push({ guarantee: SENTENCE, detail });
    }
  }
  if (tallies.undecidedKeys > 0) {
    const detail = `${tallies.undecidedKeys} keys could not be decided within ${MAX_STEPS} steps`;
    violations.push({ guarantee: SENTENCE, detail });
  }
  return { violations, tallies };
}

function firstLines(text: string): string {
  return text.split("\n").slice(0, LINES_SHOWN).join("\n");
}
