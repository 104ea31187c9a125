// An AtomicStore on LMDB: a memory-mapped file that the processes of one machine share.
// docs/writing-an-adapter.md walks through it, and quotes every line of it.

import {
  boundedKey,
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  driverError,
  type MultiKeyStore,
  type Runtime,
  readStep,
  type Slot,
  type SlotView,
  type StoreCapabilities,
  StoreError,
  type SweepableStore,
  startDeadline,
  systemRuntime,
  TIMED_OUT,
  type Unknown,
  writeAllStep,
  writeStep,
} from "@onceproof/core/advanced";
import { type Database, open, type RootDatabase } from "lmdb";

export interface LmdbStoreOptions {
  /** As `openLmdb` opens it. */
  readonly root: RootDatabase;
  /** Keys of different names never meet. */
  readonly name: string;
  /** @defaultValue 2_000 */
  readonly operationTimeoutMs?: number;
  /** @defaultValue `systemRuntime` */
  readonly runtime?: Runtime;
}

const MAX_KEY_BYTES = 1_000;
const TOMBSTONE_MS = 300_000;

/** Opens a file so that a commit which was answered is on the disk; lmdb's own default is not. */
export function openLmdb(path: string): RootDatabase {
  return open({ path, overlappingSync: false, maxDbs: 64 });
}

/** What the contract's steps, which core supplies, ask of a store: slots, and a clock. */
function viewOf(database: Database<Slot, string>, runtime: Runtime): SlotView {
  const keyOf = (key: string): string => boundedKey(key, MAX_KEY_BYTES);
  return {
    tombstoneUs: TOMBSTONE_MS * 1_000,
    now: () => Math.round(runtime.wallNow() * 1_000),
    lookup(key, now) {
      const slot = database.get(keyOf(key));
      return slot !== undefined && slot.keptUntil < now ? undefined : slot;
    },
    makeRoom() {},
    put: (slot) => void database.put(keyOf(slot.key), slot),
  };
}

/** Creates the store. Several, in several processes, may share one file. */
export function createLmdbStore(options: LmdbStoreOptions): MultiKeyStore & SweepableStore {
  const { operationTimeoutMs = 2_000, runtime = systemRuntime } = options;
  const database = options.root.openDB<Slot, string>({ name: options.name });
  const view = viewOf(database, runtime);
  const capabilities: StoreCapabilities = {
    clock: "store",
    durability: "durable",
    failoverMayLoseWrites: false,
    maxValueBytes: 2 ** 20,
    ttlGranularityMs: 0.001,
    tombstoneMs: TOMBSTONE_MS,
    operationTimeoutMs,
  };
  let closed = false;

  function checkOpen(): void {
    if (closed) throw new StoreError("closed", "the LMDB store is closed");
  }

  /** Runs `step` alone: LMDB has one writer at a time, whatever process it is in. */
  async function alone<T>(step: () => T): Promise<T | Unknown> {
    checkOpen();
    const deadline = startDeadline(runtime, operationTimeoutMs);
    let [givenUp, done] = [false, false];
    try {
      const committing = database.childTransaction((): T => {
        if (givenUp) throw new Error("its caller has been told that it is unknown");
        const result = step();
        done = true;
        return result;
      });
      const result = await deadline.race(committing);
      if (result !== TIMED_OUT) {
        return result;
      }
      givenUp = true;
      return { outcome: "unknown", cause: new Error(`no commit in ${operationTimeoutMs} ms`) };
    } catch (error) {
      const cause = driverError(error);
      // What the step throws rolls it back; a commit that fails may be on the disk or not.
      if (done) return { outcome: "unknown", cause };
      throw new StoreError("unavailable", "LMDB did not take the write", { cause });
    } finally {
      deadline.cancel();
    }
  }

  return {
    capabilities,
    async read(key) {
      checkStoreKey(key);
      checkOpen();
      try {
        // Within one turn of the event loop lmdb goes on reading from one snapshot.
        database.resetReadTxn();
        return readStep(view, key);
      } catch (error) {
        throw new StoreError("unavailable", "LMDB did not read", { cause: driverError(error) });
      }
    },
    async write(write) {
      checkWrite(write, capabilities.maxValueBytes);
      return alone(() => writeStep(view, write));
    },
    async writeAll(all) {
      checkWriteAll(all, capabilities.maxValueBytes);
      return alone(() => writeAllStep(view, all));
    },
    async sweep({ limit }) {
      const swept = await alone(() => {
        const now = view.now();
        const keys: string[] = [];
        for (const { key, value } of database.getRange()) {
          if (keys.length < limit && value.keptUntil < now) keys.push(key);
        }
        for (const key of keys) void database.remove(key);
        return keys.length;
      });
      return typeof swept === "number" ? swept : 0;
    },
    async close() {
      closed = true;
    },
  };
}
