// What a case works with: the fixture's clients, fresh opIds, short forms of the writes, and time.

import type {
  Applied,
  AtomicStore,
  CreateWrite,
  MultiKeyStore,
  Observation,
  Runtime,
  Stamp,
  StampedWrite,
  SweepableStore,
  TransactionalStore,
  Ttl,
  WatchableStore,
  WriteResult,
} from "@onceproof/core/advanced";
import { answering } from "./answering.js";
import { check } from "./checks.js";
import { createStoreClock, type StoreClock } from "./clock.js";
import type { ConformanceFixture, ConformanceHarness } from "./harness.js";

/** An entry that a case has put in place. */
export interface Seeded extends Applied {
  readonly stamp: Stamp;
}

/** Another opId: the same letters in other case, all but the last, which ends 16 encoded bytes. */
export function inOtherCase(opId: string): string {
  return opId.slice(0, -1).toUpperCase() + opId.slice(-1);
}

export class Lab {
  readonly fixture: ConformanceFixture;
  store: AtomicStore;
  /** A second client, or the first again where there is none. */
  peer: AtomicStore;
  readonly runtime: Runtime;
  readonly settleMarginMs: number;
  /** Decides what the recorded workloads do. */
  readonly workloadSeed: number;
  readonly #clock: StoreClock;
  #opIds = 0;

  constructor(fixture: ConformanceFixture, harness: ConformanceHarness, runtime: Runtime) {
    this.fixture = fixture;
    this.store = answering(fixture.store);
    this.peer = fixture.peer === undefined ? this.store : answering(fixture.peer);
    this.runtime = runtime;
    this.settleMarginMs = harness.settleMarginMs ?? 1_000;
    this.workloadSeed = harness.seed ?? 1;
    const now = (): Promise<number> => this.now();
    this.#clock = createStoreClock(fixture, runtime, harness.maxWaitMs ?? 2_000, now);
  }

  /** A fresh opId. It ends as 16 encoded bytes do, for stores that pack it. */
  opId(): string {
    this.#opIds += 1;
    return `conformance${String(this.#opIds).padStart(10, "0")}A`;
  }

  /** A fresh opId whose first letters tell it from the others of a history that is shown. */
  historyOpId(): string {
    this.#opIds += 1;
    return `${String(this.#opIds).padStart(4, "0")}ofSomeRecordHistoA`;
  }

  /** The two clients in turn, so that races cross connections. */
  client(index: number): AtomicStore {
    return index % 2 === 0 ? this.store : this.peer;
  }

  /** A create that expects no live entry. */
  createWrite(key: string, value = "value", ttlMs: Ttl = "never"): CreateWrite {
    return { key, opId: this.opId(), expect: "absent", next: { value, ttlMs } };
  }

  /** A compare-and-set, touch or removal under a stamp. */
  stampedWrite(key: string, expect: Stamp, next: StampedWrite["next"]): StampedWrite {
    return { key, opId: this.opId(), expect, next };
  }

  create(key: string, value?: string, ttlMs?: Ttl): Promise<WriteResult> {
    return this.store.write(this.createWrite(key, value, ttlMs));
  }

  createSince(key: string, absentSince: number, value = "value"): Promise<WriteResult> {
    const next = { value, ttlMs: "never" } as const;
    return this.store.write({ key, opId: this.opId(), expect: { absentSince }, next });
  }

  stamped(key: string, expect: Stamp, next: StampedWrite["next"]): Promise<WriteResult> {
    return this.store.write(this.stampedWrite(key, expect, next));
  }

  set(key: string, expect: Stamp, value: string, ttlMs: Ttl | "keep" = "never"): Promise<Seeded> {
    return this.#seed(this.stampedWrite(key, expect, { value, ttlMs }), "a compare-and-set");
  }

  /** Creates an entry that the case takes for granted. */
  seed(key: string, value?: string, ttlMs?: Ttl): Promise<Seeded> {
    return this.#seed(this.createWrite(key, value, ttlMs), "a create on an absent key");
  }

  /** Removes an entry that the case takes for granted. */
  remove(key: string, expect: Stamp): Promise<Seeded> {
    return this.#seed(this.stampedWrite(key, expect, "removed"), "a removal under the live stamp");
  }

  async #seed(write: CreateWrite | StampedWrite, what: string): Promise<Seeded> {
    const answer = await this.store.write(write);
    // Of the case's first write, what is there can only be from elsewhere.
    const foreign = this.#opIds === 1 && answer.outcome === "refused";
    const hint = foreign ? "; does the harness' create make an empty data set each time?" : "";
    check(answer.outcome === "applied", `${what} must be applied${hint}`, answer);
    const result: Applied = answer;
    return { ...result, stamp: { revision: result.revision, opId: write.opId } };
  }

  read(key: string): Promise<Observation> {
    return this.store.read(key);
  }

  /** The store's clock, in microseconds. */
  async now(): Promise<number> {
    return (await this.store.read("the store's clock")).now;
  }

  /** Waits until the store's clock has moved on by so much. */
  pass(byMs: number): Promise<void> {
    return this.#clock.pass(byMs);
  }

  /** The same in a workload, whose next call may be one that is to get lost. */
  passUnseen(byMs: number): Promise<void> {
    return this.#clock.passUnseen(byMs);
  }

  /** Waits until the store's clock reads at least this, in microseconds. */
  passUntil(instantUs: number): Promise<void> {
    return this.#clock.passUntil(instantUs);
  }

  /** Moves the store's clock back; only for cases that need `stepBack`. */
  stepBack(byMs: number): Promise<void> {
    return this.#clock.stepBack(byMs);
  }

  /** Restarts the server; from then on `store` and `peer` are the new client. */
  async restart(): Promise<AtomicStore> {
    const store = await this.fixture.restart?.();
    check(store !== undefined, "a restart must return a client");
    this.store = answering(store);
    this.peer = this.store;
    return this.store;
  }

  /** Runs `during` while the server answers nobody; only for cases that need `stall`. */
  async whileStalled<T>(during: () => Promise<T>): Promise<T> {
    check(this.fixture.stall !== undefined, "the harness has no stall");
    const lift: unknown = await this.fixture.stall();
    check(typeof lift === "function", "the harness' stall must return a function that ends it");
    try {
      return await during();
    } finally {
      await lift();
    }
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.runtime.setTimer(resolve, delayMs));
  }

  /** Fails unless the promise settles within the store's operation timeout. */
  async settles<T>(promise: Promise<T>, what: string): Promise<T> {
    const { operationTimeoutMs } = this.store.capabilities;
    const withinMs = operationTimeoutMs + this.settleMarginMs;
    const settled = promise.then(
      () => true,
      () => true,
    );
    let cancel = (): void => {};
    const late = new Promise<false>((resolve) => {
      cancel = this.runtime.setTimer(() => resolve(false), withinMs);
    });
    const inTime = await Promise.race([settled, late]);
    cancel();
    check(inTime, `${what} must settle within ${withinMs} ms`);
    return promise;
  }

  get tombstoneMs(): number {
    return this.store.capabilities.tombstoneMs;
  }

  // The casts below stand behind a case's `needs`, which has seen the method.

  get multiKey(): MultiKeyStore {
    return this.store as MultiKeyStore;
  }

  get transactional(): TransactionalStore<unknown> {
    return this.store as TransactionalStore<unknown>;
  }

  get watchable(): WatchableStore {
    return this.store as WatchableStore;
  }

  get sweepable(): SweepableStore {
    return this.store as SweepableStore;
  }
}
