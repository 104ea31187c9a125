// The sessions of a world's database: each transaction on a connection of its own, whose statements
// arrive as messages. A connection that is lost, or idle for too long, rolls back.

import { codeOf } from "@onceproof/core";
import type { Observation, Write, WriteResult } from "@onceproof/core/advanced";
import type { Timer } from "../timers.js";
import type { Row, ServedDatabase, ServedTransaction } from "./served-store.js";

/** What a session is asked. */
export type SessionStep =
  | { readonly step: "begin" }
  | { readonly step: "read"; readonly key: string }
  | { readonly step: "write"; readonly write: Write }
  | { readonly step: "insert"; readonly row: Row }
  | { readonly step: "commit" }
  | { readonly step: "rollback" }
  /** The client hangs up. */
  | { readonly step: "leave" };

/** A message of a session; they are numbered, as a connection keeps their order. */
export interface SessionMessage {
  readonly session: string;
  readonly number: number;
  /** The node that the connection belongs to, and its life. */
  readonly by: string;
  readonly life: number;
  readonly ask: SessionStep;
}

export type SessionReply =
  | { readonly outcome: "done"; readonly answer?: Observation | WriteResult }
  /** All was rolled back on account of others. */
  | { readonly outcome: "contended"; readonly message: string }
  /** All was rolled back for another reason. */
  | { readonly outcome: "failed"; readonly message: string }
  /** There is no such session any more. */
  | { readonly outcome: "gone" };

interface Session {
  readonly by: string;
  readonly life: number;
  readonly transaction: Promise<ServedTransaction>;
  readonly rows: Row[];
  /** The number of the message that is due next. */
  due: number;
  /** The number of the message that hung up, if it has overtaken others. */
  leaves: number | undefined;
  /** Its first failure: nothing is carried out after it, and a commit rolls back. */
  failed: SessionReply | undefined;
  idle: Timer | undefined;
}

export interface SessionsHost {
  readonly database: ServedDatabase;
  readonly idleMs: number;
  at(delayUs: number, callback: () => void): Timer;
  cancel(timer: Timer): void;
  /** Tells that promises are about to settle. */
  stir(): void;
  note(change: string): void;
  /** Told of each row that was committed. */
  committed(row: Row, by: string): void;
}

export class Sessions {
  readonly #host: SessionsHost;
  readonly #open = new Map<string, Session>();
  readonly #ended = new Set<string>();

  constructor(host: SessionsHost) {
    this.#host = host;
  }

  /** How many transactions are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Carries out one message. A second copy is dropped, as connections do. */
  handle(message: SessionMessage, respond: (reply: SessionReply) => void): void {
    const { session: id, number, ask } = message;
    this.#host.stir();
    if (ask.step === "leave") {
      this.#leave(id, number);
      return;
    }
    if (ask.step === "begin" && !this.#ended.has(id) && !this.#open.has(id)) {
      this.#begin(id, message);
    }
    const session = this.#open.get(id);
    if (session === undefined) {
      respond({ outcome: "gone" });
    } else if (number === session.due) {
      session.due += 1;
      void this.#carryOut(id, session, ask, respond);
    }
  }

  /** All connections are lost, or those of one life of a node: their transactions are rolled back. */
  drop(of?: { readonly by: string; readonly life: number }): void {
    this.#host.stir();
    for (const [id, session] of [...this.#open]) {
      if (of === undefined || (session.by === of.by && session.life === of.life)) {
        this.#end(id, session);
      }
    }
  }

  /** The connection of one session is lost. */
  disconnect(id: string): void {
    this.#host.stir();
    const session = this.#open.get(id);
    this.#ended.add(id);
    if (session !== undefined) {
      this.#end(id, session);
    }
  }

  #begin(id: string, { by, life }: SessionMessage): void {
    const transaction = this.#host.database.begin();
    const session: Session = {
      by,
      life,
      transaction,
      rows: [],
      due: 0,
      leaves: undefined,
      failed: undefined,
      idle: undefined,
    };
    this.#open.set(id, session);
  }

  async #carryOut(
    id: string,
    session: Session,
    ask: Exclude<SessionStep, { step: "leave" }>,
    respond: (reply: SessionReply) => void,
  ): Promise<void> {
    this.#rest(session);
    const reply = await this.#reply(id, session, ask);
    const last = ask.step === "commit" || ask.step === "rollback";
    if (this.#open.get(id) !== session && !last) {
      // It was ended meanwhile: nobody is there to be answered.
      return;
    }
    respond(reply);
    if (session.leaves === session.due) {
      this.#end(id, session);
    } else if (this.#open.get(id) === session) {
      this.#watch(id, session);
    }
  }

  async #reply(
    id: string,
    session: Session,
    ask: Exclude<SessionStep, { step: "leave" }>,
  ): Promise<SessionReply> {
    try {
      const transaction = await session.transaction;
      if (ask.step === "rollback" || (ask.step === "commit" && session.failed)) {
        this.#end(id, session);
        return session.failed ?? { outcome: "done" };
      }
      if (session.failed) {
        return session.failed;
      }
      switch (ask.step) {
        case "begin":
          return { outcome: "done" };
        case "read":
          return { outcome: "done", answer: await transaction.read(ask.key) };
        case "write":
          return { outcome: "done", answer: await transaction.write(ask.write) };
        case "insert":
          await transaction.insert(ask.row);
          session.rows.push(ask.row);
          return { outcome: "done" };
        case "commit":
          this.#forget(id, session);
          await transaction.commit();
          for (const row of session.rows) {
            this.#host.committed(row, session.by);
          }
          return { outcome: "done" };
      }
    } catch (error) {
      const outcome = codeOf(error) === "contended" ? "contended" : "failed";
      const failed: SessionReply = { outcome, message: String((error as Error).message) };
      session.failed = failed;
      return failed;
    }
  }

  #leave(id: string, number: number): void {
    const session = this.#open.get(id);
    if (session === undefined) {
      // What comes later of this connection finds it closed.
      this.#ended.add(id);
    } else if (session.due >= number) {
      this.#end(id, session);
    } else {
      session.leaves = number;
    }
  }

  #watch(id: string, session: Session): void {
    session.idle = this.#host.at(this.#host.idleMs * 1000, () => {
      this.#host.stir();
      this.#host.note(`rolled back a transaction of ${session.by} that was idle for too long`);
      this.#end(id, session);
    });
  }

  #rest(session: Session): void {
    if (session.idle !== undefined) {
      this.#host.cancel(session.idle);
      session.idle = undefined;
    }
  }

  #forget(id: string, session: Session): void {
    this.#rest(session);
    this.#open.delete(id);
    this.#ended.add(id);
  }

  #end(id: string, session: Session): void {
    this.#forget(id, session);
    void session.transaction.then((transaction) => transaction.rollback()).catch(() => {});
  }
}
