// Refuses a server that may evict records: a record that is gone lets its request run again. Looked
// at once before the first call of a client and again after it lost a connection, since another
// server may answer then; in between a call pays one comparison. A client that does not tell of lost
// connections has looks taken now and then, while calls go on.

import { driverError, type Runtime } from "@onceproof/core/advanced";
import type { RedisClient } from "./client.js";
import type { Connection } from "./connection.js";
import { connectionOf } from "./connection-of.js";
import { OWN_CLIENT, replyCode } from "./reply-error.js";
import { evicts, parseInfo } from "./server-info.js";
import { type ServerHandle, serversOf } from "./servers.js";

/** What a look came to. */
export type Look =
  | { readonly kind: "passed" }
  | { readonly kind: "evicting"; readonly cause: Error }
  /** No server said anything, not even no. */
  | { readonly kind: "noAnswer"; readonly cause: unknown };

export interface EvictionGuard {
  /** Whether no look is due. */
  passed(): boolean;
  /** Looks; those who ask at the same time share one look. */
  look(): Promise<Look>;
}

const LOOK_WITHIN_MS = 1000;
// Where a client does not tell that it lost a connection, one call so often has another look taken.
const LOOK_AGAIN_MS = 1000;
const PASSED: Look = { kind: "passed" };

async function lookAt({ address, send }: ServerHandle, runtime: Runtime): Promise<Look> {
  let cancel = (): void => {};
  const late = new Promise<Look>((resolve) => {
    const cause = new Error(`no answer to INFO from ${address}`);
    cancel = runtime.setTimer(() => resolve({ kind: "noAnswer", cause }), LOOK_WITHIN_MS);
  });
  const asked = send(["INFO", "memory"]).then(
    (reply): Look => {
      const info = parseInfo(reply);
      if (Object.keys(info).length === 0) {
        const cause = new Error(`${address} answered INFO with nothing to read: ${OWN_CLIENT}`);
        return { kind: "noAnswer", cause };
      }
      return evicts(info)
        ? {
            kind: "evicting",
            cause: new Error(`${address} has maxmemory-policy ${info.maxmemory_policy}`),
          }
        : PASSED;
    },
    // A server that lets nobody ask is taken as it is; preflight tells of it.
    (error: unknown): Look =>
      replyCode(error) === undefined ? { kind: "noAnswer", cause: driverError(error) } : PASSED,
  );
  return Promise.race([asked, late]).finally(cancel);
}

function create(client: RedisClient, connection: Connection, runtime: Runtime): EvictionGuard {
  let passedAt = -1;
  let lookAgainAtMs = 0;
  let looking: Promise<Look> | undefined;

  async function look(): Promise<Look> {
    const changes = connection.changes();
    const looks = await Promise.all(serversOf(client).map((server) => lookAt(server, runtime)));
    const evicting = looks.find(({ kind }) => kind === "evicting");
    lookAgainAtMs = runtime.monotonicNow() + LOOK_AGAIN_MS;
    if (evicting !== undefined) {
      passedAt = -1;
      return evicting;
    }
    // A cluster is not held up by those of its masters that are gone.
    const answered = looks.find(({ kind }) => kind === "passed");
    if (answered !== undefined) {
      passedAt = changes;
    }
    return answered ?? looks[0] ?? { kind: "noAnswer", cause: new Error("no master is known") };
  }

  function shared(): Promise<Look> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return {
    passed() {
      if (passedAt !== connection.changes()) {
        return false;
      }
      if (!connection.tells && runtime.monotonicNow() >= lookAgainAtMs) {
        // Nobody waits for this one: a master that is gone holds no call up.
        shared().catch(() => {});
      }
      return true;
    },
    look: shared,
  };
}

const guards = new WeakMap<RedisClient, EvictionGuard>();

/** The guard of a client, shared by all its stores. */
export function evictionGuard(client: RedisClient, runtime: Runtime): EvictionGuard {
  let guard = guards.get(client);
  if (guard === undefined) {
    guard = create(client, connectionOf(client), runtime);
    guards.set(client, guard);
  }
  return guard;
}
