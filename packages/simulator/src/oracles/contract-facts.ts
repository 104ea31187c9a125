// What answers of the store tell of single keys: which write was the latest, at which revision, and
// what stood there. Shared by the oracles of the contract.

import type {
  Applied,
  Entry,
  Refused,
  Write,
  WriteAllResult,
  WriteWithoutOpId,
} from "@onceproof/core/advanced";
import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { History } from "../world/history.js";
import type { Call } from "./judge.js";

/** One send of one write, be it a part of several; each has the opId of the whole. */
export interface Send {
  readonly call: Call;
  readonly write: Write;
  /** Undefined if it is not known. */
  readonly answer?: Applied | Refused | PartApplied | PartSpared;
  /** Whether it is one of several. */
  readonly isPart: boolean;
}

/** A refused `writeAll` changed nothing here, and tells nothing of this key. */
export interface PartSpared {
  readonly outcome: "spared";
}

/** What an applied `writeAll` tells of one of its keys; revision 0 tells nothing. */
export interface PartApplied {
  readonly outcome: "part";
  readonly revision: number;
  readonly now: number;
  readonly replayed: boolean;
}

/** What one answer shows of one key at one instant. */
export interface Fact {
  readonly call: Call;
  readonly key: string;
  readonly now: number;
  /** Undefined if nothing is known of the key any more. */
  readonly revision: number | undefined;
  /** The latest write, where the answer tells. */
  readonly opId?: string;
  readonly entry?: Entry;
  /** Until when what stands there is seen; absent if the answer does not tell, or after a removal. */
  readonly expiresAt?: number;
  /** Whether the answer is that this write was applied now, or before; absent for looks. */
  readonly applied?: "now" | "before";
}

/**
 * All sends with what became of them, in the order of their beginning. Where the connection was
 * refused there was none.
 */
export function sendsOf(history: History): readonly Send[] {
  const single = operationsOf(history, "store.write").map((call): Send => {
    const answer = returnedBy(call);
    const known = answer === undefined || answer.outcome === "unknown" ? undefined : answer;
    return { call, write: call.input.write, isPart: false, ...(known && { answer: known }) };
  });
  return [...single, ...operationsOf(history, "store.writeAll").flatMap(partsOf)]
    .filter(({ call: { answer } }) => answer === undefined || "returned" in answer)
    .sort((one, other) => one.call.beganUs - other.call.beganUs || one.call.id - other.call.id);
}

function partsOf(call: OperationOf<"store.writeAll">): readonly Send[] {
  const { opId, writes } = call.input;
  const answer = returnedBy(call);
  const part = (write: WriteWithoutOpId): Omit<Send, "answer"> => ({
    call,
    write: { ...write, opId } as Write,
    isPart: true,
  });
  if (answer === undefined || answer.outcome === "unknown") {
    return writes.map(part);
  }
  if (answer.outcome === "refused") {
    return writes.map((write, at) => ({
      ...part(write),
      answer: at === answer.index ? refusalOf(answer) : { outcome: "spared" },
    }));
  }
  const { revisions, now, replayed } = answer;
  return writes.map((write, at) => ({
    ...part(write),
    answer: { outcome: "part", revision: revisions[at] ?? 0, now, replayed },
  }));
}

function refusalOf(answer: Extract<WriteAllResult, { outcome: "refused" }>): Refused {
  const { index: _, ...refused } = answer;
  return refused;
}

/** All facts, in the order of the calls' beginning. */
export function factsOf(history: History): readonly Fact[] {
  const looks = operationsOf(history, "store.read").flatMap((call): readonly Fact[] => {
    const seen = returnedBy(call);
    return seen === undefined ? [] : [look(call, call.key, seen)];
  });
  return [...looks, ...sendsOf(history).flatMap(told)].sort(
    (one, other) => one.call.beganUs - other.call.beganUs || one.call.id - other.call.id,
  );
}

function told({ call, write: { key, opId, next }, answer }: Send): readonly Fact[] {
  if (
    answer === undefined ||
    answer.outcome === "spared" ||
    (answer.outcome === "part" && answer.revision === 0)
  ) {
    return [];
  }
  if (answer.outcome === "refused") {
    return [look(call, key, answer)];
  }
  const { revision, now, replayed } = answer;
  const applied = replayed ? "before" : "now";
  const tells = answer.outcome === "applied" && next !== "removed";
  const expiresAt = tells ? { expiresAt: answer.expiresAt ?? Infinity } : {};
  return [{ call, key, now, revision, opId, applied, ...expiresAt }];
}

function look(
  call: Call,
  key: string,
  { entry, revision, now }: { entry?: Entry; revision?: number; now: number },
): Fact {
  if (entry === undefined) {
    return { call, key, now, revision };
  }
  const { stamp, expiresAt = Infinity } = entry;
  return { call, key, now, revision: stamp.revision, opId: stamp.opId, entry, expiresAt };
}

/** S4: whether what was shown refuses the write. */
export function refuses({ expect }: WriteWithoutOpId, { entry, revision = 0 }: Refused): boolean {
  if (expect === "absent") {
    return entry !== undefined;
  }
  if ("absentSince" in expect) {
    return entry !== undefined || revision > expect.absentSince;
  }
  const stamp = entry?.stamp;
  return stamp?.revision !== expect.revision || stamp.opId !== expect.opId;
}

/** Whether a write names the stamp that it expects. */
export function isStamped({ expect }: WriteWithoutOpId): boolean {
  return typeof expect === "object" && "opId" in expect;
}
