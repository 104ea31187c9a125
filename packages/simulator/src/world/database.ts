// The database that a world has by itself: rows are locked by whoever writes them first, others wait
// and then see what was committed, a deadlock ends who closed the circle.

import { ContendedError } from "@onceproof/core";
import {
  type Observation,
  readStep,
  type Slot,
  type SlotView,
  StoreError,
  type Write,
  type WriteResult,
  writeStep,
} from "@onceproof/core/advanced";
import type { DatabaseHost, Row, ServedDatabase, ServedTransaction } from "./served-store.js";
import type { StoreServer } from "./store-server.js";

/** Who holds locks or waits for one. */
interface Owner {
  readonly held: Set<string>;
  waitsFor: string | undefined;
  /** Ends its wait with an error. */
  giveUp: ((error: Error) => void) | undefined;
}

interface Lock {
  holder: Owner;
  readonly queue: { readonly owner: Owner; readonly grant: () => void }[];
}

const newOwner = (): Owner => ({ held: new Set(), waitsFor: undefined, giveUp: undefined });

/** Locks by name: first come, first served. */
class Locks {
  readonly #host: DatabaseHost;
  readonly #locks = new Map<string, Lock>();

  constructor(host: DatabaseHost) {
    this.#host = host;
  }

  /** Fails: `contended` after a wait that took too long, or that closed a circle. */
  take(owner: Owner, name: string): Promise<void> {
    const lock = this.#locks.get(name);
    if (lock === undefined) {
      this.#locks.set(name, { holder: owner, queue: [] });
      owner.held.add(name);
      return Promise.resolve();
    }
    if (lock.holder === owner) {
      return Promise.resolve();
    }
    if (this.#closesCircle(owner, lock)) {
      return Promise.reject(new ContendedError("contended", "deadlock detected"));
    }
    return new Promise((resolve, reject) => {
      const over = (): void => {
        cancel();
        owner.waitsFor = undefined;
        owner.giveUp = undefined;
      };
      const waiting = {
        owner,
        grant: () => {
          over();
          resolve();
        },
      };
      owner.waitsFor = name;
      owner.giveUp = (error) => {
        over();
        lock.queue.splice(lock.queue.indexOf(waiting), 1);
        reject(error);
      };
      const cancel = this.#host.runtime.setTimer(
        () => owner.giveUp?.(new ContendedError("contended", "waited too long for a lock")),
        this.#host.lockWaitMs,
      );
      lock.queue.push(waiting);
    });
  }

  release(owner: Owner, names: Iterable<string>): void {
    for (const name of [...names]) {
      const lock = this.#locks.get(name);
      if (lock?.holder !== owner) {
        continue;
      }
      owner.held.delete(name);
      const next = lock.queue.shift();
      if (next === undefined) {
        this.#locks.delete(name);
      } else {
        lock.holder = next.owner;
        next.owner.held.add(name);
        next.grant();
      }
    }
  }

  #closesCircle(owner: Owner, wanted: Lock): boolean {
    let lock: Lock | undefined = wanted;
    while (lock !== undefined) {
      if (lock.holder === owner) {
        return true;
      }
      const { waitsFor }: Owner = lock.holder;
      lock = waitsFor === undefined ? undefined : this.#locks.get(waitsFor);
    }
    return false;
  }
}

/** The locking database over a world's store. */
export function createDatabase(host: DatabaseHost): ServedDatabase {
  const { server } = host;
  const locks = new Locks(host);
  return {
    read: async (key) => server.read(key),
    async write(write) {
      const owner = newOwner();
      try {
        await locks.take(owner, write.key);
      } catch (cause) {
        throw new StoreError("unavailable", "the row stayed locked", { cause });
      }
      try {
        return server.write(write);
      } finally {
        locks.release(owner, owner.held);
      }
    },
    begin: async () => new LockingTransaction(server, locks),
  };
}

class LockingTransaction implements ServedTransaction {
  readonly #server: StoreServer;
  readonly #locks: Locks;
  readonly #owner = newOwner();
  readonly #buffer = new Map<string, Slot>();
  readonly #view: SlotView;

  constructor(server: StoreServer, locks: Locks) {
    this.#server = server;
    this.#locks = locks;
    this.#view = {
      tombstoneUs: server.tombstoneUs,
      now: () => server.now(),
      lookup: (key, now) => this.#buffer.get(key) ?? server.lookup(key, now),
      makeRoom: () => {},
      put: (slot) => void this.#buffer.set(slot.key, slot),
    };
  }

  async read(key: string): Promise<Observation> {
    return readStep(this.#view, key);
  }

  async write(write: Write): Promise<WriteResult> {
    await this.#locks.take(this.#owner, write.key);
    const answer = writeStep(this.#view, write);
    if (!this.#buffer.has(write.key)) {
      this.#locks.release(this.#owner, [write.key]);
    }
    return answer;
  }

  async insert({ table, locks }: Row): Promise<void> {
    if (locks !== undefined) {
      await this.#locks.take(this.#owner, `row of ${table}: ${locks}`);
    }
  }

  async commit(): Promise<void> {
    this.#server.putTogether(this.#buffer.values());
    this.#locks.release(this.#owner, this.#owner.held);
  }

  async rollback(): Promise<void> {
    this.#owner.giveUp?.(new ContendedError("contended", "rolled back while it waited"));
    this.#locks.release(this.#owner, this.#owner.held);
  }
}
