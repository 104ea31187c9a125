// What a server's facts mean for the guarantees.

import type { Finding } from "./finding.js";
import type { ServerFacts } from "./preflight-facts.js";
import type { Setup } from "./preflight-setup.js";

/** A finding before it is said of which servers it is true. */
export type Remark = Finding & { readonly at?: string };

type Judge = (facts: ServerFacts, setup: Setup) => Finding | undefined;

const LEAST_MAJOR = 7;
const NEARLY_FULL = 0.9;

const version: Judge = ({ version }) => {
  if (version === undefined) {
    return {
      id: "versionUnread",
      severity: "warning",
      finding: "the version is not told",
      remedy: "make sure that it is Redis 7.0 or later, or Valkey, or let the user run INFO",
    };
  }
  return Number.parseInt(version, 10) >= LEAST_MAJOR
    ? undefined
    : {
        id: "versionTooOld",
        severity: "fatal",
        finding: `version ${version} lacks script flags and sharded channels, which came with 7.0`,
        remedy: "use Redis 7.0 or later, or Valkey",
      };
};

const role: Judge = ({ role }) =>
  role === "replica"
    ? {
        id: "serverIsReplica",
        severity: "fatal",
        finding: "this is a replica: it takes no writes, and its reads may be out of date",
        remedy: "connect to the master",
      }
    : undefined;

const cluster: Judge = ({ cluster: enabled }, { client, hashTags }) =>
  enabled && !("nodes" in client || "nodeClient" in client)
    ? {
        id: "clusterThroughSingleClient",
        severity: hashTags ? "warning" : "fatal",
        finding: "a cluster is spoken to by a client of one server: keys of other nodes fail",
        remedy: "pass a Cluster client; behind a proxy that routes, set hashTags: true",
      }
    : undefined;

const eviction: Judge = ({ evictionPolicy, maxMemoryBytes }, { evictionAllowed }) => {
  if (evictionPolicy === undefined || maxMemoryBytes === undefined) {
    return {
      id: "evictionUnread",
      severity: "warning",
      finding: "the eviction policy is not told, so the store does not refuse it either",
      remedy: "make sure that maxmemory-policy is noeviction, or let the user run INFO",
    };
  }
  if (evictionPolicy === "noeviction") {
    return undefined;
  }
  const remedy = "set maxmemory-policy noeviction";
  return maxMemoryBytes === 0
    ? {
        id: "evictionDormant",
        severity: "warning",
        finding: `maxmemory-policy ${evictionPolicy} evicts records as soon as maxmemory is set`,
        remedy,
      }
    : {
        id: "evictsRecords",
        severity: evictionAllowed ? "warning" : "fatal",
        finding:
          `maxmemory-policy ${evictionPolicy} evicts records, and their requests run again` +
          (evictionAllowed ? "; the store accepts that" : "; the store refuses every call"),
        remedy,
      };
};

const memory: Judge = ({ evictionPolicy, maxMemoryBytes = 0, usedMemoryBytes = 0 }) =>
  evictionPolicy === "noeviction" &&
  usedMemoryBytes > maxMemoryBytes * NEARLY_FULL &&
  maxMemoryBytes
    ? {
        id: "memoryNearlyFull",
        severity: "warning",
        finding: `${usedMemoryBytes} of ${maxMemoryBytes} bytes are used; when full, writes fail`,
        remedy: "raise maxmemory or keep records for less long",
      }
    : undefined;

const persistence: Judge = ({ persistenceErrors, durability }) => {
  const [failing] = persistenceErrors;
  if (failing !== undefined) {
    return {
      id: "persistenceFailing",
      severity: failing === "appendonly" ? "fatal" : "warning",
      finding: `the last ${failing} write to disk failed`,
      remedy: "look at the server's log and disk",
    };
  }
  return durability === "process"
    ? {
        id: "persistenceOff",
        severity: "warning",
        finding: "nothing is kept on disk: a restart forgets every record, and requests run again",
        remedy: 'set appendonly yes, or declare durability: "process"',
      }
    : undefined;
};

const durability: Judge = ({ durability: found, ...facts }, { durability: declared }) => {
  if (found === undefined) {
    return {
      id: "durabilityUnread",
      severity: declared === "durable" ? "warning" : "info",
      finding: `what an applied write survives is not told${
        facts.appendonly === undefined ? "" : ` (appendonly ${facts.appendonly ? "yes" : "no"})`
      }`,
      remedy: "look at appendonly, appendfsync and save where the server is set up",
    };
  }
  if (declared === "durable" && found !== "durable") {
    const { appendonly, appendfsync } = facts;
    return {
      id: "durabilityOverstated",
      severity: "fatal",
      finding: `durability: "durable" is declared, but a crash loses the last writes: appendonly ${
        appendonly
          ? `yes, appendfsync ${appendfsync}${facts.noFsyncOnRewrite ? ", no-appendfsync-on-rewrite yes" : ""}`
          : "no"
      }`,
      remedy:
        "set appendonly yes, appendfsync always and no-appendfsync-on-rewrite no, or declare less",
    };
  }
  return declared !== undefined && declared !== "durable" && found === "durable"
    ? {
        id: "durabilityUnderstated",
        severity: "info",
        finding: `applied writes survive a crash of the server, though "${declared}" is declared`,
        remedy: 'durability: "durable" may be declared',
      }
    : undefined;
};

const replication: Judge = ({ replicas, minReplicasToWrite = 0 }, { waitReplicas }) => {
  if (replicas === undefined || (replicas === 0 && waitReplicas === 0)) {
    return undefined;
  }
  if (replicas < waitReplicas) {
    return {
      id: "replicasTooFew",
      severity: "fatal",
      finding: `${replicas} replicas are connected and waitReplicas is ${waitReplicas}: no write is told as applied`,
      remedy: "add replicas or lower waitReplicas",
    };
  }
  return waitReplicas > 0
    ? undefined
    : {
        id: "replicasNotAwaited",
        severity: "warning",
        finding: `a failover to one of ${replicas} replicas may lose writes that were told as applied (min-replicas-to-write ${minReplicasToWrite})`,
        remedy: "set waitReplicas, which loses fewer; what must never repeat needs a durable sink",
      };
};

const JUDGES: readonly Judge[] = [
  version,
  role,
  cluster,
  eviction,
  memory,
  persistence,
  durability,
  replication,
];

/** Everything there is to say of one server. */
export function judgeServer(facts: ServerFacts, setup: Setup): readonly Remark[] {
  return JUDGES.flatMap((judge) => {
    const finding = judge(facts, setup);
    return finding === undefined ? [] : [{ ...finding, at: facts.address }];
  });
}
