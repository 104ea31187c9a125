// What a client's own settings mean. Nothing here breaks a clause: calls have their own timeout and
// sends are recognised by their opId. It tells why an answer may be *unknown* more often than need be.

import { isNodeRedis6 } from "./client.js";
import type { Finding } from "./finding.js";
import type { Setup } from "./preflight-setup.js";

/** The settings of a client that bear on retries, as far as it shows them. */
export interface ClientFacts {
  readonly library: "ioredis" | "node-redis";
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
}

const SHOWN = [
  "RESP",
  "autoResendUnfulfilledCommands",
  "commandTimeout",
  "commandsQueueMaxLength",
  "disableOfflineQueue",
  "enableOfflineQueue",
  "maxRetriesPerRequest",
  "reconnectStrategy",
  "retryStrategy",
  "socketTimeout",
] as const;

/** The facts of a client. */
export function clientFacts(client: object): ClientFacts {
  const parts = client as { readonly options?: unknown; readonly _options?: unknown };
  const options = Object(parts.options ?? parts._options) as Record<string, unknown>;
  const nested = [options, options.redisOptions, options.defaults, options.nodeClientOptions];
  const all: Record<string, unknown> = Object.assign(
    {},
    ...nested.flatMap((part) => [part, Object(part).socket]),
  );
  const settings = SHOWN.flatMap((name) => {
    const value = all[name];
    const plain =
      value === null || ["string", "number", "boolean"].includes(typeof value) ? value : undefined;
    return plain === undefined ? [] : [[name, plain]];
  });
  return {
    library: "call" in client ? "ioredis" : "node-redis",
    settings: Object.fromEntries(settings),
  };
}

/**
 * Whether a client of a cluster stays with a master that died: node-redis 5 looks for another only
 * when the old one says so, later ones after a while of attempts.
 *
 * @see https://github.com/redis/node-redis/issues/2806
 */
function missesFailovers(client: object): boolean {
  const { _options: options } = client as { readonly _options?: Record<string, unknown> };
  const refresh = options?.topologyRefreshOnReconnectionAttemptStrategy;
  return "nodeClient" in client && (!isNodeRedis6(client) || refresh === false || refresh === 0);
}

/** Everything there is to say of a client. */
export function judgeClient({ library, settings }: ClientFacts, setup: Setup): readonly Finding[] {
  const findings: Finding[] = [];
  const reconnects = library === "ioredis" ? settings.retryStrategy : settings.reconnectStrategy;
  if (reconnects === null || reconnects === false) {
    findings.push({
      id: "clientNeverReconnects",
      severity: "warning",
      finding: "the client does not reconnect: after one lost connection every call fails",
      remedy: `let it reconnect (${library === "ioredis" ? "retryStrategy" : "reconnectStrategy"})`,
    });
  }
  if (missesFailovers(setup.client)) {
    findings.push({
      id: "clientMissesFailovers",
      severity: "warning",
      finding:
        "the client stays with a master that died: its keys are unavailable until that address" +
        " answers again, though a replica was promoted",
      remedy: "use node-redis 6 with topologyRefreshOnReconnectionAttemptStrategy, or ioredis",
    });
  }
  const { commandsQueueMaxLength: most } = settings;
  if (typeof most === "number") {
    findings.push({
      id: "clientQueueBounded",
      severity: "warning",
      finding: `beyond ${most} calls at once the client fails them, and their outcome is unknown`,
      remedy: "leave commandsQueueMaxLength out: calls have their own timeout",
    });
  }
  const limits = [settings.commandTimeout, settings.socketTimeout];
  const short = limits.find(
    (ms) => typeof ms === "number" && ms > 0 && ms < setup.operationTimeoutMs,
  );
  if (short !== undefined) {
    findings.push({
      id: "clientTimeoutShort",
      severity: "warning",
      finding: `the client gives up after ${short} ms, before operationTimeoutMs (${setup.operationTimeoutMs})`,
      remedy: "raise the client's timeout or lower operationTimeoutMs",
    });
  }
  if (library === "ioredis" && settings.autoResendUnfulfilledCommands !== false) {
    findings.push({
      id: "clientResends",
      severity: "info",
      finding:
        "after a reconnect the client sends again what had no reply; a second send of a write is" +
        " recognised, and where it is refused the answer is unknown",
      remedy: "nothing need be done",
    });
  }
  return findings;
}
