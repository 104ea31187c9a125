// Reads what one server says of itself. Where it lets nobody ask, as managed servers do with CONFIG,
// INFO goes as far as it goes, and what stays unknown is absent.

import type { Durability } from "./preflight-setup.js";
import { replyText } from "./reply.js";
import { parseInfo, type ServerInfo } from "./server-info.js";
import type { ServerHandle } from "./servers.js";

/** What one server says of itself; absent is what it does not say. */
export interface ServerFacts {
  readonly address: string;
  /** For example `redis 7.2.4` or `valkey 8.0.1`. */
  readonly software?: string;
  /** The Redis version that it is compatible with. */
  readonly version?: string;
  readonly role?: "master" | "replica";
  readonly cluster?: boolean;
  readonly evictionPolicy?: string;
  /** 0 is no limit. */
  readonly maxMemoryBytes?: number;
  readonly usedMemoryBytes?: number;
  readonly appendonly?: boolean;
  readonly appendfsync?: string;
  /** Whether fsync pauses while the file is rewritten, whatever `appendfsync` says. */
  readonly noFsyncOnRewrite?: boolean;
  /** Whether snapshots are taken by themselves. */
  readonly snapshots?: boolean;
  /** Kinds of persistence whose last attempt failed. */
  readonly persistenceErrors: readonly ("appendonly" | "snapshot")[];
  readonly replicas?: number;
  readonly minReplicasToWrite?: number;
  /** What an applied write survives, as far as the settings say. */
  readonly durability?: Durability;
}

const SETTINGS = [
  "appendfsync",
  "appendonly",
  "maxmemory",
  "maxmemory-policy",
  "min-replicas-to-write",
  "no-appendfsync-on-rewrite",
  "save",
] as const;

type Settings = Readonly<Partial<Record<(typeof SETTINGS)[number], string>>>;

/** CONFIG GET comes as a list, a map or an object, by client and protocol. */
function parseSettings(reply: unknown): Settings {
  const entries: (readonly unknown[])[] = Array.isArray(reply)
    ? reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1]]] : []))
    : reply instanceof Map
      ? [...reply]
      : Object.entries(Object(reply));
  return Object.fromEntries(entries.map(([name, value]) => [replyText(name), replyText(value)]));
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
}

function yes(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === "yes" || text === "1";
}

/** What an applied write survives; undefined where a setting that decides it is not known. */
export function durabilityOf(
  facts: Pick<ServerFacts, "appendonly" | "appendfsync" | "noFsyncOnRewrite" | "snapshots">,
): Durability | undefined {
  const { appendonly, appendfsync, noFsyncOnRewrite, snapshots } = facts;
  if (appendonly === undefined) {
    return undefined;
  }
  if (!appendonly) {
    return snapshots === undefined ? undefined : snapshots ? "asynchronous" : "process";
  }
  if (appendfsync === undefined) {
    return undefined;
  }
  return appendfsync === "always" && noFsyncOnRewrite !== true ? "durable" : "asynchronous";
}

function without<T extends object>(facts: T): T {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as T;
}

function software(info: ServerInfo): string | undefined {
  return info.valkey_version === undefined
    ? info.redis_version && `redis ${info.redis_version}`
    : `valkey ${info.valkey_version}`;
}

/** The facts in the replies to INFO and CONFIG GET; either may be missing. */
export function factsOf(address: string, info: ServerInfo, settings: Settings): ServerFacts {
  const persistence = {
    appendonly: yes(settings.appendonly ?? info.aof_enabled),
    appendfsync: settings.appendfsync,
    noFsyncOnRewrite: yes(settings["no-appendfsync-on-rewrite"]),
    snapshots: settings.save === undefined ? undefined : settings.save !== "",
  };
  const role = info.role === undefined ? undefined : info.role === "master" ? "master" : "replica";
  const facts = {
    address,
    software: software(info),
    version: info.redis_version,
    role,
    cluster: yes(info.cluster_enabled),
    evictionPolicy: settings["maxmemory-policy"] ?? info.maxmemory_policy,
    maxMemoryBytes: numberOf(settings.maxmemory ?? info.maxmemory),
    usedMemoryBytes: numberOf(info.used_memory),
    ...persistence,
    persistenceErrors: [
      ...(info.aof_last_write_status === "err" ? ["appendonly"] : []),
      ...(info.rdb_last_bgsave_status === "err" ? ["snapshot"] : []),
    ],
    replicas: numberOf(info.connected_slaves),
    minReplicasToWrite: numberOf(settings["min-replicas-to-write"]),
    durability: durabilityOf(persistence as ServerFacts),
  };
  return without(facts) as ServerFacts;
}

/** Asks one server. Whatever it does not answer is absent; rejects if it answers nothing at all. */
export async function readFacts({ address, send }: ServerHandle): Promise<ServerFacts> {
  const [info, settings] = await Promise.allSettled([
    send(["INFO"]).then(parseInfo),
    send(["CONFIG", "GET", ...SETTINGS]).then(parseSettings),
  ]);
  return factsOf(
    address,
    info.status === "fulfilled" ? info.value : {},
    settings.status === "fulfilled" ? settings.value : {},
  );
}
