// A workload that shows lost, doubled and dishonest writes on a store that fails on purpose: many
// workers append to one list by compare-and-set, and every opId they were told of must stand in it
// as they were told.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AtomicStore, Write, WriteResult } from "@onceproof/core/advanced";

/** A fresh opId. */
export function newOpId(): string {
  return randomBytes(16).toString("base64url");
}

/** What the workers were told of the opIds they sent. */
export interface AppendLog {
  /** Told as applied, with the revision. */
  readonly applied: Map<string, number>;
  /** Told as refused, or as not sent, and never as unknown. */
  readonly refused: Set<string>;
  /** Unknown at some time, and refused when sent again. */
  readonly doubtful: Set<string>;
}

export interface AppendOptions {
  readonly key: string;
  /** How often each worker appends; there is one worker per store. */
  readonly each: number;
  /** After this time the workload fails. @defaultValue 60_000 */
  readonly withinMs?: number;
}

const RESENDS = 20;
const PAUSE_MS = 10;

function ids(value: string | undefined): string[] {
  return value === undefined || value === "" ? [] : value.split(" ");
}

/** Appends from every store at once, and keeps going through whatever fails. */
export async function appendFromAll(
  stores: readonly AtomicStore[],
  { key, each, withinMs = 60_000 }: AppendOptions,
): Promise<AppendLog> {
  const log: AppendLog = { applied: new Map(), refused: new Set(), doubtful: new Set() };
  const endsAt = performance.now() + withinMs;
  await Promise.all(stores.map((store) => work(store)));
  return log;

  async function work(store: AtomicStore): Promise<void> {
    for (let done = 0; done < each; ) {
      if (performance.now() > endsAt) throw new Error(`not done within ${withinMs} ms`);
      const seen = await patiently(() => store.read(key));
      if (seen === undefined) continue;
      const opId = newOpId();
      const value = [...ids(seen.entry?.value), opId].join(" ");
      const next = { value, ttlMs: "never" } as const;
      const write: Write =
        seen.entry === undefined
          ? { key, opId, expect: { absentSince: seen.revision ?? 0 }, next }
          : { key, opId, expect: seen.entry.stamp, next };
      if (await send(store, write)) done += 1;
    }
  }

  /** Sends until the outcome is known; true if the id stands in the list. */
  async function send(store: AtomicStore, write: Write): Promise<boolean> {
    const { opId } = write;
    log.refused.add(opId);
    for (let attempt = 0; attempt < RESENDS; attempt += 1) {
      const result = await patiently<WriteResult>(() => store.write(write));
      switch (result?.outcome) {
        case "applied":
          log.refused.delete(opId);
          log.doubtful.delete(opId);
          log.applied.set(opId, result.revision);
          return true;
        case "refused":
          return log.doubtful.has(opId) && ids(result.entry?.value).includes(opId);
        case "unknown":
          log.refused.delete(opId);
          log.doubtful.add(opId);
          break;
        default:
      }
    }
    return false;
  }

  /** Undefined, after a pause, for what a store says certainly did nothing. */
  async function patiently<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if ((error as { code?: unknown }).code !== "unavailable") throw error;
      await sleep(PAUSE_MS);
      return undefined;
    }
  }
}

/** Compares the list with what the workers were told; an empty answer means that all is well. */
export async function judgeAppends(
  store: AtomicStore,
  key: string,
  log: AppendLog,
): Promise<string[]> {
  const list = ids((await store.read(key)).entry?.value);
  const problems: string[] = [];
  const seen = new Set<string>();
  let last = 0;
  for (const id of list) {
    const revision = log.applied.get(id);
    if (seen.has(id)) problems.push(`${id} was applied twice`);
    if (log.refused.has(id)) problems.push(`${id} was told as refused and applied`);
    if (revision !== undefined && revision <= last)
      problems.push(`${id}: ${revision} after ${last}`);
    last = revision ?? last;
    seen.add(id);
  }
  for (const id of log.applied.keys()) {
    if (!seen.has(id)) problems.push(`${id} was told as applied and is lost`);
  }
  return problems;
}
