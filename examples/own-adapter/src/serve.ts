// The program of the second process: opens the same files and does what the first one asks for.

import { readSync, writeSync } from "node:fs";
import { type AtomicStore, systemRuntime, type Write } from "@onceproof/core/advanced";
import { createSkewedRuntime } from "@onceproof/simulator";
import type { RootDatabase } from "lmdb";
import { createLmdbStore, openLmdb } from "./lmdb-store.js";

/** Which entries, and at which time. */
export interface At {
  readonly folder: string;
  readonly name: string;
  /** How far the store's clock is driven ahead of the machine's. */
  readonly offsetMs: number;
}

export type Call =
  | ({ readonly call: "read"; readonly key: string } & At)
  | ({ readonly call: "write"; readonly write: Write } & At)
  | { readonly call: "hold" | "forget"; readonly folder: string };

export type Request = Call & { readonly id: number };

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: "unavailable" | "closed" | "full"; readonly message: string };
}

const roots = new Map<string, RootDatabase>();
const stores = new Map<string, AtomicStore>();
const clock = createSkewedRuntime(systemRuntime);

function rootOf(folder: string): RootDatabase {
  const root = roots.get(folder) ?? openLmdb(folder);
  roots.set(folder, root);
  return root;
}

function storeOf({ folder, name, offsetMs }: At): AtomicStore {
  const id = JSON.stringify([folder, name]);
  const store = stores.get(id) ?? createLmdbStore({ root: rootOf(folder), name, runtime: clock });
  stores.set(id, store);
  clock.setOffset(offsetMs);
  return store;
}

async function carryOut(request: Call): Promise<unknown> {
  switch (request.call) {
    case "read":
      return storeOf(request).read(request.key);
    case "write":
      return storeOf(request).write(request.write);
    case "hold":
      // Blocks this process within a transaction, as a debugger or a full disk might.
      rootOf(request.folder).transactionSync(() => {
        writeSync(1, "held\n");
        readSync(0, Buffer.alloc(1));
      });
      return undefined;
    case "forget":
      stores.clear();
      await roots.get(request.folder)?.close();
      roots.delete(request.folder);
      return undefined;
  }
}

process.on("message", (request: Request) => {
  const { id } = request;
  const send = (answer: Answer): void => void process.send?.(answer);
  carryOut(request).then(
    (result) => send({ id, result }),
    (error) => send({ id, error: { code: error.code ?? "unavailable", message: String(error) } }),
  );
});

process.on("disconnect", () => process.exit());
