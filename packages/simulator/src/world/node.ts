// A node as its program sees it, for one life: its runtime, its store, and the sinks that it calls.

import type { Runtime, StoreCapabilities } from "@onceproof/core/advanced";
import type { Network } from "./network.js";
import type { Party } from "./party.js";
import type { ServedDatabase } from "./served-store.js";
import type { Sessions } from "./sessions.js";
import { createStoreClient, type NodeStore } from "./store-client.js";
import type { StoreServer } from "./store-server.js";
import { createTransactions } from "./transaction-client.js";
import type { Watchers } from "./watchers.js";
import type { WorldOptions } from "./world-options.js";

/** A node as its program sees it, for one life. */
export interface Node {
  readonly name: string;
  readonly life: number;
  readonly runtime: Runtime;
  readonly store: NodeStore;
  /** Settles after so much of the node's own time. */
  sleep(delayMs: number): Promise<void>;
  /**
   * Calls a sink: `act` runs there, in one step, when the request arrives; once per copy of it.
   * Rejects with `SinkError` when no answer came in time: it may have happened.
   */
  call<T>(sink: string, what: string, act: () => T): Promise<T>;
}

/** A sink gave no answer, or refused the connection. */
export class SinkError extends Error {
  override readonly name = "SinkError";
  readonly code: "noAnswer" | "refused";

  constructor(code: "noAnswer" | "refused", message: string) {
    super(message);
    this.code = code;
  }
}

/** What the nodes of a world share. */
export interface NodeHost {
  readonly network: Network;
  readonly server: StoreServer;
  readonly watchers: Watchers;
  readonly capabilities: StoreCapabilities;
  readonly multiKey: boolean;
  readonly watch: boolean;
  /** Present if the store offers transactions. */
  readonly sessions: Sessions | undefined;
  readonly database: ServedDatabase | undefined;
}

/** What the store of a world says of itself. */
export function capabilitiesOf({
  profile,
  operationTimeoutMs = 200,
  tombstoneMs = 10_000,
}: WorldOptions): StoreCapabilities {
  return {
    clock: "store",
    durability: profile.durability,
    failoverMayLoseWrites: profile.failoverMayLoseWrites,
    maxValueBytes: 2 ** 20,
    ttlGranularityMs: 0.001,
    tombstoneMs,
    operationTimeoutMs,
  };
}

/** Builds the node of a party's present life. */
export function createNode(host: NodeHost, party: Party): Node {
  const { network, server, watchers, capabilities, multiKey, sessions, database } = host;
  const { name, life } = party;
  const runtime = party.runtime();
  return {
    name,
    life,
    runtime,
    sleep: sleepBy(runtime),
    store: createStoreClient({
      network,
      server,
      party,
      capabilities,
      multiKey,
      database,
      transactions: sessions && createTransactions({ network, sessions, party, capabilities }),
      ...(host.watch && {
        watch: (key: string, signal: AbortSignal) => watchers.watch(party, life, key, signal),
      }),
    }),
    call: (sink, what, act) => callSink(host, party, life, sink, what, act),
  };
}

/** Sleeps by the clock of a runtime. */
export function sleepBy(runtime: Runtime): (delayMs: number) => Promise<void> {
  return (delayMs) => new Promise((resolve) => void runtime.setTimer(resolve, delayMs));
}

function callSink<T>(
  { network, capabilities }: NodeHost,
  party: Party,
  life: number,
  sink: string,
  what: string,
  act: () => T,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    network.send<{ readonly value: T } | { readonly error: unknown }>({
      from: party,
      life,
      to: sink,
      ask: { ask: "call", what },
      timeoutMs: capabilities.operationTimeoutMs,
      deliver: (respond) => {
        try {
          respond({ value: act() }, "done");
        } catch (error) {
          respond({ error }, "refused");
        }
      },
      answered: (answer) => {
        if ("value" in answer) {
          resolve(answer.value);
        } else {
          reject(answer.error);
        }
      },
      unanswered: () => reject(new SinkError("noAnswer", `${sink} gave no answer in time`)),
      refused: () => reject(new SinkError("refused", `${sink} refused the connection`)),
    });
  });
}
