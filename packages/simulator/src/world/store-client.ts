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
  const { maxValueBytes, operationTimeoutMs: timeoutMs } = capabilities;
  let closed = false;

  // The check throws inside of the promise's executor, so that a bad argument is a rejection.
  const call = <A>(
    resolve: (answer: A) => void,
    reject: (error: unknown) => void,
    ask: Ask,
    deliver: (respond: (answer: A, outcome: string) => void) => void,
    unanswered: () => void,
  ): void => {
    if (closed) {
      reject(new StoreError("closed", "the simulated store is closed"));
      return;
    }
    const refused = (): void => reject(new StoreError("unavailable", "the connection was refused"));
    const answered = resolve;
    network.send({
      from: party,
      life,
      to: STORE,
      ask,
      timeoutMs,
      deliver,
      answered,
      unanswered,
      refused,
    });
  };
  const noAnswer = (): Error => new Error(`no answer within ${timeoutMs} ms`);

  return {
    capabilities,
    read: (key) =>
      new Promise<Observation>((resolve, reject) => {
        checkStoreKey(key);
        call(
          resolve,
          reject,
          { ask: "read", key },
          (respond) => {
            const answer = server.read(key);
            respond(answer, answer.entry === undefined ? "absent" : `r${answer.revision}`);
          },
          () => {
            const cause = noAnswer();
            reject(new StoreError("unavailable", "the read got no answer", { cause }));
          },
        );
      }),
    write: (write: Write) =>
      new Promise<WriteResult>((resolve, reject) => {
        checkWrite(write, maxValueBytes);
        call(
          resolve,
          reject,
          { ask: "write", write },
          (respond) => {
            const answer = server.write(write);
            respond(answer, describe(answer));
          },
          () => resolve({ outcome: "unknown", cause: noAnswer() }),
        );
      }),
    ...(multiKey && {
      writeAll: (all: WriteAll) =>
        new Promise<WriteAllResult>((resolve, reject) => {
          checkWriteAll(all, maxValueBytes);
          call(
            resolve,
            reject,
            { ask: "writeAll", opId: all.opId, keys: all.writes.map(({ key }) => key) },
            (respond) => {
              const answer = server.writeAll(all);
              respond(answer, describe(answer));
            },
            () => resolve({ outcome: "unknown", cause: noAnswer() }),
          );
        }),
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
