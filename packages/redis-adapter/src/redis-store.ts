// The store on Redis or Valkey: each read, each write and each writeAll is one script call.

import {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type Deadline,
  type MultiKeyStore,
  type Observation,
  StoreError,
  startDeadline,
  type Unknown,
  type WatchableStore,
  type WriteAllResult,
  type WriteResult,
} from "@onceproof/core/advanced";
import { type RedisStoreOptions, resolveOptions } from "./options.js";
import { rememberSetup } from "./preflight-setup.js";
import { replicaWaiter, type WaitForReplicas } from "./replica-wait.js";
import { decodeRead, decodeWrite, decodeWriteAll } from "./reply.js";
import { type CallOutcome, scriptCaller } from "./script-call.js";
import { READ } from "./scripts.js";
import { checkOneSlot } from "./tagged-key.js";
import { writeAllCall } from "./write-all.js";
import { type Step, stepOf } from "./write-step.js";

/** The store on Redis or Valkey, with the optional capabilities it has. */
export interface RedisStore extends MultiKeyStore, WatchableStore {}

const SAID = {
  unavailable: "Redis gave no answer",
  full: "Redis is out of memory and took nothing",
  evicting:
    "Redis may evict records, whose requests would then run again: set maxmemory-policy noeviction," +
    " or accept that by evictionAllowed: true",
} as const;

/** Without it a log of the message alone would not say that the server is down, or the password wrong. */
function detailOf(code: keyof typeof SAID, cause: unknown): string {
  return code === "unavailable" && cause instanceof Error ? `: ${cause.message}` : "";
}

function unavailable(outcome: Exclude<CallOutcome, { kind: "reply" }>): StoreError {
  const { code, said } =
    outcome.kind === "nothing" ? outcome : { code: "unavailable" as const, said: undefined };
  const message =
    code === "unavailable" && said !== undefined
      ? `Redis answered ${said} and did nothing`
      : `${SAID[code]}${detailOf(code, outcome.cause)}`;
  return new StoreError(code, message, { cause: outcome.cause });
}

type Answered =
  | { readonly outcome: "applied"; readonly replayed: boolean }
  | { readonly outcome: "refused" };

/** What a call came to: a decoded reply, or `unknown`. */
function settled<R extends Answered>(
  outcome: CallOutcome,
  decode: (reply: unknown, opId: string, ttl: string) => R,
  opId = "",
  ttl = "",
): R | Unknown {
  switch (outcome.kind) {
    case "reply": {
      const result = decode(outcome.reply, opId, ttl);
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
}

/**
 * Builds a store over your own connection to Redis or Valkey (7.0 or later): one server, a Cluster, or
 * a master that Sentinel names.
 *
 * Guarantee: clauses S0 to S11, on the server's clock, as long as the server evicts nothing
 * (`maxmemory-policy noeviction`) and is never replaced by a replica that lacks applied writes. With
 * `watch` (on by default) waiters are woken. On a Cluster, the keys of one writeAll must lie in one
 * slot; what core's state machines and registers write together does.
 * Cost: one EVALSHA per read, write and writeAll, applied or refused; with `waitReplicas` one WAIT
 * more for what applies; one INFO before a client's first call and after it lost a connection.
 * Fails: a write without a reply answers `unknown`; StoreError `unavailable` or `full` for what
 * certainly did nothing, `unavailable` for a read without a reply, `closed` after `close`, `evicting`
 * from every call while the server may evict records, unless `evictionAllowed`;
 * ArgumentError `crossSlot`, before anything is sent.
 */
export function createRedisStore(
  options: RedisStoreOptions & { readonly watch: false },
): MultiKeyStore;
export function createRedisStore(options: RedisStoreOptions): RedisStore;
export function createRedisStore(options: RedisStoreOptions): MultiKeyStore | RedisStore {
  const { connection, keyOf, hashTags, runtime, capabilities, watch, ...resolved } =
    resolveOptions(options);
  const { guard, waitReplicas, waitReplicasMs } = resolved;
  const { maxValueBytes, operationTimeoutMs, tombstoneMs } = capabilities;
  const call = scriptCaller(connection, runtime, operationTimeoutMs, guard);
  const replicas =
    waitReplicas === 0 ? undefined : replicaWaiter(connection, waitReplicas, waitReplicasMs);
  const tell = watch === undefined ? ["0"] : [];
  let closed = false;

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("closed", "the store is closed");
    }
  }

  /** Sends a write; what applied then waits for its replicas, within the same time. */
  async function replicated<R extends Answered>(
    wait: WaitForReplicas,
    opId: string,
    send: (deadline: Deadline) => Promise<CallOutcome>,
    decode: (reply: unknown) => R,
    keyOfApplied: (result: R) => string,
  ): Promise<R | Unknown> {
    const deadline = startDeadline(runtime, operationTimeoutMs);
    try {
      const outcome = await send(deadline);
      const result = settled(outcome, decode);
      if (result.outcome !== "applied") {
        return result;
      }
      const fresh = !result.replayed && outcome.kind === "reply" && !outcome.resent;
      const cause = await wait({ key: keyOfApplied(result), opId, fresh }, deadline);
      return cause === undefined ? result : { outcome: "unknown", cause };
    } finally {
      deadline.cancel();
    }
  }

  function writeReplicated(
    wait: WaitForReplicas,
    key: string,
    opId: string,
    { script, args, ttl }: Step,
  ): Promise<WriteResult> {
    return replicated(
      wait,
      opId,
      (deadline) => call(script, key, args, 1, deadline),
      (reply) => decodeWrite(reply, opId, ttl),
      () => key,
    );
  }

  const store: MultiKeyStore = {
    capabilities,

    async read(key): Promise<Observation> {
      checkStoreKey(key);
      checkOpen();
      const outcome = await call(READ, keyOf(key), []);
      if (outcome.kind !== "reply") {
        throw unavailable(outcome);
      }
      return decodeRead(outcome.reply);
    },

    async write(write): Promise<WriteResult> {
      checkWrite(write, maxValueBytes);
      checkOpen();
      const step = stepOf(write, tombstoneMs, tell);
      const key = keyOf(write.key);
      // By arguments, not by closures: only a wait for replicas needs those.
      return replicas === undefined
        ? settled(await call(step.script, key, step.args), decodeWrite, write.opId, step.ttl)
        : writeReplicated(replicas, key, write.opId, step);
    },

    async writeAll(all): Promise<WriteAllResult> {
      checkWriteAll(all, maxValueBytes);
      checkOpen();
      const keys = all.writes.map(({ key }) => keyOf(key));
      if (hashTags || connection.cluster) {
        checkOneSlot(keys.map((key) => connection.keyPrefix + key));
      }
      const { script, args } = writeAllCall(all, tombstoneMs, watch !== undefined);
      const [first = "", ...others] = keys;
      const send = (deadline?: Deadline): Promise<CallOutcome> =>
        call(script, first, [...others, ...args], keys.length, deadline);
      if (replicas === undefined) {
        return settled(await send(), decodeWriteAll);
      }
      return replicated(
        replicas,
        all.opId,
        send,
        decodeWriteAll,
        // Of a replay, a key that still bears its opId.
        (result) =>
          keys[result.outcome === "applied" ? result.revisions.findIndex((r) => r > 0) : 0] ??
          first,
      );
    },

    async close(): Promise<void> {
      closed = true;
      watch?.close();
    },
  };
  const whole: MultiKeyStore | RedisStore =
    watch === undefined
      ? store
      : {
          ...store,
          async watch(key, signal) {
            checkStoreKey(key);
            await watch.watch(keyOf(key), signal);
          },
        };
  rememberSetup(whole, {
    client: options.client,
    keyOf,
    durability: capabilities.durability,
    evictionAllowed: guard === undefined,
    hashTags,
    operationTimeoutMs,
    waitReplicas,
    watch: watch !== undefined,
  });
  return whole;
}
