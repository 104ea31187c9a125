// Transactions as one node of a world sees them: each on a connection of its own, statement by
// statement over the network. What became of a commit without an answer is not known.

import { ContendedError, IndeterminateError } from "@onceproof/core";
import {
  type AtomicStore,
  checkStoreKey,
  checkWrite,
  type Observation,
  type StoreCapabilities,
  StoreError,
  type WriteResult,
} from "@onceproof/core/advanced";
import type { Network } from "./network.js";
import type { Party } from "./party.js";
import type { Row, Transactions, WorldTransaction } from "./served-store.js";
import type { SessionReply, SessionStep, Sessions } from "./sessions.js";
import { STORE } from "./store-client.js";

export interface TransactionClientOptions {
  readonly network: Network;
  readonly sessions: Sessions;
  readonly party: Party;
  readonly capabilities: StoreCapabilities;
}

type Sent = SessionReply | { readonly outcome: "noAnswer" } | { readonly outcome: "refused" };

/** Builds the transactions of a node's present life. */
export function createTransactions(options: TransactionClientOptions): Transactions {
  const { party } = options;
  const { life } = party;
  const connections = new WeakMap<WorldTransaction, Connection>();
  let made = 0;
  return {
    async transaction(fn) {
      made += 1;
      const connection = new Connection(options, `${party.name}.${life}.${made}`, life);
      await connection.begin();
      const tx: WorldTransaction = { insert: (row) => connection.insert(row) };
      connections.set(tx, connection);
      try {
        const result = await fn(tx);
        await connection.commit();
        return result;
      } catch (error) {
        await connection.rollback();
        throw connection.failure ?? error;
      }
    },
    bind(tx) {
      const connection = connections.get(tx);
      if (connection === undefined) {
        throw new StoreError("closed", "this is no transaction of this node");
      }
      return connection.store;
    },
  };
}

class Connection {
  readonly store: AtomicStore;
  /** Its first failure, which decides what became of the whole. */
  failure: Error | undefined;
  readonly #options: TransactionClientOptions;
  readonly #session: string;
  readonly #life: number;
  #sent = 0;
  #over = false;

  constructor(options: TransactionClientOptions, session: string, life: number) {
    this.#options = options;
    this.#session = session;
    this.#life = life;
    const { capabilities } = options;
    this.store = {
      capabilities,
      read: async (key) => {
        checkStoreKey(key);
        return (await this.#ask({ step: "read", key })) as Observation;
      },
      write: async (write) => {
        checkWrite(write, capabilities.maxValueBytes);
        return (await this.#ask({ step: "write", write })) as WriteResult;
      },
      close: async () => {},
    };
  }

  async begin(): Promise<void> {
    await this.#ask({ step: "begin" });
  }

  async insert(row: Row): Promise<void> {
    await this.#ask({ step: "insert", row });
  }

  async commit(): Promise<void> {
    if (this.failure !== undefined) {
      // A database rolls back what failed, whatever is asked of it then.
      throw this.failure;
    }
    const sent = await this.#send({ step: "commit" });
    this.#over = true;
    switch (sent.outcome) {
      case "done":
        return;
      case "noAnswer":
      case "gone":
        this.#leave();
        throw this.#fail(
          new IndeterminateError("indeterminate", "the answer to the commit was lost"),
        );
      default:
        this.#leave();
        throw this.#fail(errorOf(sent));
    }
  }

  async rollback(): Promise<void> {
    if (this.#over) {
      return;
    }
    this.#over = true;
    const { outcome } = await this.#send({ step: "rollback" });
    if (outcome === "noAnswer" || outcome === "refused") {
      this.#leave();
    }
  }

  /** Carries out a statement. Fails as the whole transaction will. */
  async #ask(ask: SessionStep): Promise<Observation | WriteResult | undefined> {
    if (this.#over) {
      throw new StoreError("closed", "the transaction has ended");
    }
    if (this.failure !== undefined) {
      throw this.failure;
    }
    const sent = await this.#send(ask);
    if (sent.outcome === "done") {
      return sent.answer;
    }
    if (sent.outcome !== "contended" && sent.outcome !== "failed") {
      this.#over = true;
      this.#leave();
    }
    throw this.#fail(errorOf(sent));
  }

  #fail(error: Error): Error {
    this.failure ??= error;
    return this.failure;
  }

  #send(ask: SessionStep): Promise<Sent> {
    const { network, sessions, party, capabilities } = this.#options;
    const sender = { by: party.name, life: this.#life };
    const message = { session: this.#session, number: this.#sent, ask, ...sender };
    this.#sent += 1;
    return new Promise((resolve) => {
      network.send<Sent>({
        from: party,
        life: this.#life,
        to: STORE,
        ask: { ask: "session", session: this.#session, does: ask },
        ...(ask.step !== "leave" && { timeoutMs: capabilities.operationTimeoutMs }),
        deliver: (respond) => sessions.handle(message, (reply) => respond(reply, wordsOf(reply))),
        answered: resolve,
        unanswered: () => resolve({ outcome: "noAnswer" }),
        refused: () => resolve({ outcome: "refused" }),
      });
    });
  }

  /** Hangs up; nobody waits for an answer. */
  #leave(): void {
    void this.#send({ step: "leave" });
  }
}

function errorOf(sent: Exclude<Sent, { outcome: "done" }>): Error {
  switch (sent.outcome) {
    case "contended":
      return new ContendedError("contended", sent.message);
    case "failed":
      return new StoreError("unavailable", sent.message);
    default:
      return new StoreError("unavailable", `the connection was lost: ${sent.outcome}`);
  }
}

function wordsOf(reply: SessionReply): string {
  if (reply.outcome !== "done") {
    return reply.outcome;
  }
  const { answer } = reply;
  if (answer === undefined) {
    return "done";
  }
  const revision =
    "revision" in answer && answer.revision !== undefined ? ` r${answer.revision}` : "";
  return `${"outcome" in answer ? answer.outcome : "read"}${revision}`;
}
