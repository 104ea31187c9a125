// The store on a single Redis or Valkey server: each read and each write is one script call.

import {
  type AtomicStore,
  type CreateWrite,
  checkStoreKey,
  checkWrite,
  type Observation,
  StoreError,
  type Write,
  type WriteResult,
} from "@onceproof/core/advanced";
import { type RedisStoreOptions, resolveOptions } from "./options.js";
import { packStamp, packTtl } from "./packed-entry.js";
import { redisKey } from "./redis-key.js";
import { decodeRead, decodeWrite } from "./reply.js";
import { type CallOutcome, scriptCaller } from "./script-call.js";
import { CREATE, READ, REMOVE, REPLACE, REPLACE_KEEP, type Script, TOUCH } from "./scripts.js";

interface Step {
  readonly script: Script;
  readonly args: readonly string[];
  /** The time to live that goes into the header. */
  readonly ttl: string;
}

const NEVER = packTtl("never");

/** How long Redis keeps the key, in seconds after the write; "" is for ever. */
function keptSeconds(ttlMs: number | "never", tombstoneMs: number): string {
  // One second more: EXAT counts from TIME's whole seconds, which lie up to one second back.
  return ttlMs === "never" ? "" : String(Math.ceil(Math.max(ttlMs, tombstoneMs) / 1000) + 1);
}

function isCreate(write: Write): write is CreateWrite {
  return write.expect === "absent" || "absentSince" in write.expect;
}

/** The script and arguments of one write. */
function stepOf(write: Write, tombstoneMs: number): Step {
  if (isCreate(write)) {
    const { opId, expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    const ttl = packTtl(next.ttlMs);
    const kept = keptSeconds(next.ttlMs, tombstoneMs);
    return { script: CREATE, args: [opId, ttl + next.value, kept, String(since)], ttl };
  }
  const { opId, expect, next } = write;
  // A write that expects its own stamp can only be a replay: the scripts compare the stamp first.
  const stamp = expect.opId === opId ? "" : packStamp(expect);
  const tombstone = keptSeconds(tombstoneMs, tombstoneMs);
  if (next === "removed") {
    return { script: REMOVE, args: [opId, stamp, "", tombstone], ttl: NEVER };
  }
  if ("touch" in next) {
    const ttl = packTtl(next.ttlMs);
    const kept = keptSeconds(next.ttlMs, tombstoneMs);
    return { script: TOUCH, args: [opId, stamp, ttl, kept], ttl };
  }
  const { value, ttlMs } = next;
  if (ttlMs === "keep") {
    return { script: REPLACE_KEEP, args: [opId, stamp, value, tombstone], ttl: NEVER };
  }
  const ttl = packTtl(ttlMs);
  const kept = keptSeconds(ttlMs, tombstoneMs);
  return { script: REPLACE, args: [opId, stamp, ttl + value, kept], ttl };
}

function unavailable(outcome: Exclude<CallOutcome, { kind: "reply" }>): StoreError {
  return outcome.kind === "nothing" && outcome.full
    ? new StoreError("full", "Redis is out of memory and took nothing", { cause: outcome.cause })
    : new StoreError("unavailable", "Redis gave no answer", { cause: outcome.cause });
}

/**
 * Builds a store over your own connection to one Redis or Valkey server (7.0 or later).
 *
 * Guarantee: clauses S0 to S11, on the server's clock, as long as the server evicts nothing
 * (`maxmemory-policy noeviction`) and is never replaced by a replica that lacks applied writes.
 * Cost: one EVALSHA per read and per write, applied or refused.
 * Fails: a write without a reply answers `unknown`; StoreError `unavailable` or `full` for what
 * certainly did nothing, `unavailable` for a read without a reply, `closed` after `close`.
 */
export function createRedisStore(options: RedisStoreOptions): AtomicStore {
  const { connection, keyPrefix, runtime, capabilities } = resolveOptions(options);
  const { maxValueBytes, operationTimeoutMs, tombstoneMs } = capabilities;
  const call = scriptCaller(connection, runtime, operationTimeoutMs);
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  return {
    capabilities,

    async read(key): Promise<Observation> {
      checkStoreKey(key);
      checkOpen();
      const outcome = await call(READ, redisKey(keyPrefix, key), []);
      if (outcome.kind !== "reply") {
        throw unavailable(outcome);
      }
      return decodeRead(outcome.reply);
    },

    async write(write): Promise<WriteResult> {
      checkWrite(write, maxValueBytes);
      checkOpen();
      const { script, args, ttl } = stepOf(write, tombstoneMs);
      const outcome = await call(script, redisKey(keyPrefix, write.key), args);
      switch (outcome.kind) {
        case "reply": {
          const result = decodeWrite(outcome.reply, write.opId, ttl);
          // The first send may have applied and been superseded, which refuses the second.
          return result.outcome === "refused" && outcome.resent
            ? { outcome: "unknown", cause: new Error("the client sent the write twice") }
            : result;
        }
        case "noAnswer":
          return { outcome: "unknown", cause: outcome.cause };
        case "nothing":
          throw unavailable(outcome);
      }
    },

    async close(): Promise<void> {
      closed = true;
    },
  };
}
