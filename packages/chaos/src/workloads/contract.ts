// The contract itself: clients read and write the same few keys at once, by every kind of write,
// from whatever they saw last, and send a write without an answer again under its opId, or not.
import { randomBytes } from "node:crypto";
import type { AtomicStore, Entry, Write } from "@onceproof/core/advanced";
import type { Random } from "../random.js";
import type { Lane, Workload } from "../worker/lane.js";

const EPOCH_MS = 1_000;
const KEYS = 12;
const REMEMBERED = 64;
const RESENDS = 4;

/** The prefix of the keys that this workload alone uses. */
export const CONTRACT_PREFIX = "contract/";

interface Seen {
  readonly entry?: Entry;
  readonly revision?: number;
}

const newOpId = (): string => randomBytes(16).toString("base64url");

export const contract: Workload = (lane) => {
  const { random, store } = lane;
  const seen = new Map<string, Seen>();
  const note = (key: string, state: Seen): void => {
    seen.delete(key);
    seen.set(key, state);
    const [oldest] = seen.keys();
    if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  };
  return async () => {
    await lane.pause(8);
    const key = `${CONTRACT_PREFIX}${lane.epoch(EPOCH_MS)}/${random.int(1, KEYS)}`;
    const last = seen.get(key);
    if (last === undefined || random.chance(0.25)) {
      const observation = await whenAnswered(lane, () => store.read(key));
      if (observation !== undefined) note(key, observation);
      return;
    }
    const write = nextWrite(random, key, last, `${lane.by} ${lane.next()}`);
    const state = await send(lane, store, write);
    if (state !== undefined) note(key, state);
  };
};

/** Sends until it is answered or given up, and returns the state that the answer tells of. */
async function send(lane: Lane, store: AtomicStore, write: Write): Promise<Seen | undefined> {
  for (let attempt = 0; attempt <= RESENDS; attempt += 1) {
    const result = await whenAnswered(lane, () => store.write(write));
    if (result === undefined) return undefined;
    if (result.outcome === "refused") return result;
    if (result.outcome === "applied") {
      const { revision, writtenAt } = result;
      const value =
        write.next === "removed" || "touch" in write.next ? undefined : write.next.value;
      if (value === undefined) return { revision };
      return { revision, entry: { value, writtenAt, stamp: { revision, opId: write.opId } } };
    }
    if (lane.random.chance(0.3)) return undefined;
    await lane.pause(100);
  }
  return undefined;
}

/** Undefined, after a pause, for what a store says certainly did nothing. */
async function whenAnswered<T>(lane: Lane, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "unavailable") throw error;
    await lane.pause(60);
    return undefined;
  }
}

function nextWrite(random: Random, key: string, { entry, revision }: Seen, value: string): Write {
  const opId = newOpId();
  const ttlMs = random.pick<number | "never">(["never", 40, 400, 4_000]);
  const kind = random.int(0, 9);
  if (entry === undefined || kind < 2) {
    const expect = random.chance(0.5) ? "absent" : { absentSince: revision ?? 0 };
    return { key, opId, expect, next: { value, ttlMs } };
  }
  const expected = entry.stamp;
  if (kind < 6) return { key, opId, expect: expected, next: { value, ttlMs } };
  if (kind === 6) return { key, opId, expect: expected, next: { value, ttlMs: "keep" } };
  if (kind === 7) return { key, opId, expect: expected, next: { touch: true, ttlMs } };
  return { key, opId, expect: expected, next: "removed" };
}
