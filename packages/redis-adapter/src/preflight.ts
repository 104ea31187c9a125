// Looks at the servers and the client before they are relied on, and says what it found.

import {
  ArgumentError,
  type Deadline,
  driverError,
  startDeadline,
  systemRuntime,
  TIMED_OUT,
} from "@onceproof/core/advanced";
import type { RedisClient } from "./client.js";
import { plainError } from "./connection-error.js";
import { connectionOf, isClient } from "./connection-of.js";
import type { Finding } from "./finding.js";
import { type ClientFacts, clientFacts, judgeClient } from "./preflight-client.js";
import { ready, unanswered, unconnected } from "./preflight-connection.js";
import { readFacts, type ServerFacts } from "./preflight-facts.js";
import { judgePermissions, judgeWatch } from "./preflight-permissions.js";
import { judgeServer, type Remark } from "./preflight-server.js";
import { type Durability, type Setup, setupOf } from "./preflight-setup.js";
import { redisKey } from "./redis-key.js";
import type { RedisStore } from "./redis-store.js";
import { checkReadsFromMaster } from "./replica-reads.js";
import { serversOf } from "./servers.js";
import { taggedRedisKey } from "./tagged-key.js";
import { watchUnavailable } from "./watch-finding.js";

/** What preflight found. Plain data. */
export interface PreflightReport {
  /** Whether nothing fatal was found. */
  readonly fit: boolean;
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** What an applied write survives: as declared to the store, and by the weakest server's settings. */
  readonly durability: { readonly declared?: Durability; readonly found?: Durability };
  /** Every master that the client speaks to. */
  readonly servers: readonly ServerFacts[];
  readonly client: ClientFacts;
}

/** Options of `preflight`. */
export interface PreflightOptions {
  /** It settles within this time; what was not answered by then is a finding. @defaultValue 5000 */
  readonly timeoutMs?: number;
}

const SEVERITIES = ["fatal", "warning", "info"] as const;
const WEAKEST = ["process", "asynchronous", "durable"] as const;

/** What a store would refuse the client for, before it can be looked behind. */
function refusedClient(client: RedisClient): Finding | undefined {
  const parts = client as { readonly options?: unknown; readonly _options?: unknown };
  try {
    checkReadsFromMaster(parts.options ?? parts._options);
    return undefined;
  } catch (error) {
    return {
      id: "clientReadsFromReplicas",
      severity: "fatal",
      finding: driverError(error).message,
      remedy: "pass a client that only speaks to masters",
    };
  }
}

/** A bare client: nothing is declared. */
function bareSetup(client: RedisClient): Setup {
  const { cluster } = connectionOf(client);
  return {
    client,
    keyOf: (key) => (cluster ? taggedRedisKey("onceproof", key) : redisKey("onceproof", key)),
    evictionAllowed: false,
    hashTags: cluster,
    operationTimeoutMs: 2000,
    waitReplicas: 0,
    watch: true,
  };
}

/** One finding for the same remark about several servers. */
function merge(remarks: readonly Remark[]): readonly Finding[] {
  const merged = new Map<string, { remark: Remark; at: string[] }>();
  for (const remark of remarks) {
    const name = JSON.stringify([remark.id, remark.finding]);
    const known = merged.get(name) ?? { remark, at: [] };
    merged.set(name, known);
    if (remark.at !== undefined) {
      known.at.push(remark.at);
    }
  }
  const findings = [...merged.values()].map(
    ({ remark: { id, severity, finding, remedy }, at }): Finding => ({
      id,
      severity,
      finding: at.length > 0 ? `${at.join(", ")}: ${finding}` : finding,
      remedy,
    }),
  );
  return SEVERITIES.flatMap((severity) => findings.filter((found) => found.severity === severity));
}

/** Fails by itself when the time is over. */
async function inTime<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const done = await deadline.race(work);
  if (done === TIMED_OUT) {
    throw new Error("not in time");
  }
  return done;
}

/**
 * Looks at the servers behind a store or client: eviction, persistence, replicas, version, cluster
 * mode, what the client's user may run, whether waiters can be woken, and the client's own settings.
 *
 * Guarantee: reads only; never rejects for what it finds or cannot find out, which are findings.
 * Cost: about five commands per master, and one connection opened and closed.
 * Fails: ArgumentError if it is given neither a store of this package nor a client that a store takes.
 */
export async function preflight(
  target: RedisStore | Omit<RedisStore, "watch"> | RedisClient,
  { timeoutMs = 5000 }: PreflightOptions = {},
): Promise<PreflightReport> {
  const known = setupOf(target);
  if (known === undefined && !isClient(target)) {
    throw new ArgumentError(
      "optionInvalid",
      "preflight takes what createRedisStore() returned, or a client itself, not in an object",
    );
  }
  const refused = known === undefined ? refusedClient(target as RedisClient) : undefined;
  if (refused !== undefined) {
    const own = clientFacts(target);
    return { fit: false, findings: [refused], durability: {}, servers: [], client: own };
  }
  const setup = known ?? bareSetup(target as RedisClient);
  const { client, durability: declared } = setup;
  const deadline = startDeadline(systemRuntime, timeoutMs);
  const remarks: Remark[] = [];
  const servers: ServerFacts[] = [];
  try {
    await ready(client, deadline);
    const connection = connectionOf(client);
    const absent = unconnected(client, connection, timeoutMs);
    const handles = absent === undefined ? serversOf(client) : [];
    if (handles.length === 0) {
      remarks.push(absent ?? unanswered("the cluster", new Error("no master is known")));
    }
    const before = connection.lastError();
    await Promise.all(
      handles.map(async (server) => {
        try {
          // First, for it alone fails where the server does not hear the client.
          const rights = await inTime(deadline, judgePermissions(server, setup, systemRuntime));
          const facts = await inTime(deadline, readFacts(server));
          servers.push(facts);
          remarks.push(...judgeServer(facts, setup), ...rights);
        } catch (error) {
          const said = connection.lastError();
          const cause = said === undefined || said === before ? error : said;
          remarks.push(unanswered(server.address, plainError(cause)));
        }
      }),
    );
    if (servers.length > 0) {
      const watch = judgeWatch(setup, systemRuntime);
      remarks.push(...(await inTime(deadline, watch).catch((late) => [watchUnavailable(late)])));
    }
  } finally {
    deadline.cancel();
  }
  const own = clientFacts(client);
  const findings = merge([...remarks, ...judgeClient(own, setup)]);
  const told = servers.every(({ durability }) => durability !== undefined);
  const found = WEAKEST.find((weak) => servers.some(({ durability }) => durability === weak));
  return {
    fit: findings.every(({ severity }) => severity !== "fatal"),
    findings,
    durability: {
      ...(declared === undefined ? undefined : { declared }),
      ...(told && found !== undefined ? { found } : undefined),
    },
    servers: servers.sort((a, b) => (a.address < b.address ? -1 : 1)),
    client: own,
  };
}
