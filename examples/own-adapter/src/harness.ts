// What the conformance kit is told of the store: how to make an empty one, a client of it in another
// process, its clock, and what can be done to it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type AtomicStore, systemRuntime } from "@onceproof/core/advanced";
import { createSkewedRuntime } from "@onceproof/simulator";
import type { ConformanceHarness } from "@onceproof/simulator/conformance";
import type { RootDatabase } from "lmdb";
import { createLmdbStore, openLmdb } from "./lmdb-store.js";
import { startOtherProcess } from "./other-process.js";

/**
 * Closes a file and what writes to it: lmdb waits neither for what is queued, nor for its own timer
 * after a read, and what comes to a closed file it throws where nobody can catch it.
 */
async function closed(root: RootDatabase, stores: readonly AtomicStore[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
  await root.transaction(() => {});
  await setTimeout(1);
  await root.close();
}

/** Creates the harness; `destroy` ends its second process. */
export function createLmdbHarness(): ConformanceHarness {
  const other = startOtherProcess();
  return {
    async create() {
      const folder = await mkdtemp(join(tmpdir(), "own-adapter-"));
      const root = openLmdb(folder);
      const clock = createSkewedRuntime(systemRuntime);
      const options = { root, runtime: clock, operationTimeoutMs: 1_000 };
      const store = createLmdbStore({ ...options, name: "orders" });
      const otherNamespace = createLmdbStore({ ...options, name: "orders:x" });
      const at = () => ({ folder, name: "orders", offsetMs: clock.offsetMs });
      let closing: Promise<void> | undefined;
      const closeRoot = () => {
        closing ??= closed(root, [store, otherNamespace]);
        return closing;
      };
      return {
        store,
        peer: other.client(store, at),
        otherNamespace,
        otherNamespaceTail: ":x",
        advance: async (byMs) => clock.jumpBy(byMs),
        stepBack: async (byMs) => clock.jumpBy(-byMs),
        stall: () => other.holdWriteLock(folder),
        async restart() {
          await closeRoot();
          await other.killAndStart();
          return other.client(store, at);
        },
        async close() {
          await other.forget(folder);
          await closeRoot();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
    destroy: () => other.stop(),
  };
}
