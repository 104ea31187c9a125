// Other libraries that run a request once, each used as its documentation shows.

import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { CachePersistenceLayer } from "@aws-lambda-powertools/idempotency/cache";
import { Idempotency } from "@node-idempotency/core";
import { RedisStorageAdapter } from "@node-idempotency/storage-adapter-redis";
import {
  type DedupUser,
  LEASE_MS,
  type OpenUsers,
  PAYLOAD,
  RETENTION_MS,
  type Receipt,
} from "../compare/users.js";
import { versionOf } from "../compare/version.js";
import { bareDedup } from "./bare.js";
import { NODE_REDIS, NODE_REDIS_4, type NodeRedis, openNodeRedis } from "./clients.js";

/** The bare commands of the client that node-idempotency brings along, through its thin adapter. */
function bareOf(adapter: RedisStorageAdapter): DedupUser {
  return bareDedup({
    client: NODE_REDIS_4,
    setNew: (key, value, ttlMs) => adapter.setIfNotExists(key, value, { ttl: ttlMs }),
    set: (key, value, ttlMs) => adapter.set(key, value, { ttl: ttlMs }),
    get: (key) => adapter.get(key),
  });
}

function nodeIdempotency(adapter: RedisStorageAdapter): DedupUser {
  const idempotency = new Idempotency(adapter);
  return {
    name: `node-idempotency ${versionOf("@node-idempotency/core")} (with fingerprint)`,
    client: NODE_REDIS_4,
    kind: "peer",
    lacks:
      "owner check, lease (a crash blocks the key for its retention), waiting by default, values beyond JSON",
    async run(key, handler) {
      const headers = { "Idempotency-Key": key };
      const request = { headers, path: "/payments", method: "POST", body: PAYLOAD };
      const known = await idempotency.onRequest(request);
      if (known !== undefined) {
        return known.body;
      }
      const body = handler();
      await idempotency.onResponse(request, { body });
      return body;
    },
  };
}

function powertools(client: NodeRedis): DedupUser {
  const config = new IdempotencyConfig({
    eventKeyJmesPath: "orderId",
    expiresAfterSeconds: RETENTION_MS / 1000,
  });
  // Outside Lambda somebody must say how long an attempt may take.
  config.registerLambdaContext({ getRemainingTimeInMillis: () => LEASE_MS } as Parameters<
    typeof config.registerLambdaContext
  >[0]);
  const run = makeIdempotent(
    async (_event: { readonly orderId: string }, handler: () => Receipt) => handler(),
    { persistenceStore: new CachePersistenceLayer({ client }), config },
  );
  return {
    name: `Powertools idempotency ${versionOf("@aws-lambda-powertools/idempotency")}`,
    client: NODE_REDIS,
    kind: "peer",
    lacks: "owner check, store clock, waiting, renewal, values beyond JSON",
    run: (key, handler) => run({ orderId: key }, handler),
  };
}

export async function openDedupPeers(port: number): Promise<OpenUsers> {
  const adapter = new RedisStorageAdapter({ url: `redis://127.0.0.1:${port}` });
  await adapter.connect();
  const nodeRedis = await openNodeRedis(port);
  return {
    locks: [],
    dedups: [bareOf(adapter), nodeIdempotency(adapter), powertools(nodeRedis)],
    async close() {
      await adapter.disconnect();
      nodeRedis.destroy();
    },
  };
}
