// One client of a faulty network: the inner store's own surface, with its calls sent through the
// network and everything else as it was.

import { IndeterminateError } from "@onceproof/core";
import {
  type AtomicStore,
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type MultiKeyStore,
  type Observation,
  StoreError,
  type SweepableStore,
  type TransactionalStore,
  type WatchableStore,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
} from "@onceproof/core/advanced";
import type { FaultyNetwork } from "./faulty-network.js";
import { overlay } from "./overlay.js";

type EveryStore = MultiKeyStore &
  TransactionalStore<unknown> &
  WatchableStore &
  SweepableStore & { peer(): AtomicStore };

export class FaultyClient<S extends AtomicStore> {
  readonly facade: S;
  readonly #inner: EveryStore;
  readonly #network: FaultyNetwork;
  #closed = false;

  constructor(inner: S, network: FaultyNetwork) {
    // What the inner store lacks is never called: the facade hands out only what it has.
    this.#inner = inner as AtomicStore as EveryStore;
    this.#network = network;
    const overrides: Partial<EveryStore> = {
      capabilities: network.capabilities,
      read: (key) => this.#read(key),
      write: (write) => this.#write(write),
      writeAll: (all) => this.#writeAll(all),
      transaction: (fn) => this.#transaction(fn),
      watch: (key, signal) => this.#watch(key, signal),
      sweep: (options) => this.#open().then(() => this.#inner.sweep(options)),
      close: () => this.#close(),
      peer: () => new FaultyClient(this.#inner.peer(), network).facade,
    };
    this.facade = overlay(inner, overrides);
  }

  async #read(key: string): Promise<Observation> {
    checkStoreKey(key);
    await this.#open();
    return this.#network.send(
      () => this.#inner.read(key),
      (cause) => {
        throw new StoreError("unavailable", "the read got no answer", { cause });
      },
    );
  }

  async #write(write: Write): Promise<WriteResult> {
    checkWrite(write, this.#network.capabilities.maxValueBytes);
    await this.#open();
    return this.#network.send<WriteResult>(
      () => this.#inner.write(write),
      (cause) => ({ outcome: "unknown", cause }),
    );
  }

  async #writeAll(all: WriteAll): Promise<WriteAllResult> {
    checkWriteAll(all, this.#network.capabilities.maxValueBytes);
    await this.#open();
    return this.#network.send<WriteAllResult>(
      () => this.#inner.writeAll(all),
      (cause) => ({ outcome: "unknown", cause }),
    );
  }

  /** Faults strike the commit: its request or its reply is lost, and the caller can't tell which. */
  async #transaction<T>(fn: (tx: unknown) => Promise<T>): Promise<T> {
    await this.#open();
    const { refused, requestMs, replyMs } = this.#network.route();
    if (refused) {
      throw new StoreError("unavailable", "the connection was refused");
    }
    const rollBack = new Error("the commit was lost");
    let result: T | undefined;
    try {
      result = await this.#inner.transaction(async (tx) => {
        const returned = await fn(tx);
        if (requestMs === "lost") {
          throw rollBack;
        }
        await this.#pause(requestMs);
        return returned;
      });
    } catch (error) {
      if (error !== rollBack) {
        throw error;
      }
    }
    if (requestMs === "lost" || replyMs === "lost") {
      await this.#pause(this.#network.capabilities.operationTimeoutMs);
      const cause = this.#network.noAnswer();
      throw new IndeterminateError("indeterminate", "the commit got no answer", { cause });
    }
    await this.#pause(replyMs);
    return result as T;
  }

  async #watch(key: string, signal: AbortSignal): Promise<void> {
    if (this.#closed || !this.#network.losesWakeUp()) {
      return this.#inner.watch(key, signal);
    }
    checkStoreKey(key);
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
      } else {
        signal.addEventListener("abort", () => resolve(), { once: true });
      }
    });
  }

  /** Requests on their way still arrive, so the inner store stays open until they have. */
  async #close(): Promise<void> {
    this.#closed = true;
    this.#network.whenIdle(() => void this.#inner.close().catch(() => {}));
  }

  async #open(): Promise<void> {
    if (this.#closed) {
      throw new StoreError("closed", "the faulty store is closed");
    }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#network.after(delayMs, resolve));
  }
}
