// Creating an entity: one conditional write, and the recognition of its creator.

import { checkSignal } from "../shared/arguments.js";
import { decodeEntity, encodeEntity, type Seen, seenIn } from "../shared/entity.js";
import type { EntityOptions } from "../shared/entity-options.js";
import { randomId } from "../shared/random-id.js";
import { logId } from "../shared/request-log.js";
import { sendStep } from "../shared/step.js";
import { storeKey } from "../shared/store-key.js";
import type { Head } from "./record.js";
import type { CreateResult } from "./result.js";
import { type Snapshot, snapshotOf } from "./snapshot.js";

/** One entity about to be created. */
export interface Creation {
  readonly id: string;
  readonly state: string;
  readonly payload: string;
  readonly requestId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export async function createEntity(
  options: EntityOptions,
  { id, state, payload, requestId, signal }: Creation,
): Promise<CreateResult<string, unknown>> {
  checkSignal(signal);
  const { prefix, runtime, ttlMs, emit } = options;
  const opId = randomId(runtime);
  // Kept for good, not in the bounded log: the creator is always recognised.
  const by = logId(requestId, opId);
  const log = { lines: "", count: 0, dropped: -1 };
  const value = encodeEntity<Head>({ body: { head: { state, by }, payload }, log });
  const write = { key: storeKey(prefix, id), expect: "absent", next: { value, ttlMs } } as const;
  const answer = await sendStep(options, id, opId, [write], signal);
  if (answer.outcome === "indeterminate") {
    return answer;
  }
  const applied = answer.outcome === "applied";
  const { revision = 0, now } = answer;
  const seen: Seen = applied
    ? { entry: { value, stamp: { revision, opId } }, revision, now }
    : seenIn(answer);
  // What refuses a create is an entity. After an unanswered send it may be this call's own, and may
  // have moved since.
  const snapshot = snapshotOf(id, seen) as Snapshot<string, unknown>;
  if (decodeEntity<Head>(seen).body?.head.by !== by) {
    emit(id, { type: "refused", reason: "exists" });
    return { outcome: "exists", snapshot };
  }
  const outcome = applied || requestId === undefined ? "created" : "replayed";
  emit(id, { type: outcome });
  return { outcome, snapshot };
}
