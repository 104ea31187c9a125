// One insert: a create of all its keys in one step, and what to make of a refusal.

import type { Entry } from "../contract/atomic-store.js";
import type { WriteWithoutOpId } from "../contract/capabilities.js";
import { utf8Length } from "../contract/check-write.js";
import { checkSignal } from "../shared/arguments.js";
import { fingerprintOf } from "../shared/fingerprint.js";
import { encodeInput } from "../shared/input.js";
import { randomId } from "../shared/random-id.js";
import { decodeRecord, encodeRecord } from "../shared/record.js";
import { logId } from "../shared/request-log.js";
import { type StepBase, sendStep } from "../shared/step.js";
import { decodeValue } from "../shared/value-codec.js";
import { type SortedKeys, uniqueKey } from "./key-set.js";
import type { InsertResult } from "./result.js";

/** What is stored under each of the keys, before the value. */
export interface InsertRecord {
  /** Who inserted it: a request id, or the opId of the write. */
  readonly by: string;
  readonly keys: SortedKeys;
}

/** One insert about to happen. */
export interface Insertion {
  readonly keys: SortedKeys;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export async function insert(
  base: StepBase,
  { keys, value, requestId, signal }: Insertion,
): Promise<InsertResult<unknown>> {
  const { prefix, store, runtime, emit } = base;
  const opId = randomId(runtime);
  const record: InsertRecord = { by: logId(requestId, opId), keys };
  const fingerprint = fingerprintOf([keys, value]);
  const room = store.capabilities.maxValueBytes - utf8Length(encodeRecord(record));
  const text = encodeRecord(record, encodeInput(value, "value", room));
  checkSignal(signal);
  const next = { value: text, ttlMs: "never" } as const;
  const writes = keys.map((named) => {
    return { key: uniqueKey(prefix, named), expect: "absent", next } as const;
  });
  // Events tell of the first key; the others share its fate.
  const about = keys[0][1];
  const answer = await sendStep(base, about, opId, writes as [WriteWithoutOpId], signal);
  if (answer.outcome === "indeterminate") {
    return answer;
  }
  const result =
    answer.outcome === "applied"
      ? ({ outcome: "created", value } as const)
      : judge(answer, record, fingerprint, requestId !== undefined);
  if (result.outcome === "created" || result.outcome === "replayed") {
    emit(about, { type: result.outcome });
  } else {
    emit(about, { type: "refused", reason: result.outcome });
  }
  return result;
}

/** What a refusal means. It shows the first conflict, and what stands there stands for good. */
function judge(
  { entry, index = 0 }: { readonly entry?: Entry; readonly index?: number },
  mine: InsertRecord,
  fingerprint: string,
  named: boolean,
): InsertResult<unknown> {
  if (entry !== undefined) {
    const { header, payload } = decodeRecord<InsertRecord>(entry.value);
    const value = decodeValue(payload);
    if (header.by === mine.by && JSON.stringify(header.keys) === JSON.stringify(mine.keys)) {
      return { outcome: named ? "replayed" : "created", value };
    }
    // Taken anew of what is stored, so that a later version of fingerprints still compares.
    if (fingerprintOf([header.keys, value]) === fingerprint) {
      return { outcome: "exists", value };
    }
  }
  return { outcome: "conflict", key: mine.keys[index]?.[0] ?? "" };
}
