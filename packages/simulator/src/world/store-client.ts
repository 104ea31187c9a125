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
import type { ServedDatabase, Transactions, WorldTransaction } from "./served-store.js";
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
  /** Present if it offers transactions: then each write waits for their locks. */
  readonly database?: ServedDatabase | undefined;
  readonly transactions?: Transactions | undefined;
}

/** What a node sees of its store. */
export type NodeStore = AtomicStore & Partial<MultiKeyStore & WatchableStore & Transactions>;

/** An answer that is an error. */
interface Failure {
  readonly failure: unknown;
}

/** Responds once a database has carried out a request. */
function respondLater<A>(
  carriedOut: Promise<A>,
  respond: (answer: A | Failure, outcome: string) => void,
  describe: (answer: A) => string,
): void {
  carriedOut.then(
    (answer) => respond(answer, describe(answer)),
    (failure: unknown) => respond({ failure }, "failed"),
  );
}

/** Builds a node's client; it has exactly the optional capabilities that its profile offers. */
export function createStoreClient(options: StoreClientOptions): NodeStore {
  const { network, server, party, capabilities, multiKey, watch, database, transactions } = options;
  const { life } = party;
  const { maxValueBytes, operationTimeoutMs: timeoutMs } = capabilities;
  let closed = false;

  // The check throws inside of the promise's executor, so that a bad argument is a rejection.
  const call = <A>(
    resolve: (answer: A) => void,
    reject: (error: unknown) => void,
    ask: Ask,
    deliver: (respond: (answer: A | Failure, outcome: string) => void) => void,
    unanswered: () => void,
  ): void => {
    if (closed) {
      reject(new StoreError("closed", "the simulated store is closed"));
      return;
    }
    const refused = (): void => reject(new StoreError("unavailable", "the connection was refused"));
    const answered = (answer: A | Failure): void => {
      if (typeof answer === "object" && answer !== null && "failure" in answer) {
        reject(answer.failure);
      } else {
        resolve(answer as A);
      }
    };
    network.send<A | Failure>({
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
            if (database !== undefined) {
              respondLater(database.read(key), respond, describeRead);
              return;
            }
            const answer = server.read(key);
            respond(answer, describeRead(answer));
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
            if (database !== undefined) {
              respondLater(database.write(write), respond, describe);
              return;
            }
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
              if (database?.writeAll !== undefined) {
                respondLater(database.writeAll(all), respond, describe);
                return;
              }
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
    ...(transactions !== undefined && {
      bind: transactions.bind,
      transaction: async <T>(fn: (tx: WorldTransaction) => Promise<T>): Promise<T> => {
        if (closed) {
          throw new StoreError("closed", "the simulated store is closed");
        }
        return transactions.transaction(fn);
      },
    }),
    close: async () => {
      closed = true;
    },
  };
}

function describeRead({ entry, revision }: Observation): string {
  return entry === undefined ? "absent" : `r${revision}`;
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
