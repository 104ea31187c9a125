// What chaos needs to know of one kind of store, so that another is one more file: how to start its
// server, how to open a client as users do, and which faults only it has.
import type { AtomicStore } from "@onceproof/core/advanced";
import type { ClockControl, TestServer } from "@onceproof/test-servers";

/** A started server of one kind. */
export interface ChaosServer {
  readonly server: TestServer;
  /** Moves the server's clock; only if it was started so. */
  readonly clock: ClockControl | undefined;
  /** Makes an empty data set of this name. */
  prepare(space: string): Promise<void>;
  /** Carries out one of the kind's own faults. */
  strike(fault: string): Promise<void>;
}

/** How a client is opened. */
export interface OpenOptions {
  readonly port: number;
  /** The data set. */
  readonly space: string;
  readonly operationTimeoutMs: number;
  readonly tombstoneMs: number;
}

/** A client in a worker's hands. */
export interface OpenStore {
  readonly store: AtomicStore;
  /**
   * How often the connection was lost, if the client then sends again what had no answer; undefined
   * if it never does.
   */
  readonly resends: (() => number) | undefined;
  close(): Promise<void>;
}

/** One kind of store. */
export interface StoreKind {
  readonly name: string;
  /** The client libraries, each in the way it is opened; connections take them in turn. */
  readonly clients: readonly string[];
  /** Faults that only this kind has, with what they do. */
  readonly faults: Readonly<Record<string, string>>;
  /** Why it can't be started here. */
  missing(): string | undefined;
  start(options: { readonly clock: boolean }): Promise<ChaosServer>;
  open(client: string, options: OpenOptions): Promise<OpenStore>;
}
