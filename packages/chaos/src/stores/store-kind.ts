// What chaos needs to know of one kind of store, so that another is one more file: how to start its
// server, how to open a client as users do, and which faults only it has.
import type { AtomicStore, TransactionalStore } from "@onceproof/core/advanced";
import type { ClockControl, TestServer } from "@onceproof/test-servers";

export type Row = Readonly<Record<string, unknown>>;

/** A statement of the user's own, with `?` for its values. */
export type Statements = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Where a client finds the data: a port of a server or of the proxy before it, or a file. */
export type Place = { readonly port: number } | { readonly file: string };

/** Data of one kind that clients can reach: a server that was started, or a file. */
export interface ChaosServer {
  readonly place: Place;
  /** What runs and can be killed; none where the clients themselves open a file. */
  readonly server: TestServer | undefined;
  /** Moves the server's clock; only if it was started so. */
  readonly clock: ClockControl | undefined;
  /** Tables of the user's own, where the store has transactions. */
  readonly tables: Tables | undefined;
  /** Makes an empty data set of this name. */
  prepare(space: string): Promise<void>;
  /** Carries out one of the kind's own faults. */
  strike(fault: string): Promise<void>;
  stop(): Promise<void>;
}

/** The way of whoever looks on, past every proxy. */
export interface Tables {
  readonly on: Statements;
  /** How many transactions clients have left open, aborted ones too. */
  openTransactions(): Promise<number>;
}

/** How a client is opened. */
export interface OpenOptions {
  readonly place: Place;
  /** The data set. */
  readonly space: string;
  readonly operationTimeoutMs: number;
  readonly tombstoneMs: number;
}

/** A client in a worker's hands. */
export interface OpenStore {
  readonly store: AtomicStore;
  /** The same store with its transactions, where it has any. */
  readonly transactions: Transactions | undefined;
  /**
   * How often the connection was lost, if the client then sends again what had no answer; undefined
   * if it never does.
   */
  readonly resends: (() => number) | undefined;
  close(): Promise<void>;
}

/** Transactions in which the user's own statements run; the handle is only ever given to `on`. */
export interface Transactions {
  readonly store: TransactionalStore<unknown>;
  on(tx: unknown): Statements;
  /**
   * Whether a statement failed as the victim of a deadlock, or because its transaction was aborted
   * before it; undefined for anything else.
   */
  failure(error: unknown): "deadlocks" | "aborted" | undefined;
}

/** One kind of store. */
export interface StoreKind {
  readonly name: string;
  /** The client libraries, each in the way it is opened; connections take them in turn. */
  readonly clients: readonly string[];
  /** Faults that only this kind has, with what they do. */
  readonly faults: Readonly<Record<string, string>>;
  /** Of the faults that every kind can have, those that this one cannot. */
  readonly without: readonly string[];
  /** Why it can't be started here. */
  missing(): string | undefined;
  start(options: { readonly clock: boolean }): Promise<ChaosServer>;
  open(client: string, options: OpenOptions): Promise<OpenStore>;
}

/** The port of a place that has one. */
export function portOf(place: Place): number {
  if ("port" in place) return place.port;
  throw new Error("this store is reached by a port");
}

/** The file of a place that has one. */
export function fileOf(place: Place): string {
  if ("file" in place) return place.file;
  throw new Error("this store is reached by a file");
}
