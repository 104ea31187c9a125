// The store as one node of a world sees it: an AtomicStore whose calls travel over the network and
// settle within the operation timeout, with an honest *unknown* where no answer came.

import {
  type AtomicStore,
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  type MultiKeyStore,
  type Observation,
  type StoreCapabilities,
  StoreError,
  type WatchableStore,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
} from "@onceproof/core/advanced";
import type { Network } from "./network.js";
import type { Party } from "./party.js";
import type { StoreServer } from "./store-server.js";
import type { Ask } from "./trace.js";

/** The name of the store among the parties. */
export const STORE = "store";

export interface StoreClientOptions {
  readonly network: Network;
  readonly server: StoreServer;
  readonly party: Party;
  readonly capabilities: StoreCapabilities;
  readonly multiKey: boolean;
  /** Present if the store offers `watch`. */
  readonly watch?: (key: string, signal: AbortSignal) => Promise<void>;
}

/** Builds a node's client; it has exactly the optional capabilities that its profile offers. */
export function createStoreClient(
  options: StoreClientOptions,
): AtomicStore & Partial<MultiKeyStore & WatchableStore> {
  const { network, server, party, capabilities, multiKey, watch } = options;
  const { life } = party;
  const { maxValueBytes } = capabilities;
  let closed = false;

  const call = <A>(
    check: () => void,
    ask: () => Ask,
    deliver: () => A,
    outcomeOf: (answer: A) => string,
    unanswered: (cause: Error) => A,
  ): Promise<A> =>
    new Promise<A>((resolve, reject) => {
      check();
      if (closed) {
        reject(new StoreError("closed", "the simulated store is closed"));
        return;
      }
      network.send<A>({
        from: party,
        life,
        to: STORE,
        ask: ask(),
        timeoutMs: capabilities.operationTimeoutMs,
        deliver: (respond) => {
          const answer = deliver();
          respond(answer, outcomeOf(answer));
        },
        answered: resolve,
        unanswered: () => {
          try {
            resolve(
              unanswered(new Error(`no answer within ${capabilities.operationTimeoutMs} ms`)),
            );
          } catch (error) {
            reject(error);
          }
        },
        refused: () => reject(new StoreError("unavailable", "the connection was refused")),
      });
    });

  return {
    capabilities,
    read: (key) =>
      call<Observation>(
        () => checkStoreKey(key),
        () => ({ ask: "read", key }),
        () => server.read(key),
        (answer) => (answer.entry === undefined ? "absent" : `r${answer.revision}`),
        (cause) => {
          throw new StoreError("unavailable", "the read got no answer", { cause });
        },
      ),
    write: (write: Write) =>
      call<WriteResult>(
        () => checkWrite(write, maxValueBytes),
        () => ({ ask: "write", write }),
        () => server.write(write),
        describe,
        (cause) => ({
          outcome: "unknown",
          cause,
        }),
      ),
    ...(multiKey && {
      writeAll: (all: WriteAll) =>
        call<WriteAllResult>(
          () => checkWriteAll(all, maxValueBytes),
          () => ({ ask: "writeAll", opId: all.opId, keys: all.writes.map(({ key }) => key) }),
          () => server.writeAll(all),
          describe,
          (cause) => ({ outcome: "unknown", cause }),
        ),
    }),
    ...(watch !== undefined && {
      watch: async (key: string, signal: AbortSignal) => {
        checkStoreKey(key);
        await watch(key, signal);
      },
    }),
    close: async () => {
      closed = true;
    },
  };
}

function describe(answer: WriteResult | WriteAllResult): string {
  switch (answer.outcome) {
    case "applied": {
      const revision = "revision" in answer ? answer.revision : answer.revisions.join(",");
      return `${answer.replayed ? "replayed" : "applied"} r${revision}`;
    }
    case "refused":
      return answer.entry === undefined ? "refused" : `refused by r${answer.revision}`;
    case "unknown":
      return "unknown";
  }
}
