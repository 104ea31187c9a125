// What a store has to know of a MySQL or MariaDB server and of each connection before it sends
// anything: commits are automatic, nothing uncommitted is read, what waits for locks gives up, and
// packets have a limit.

import { type Deadline, TIMED_OUT } from "@onceproof/core/advanced";
import { integer } from "../shared/row.js";
import type { Lent, Session, Sessions, Statement } from "../shared/session.js";
import { statement } from "./statements.js";

// The isolation level has one name or the other, by server and version; SHOW takes either.
const FACTS: Statement = statement(`SHOW SESSION VARIABLES WHERE Variable_name IN
  ('autocommit', 'max_allowed_packet', 'version', 'transaction_isolation', 'tx_isolation')`);
const AUTOCOMMIT: Statement = statement("SET SESSION autocommit = 1");
const COMMITTED: Statement = statement("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");

/** What is beside the parameters in a packet, at most. */
const OVERHEAD_BYTES = 4096;

/** A connection that has been looked at. */
interface Known {
  readonly packetBytes: number;
  /** Put before a statement, it limits that statement alone; MySQL has no such words. */
  readonly limit: string;
}

/** How long the server may work on a statement: less than we wait for its answer. */
function limits(timeoutMs: number): { readonly statementS: string; readonly lockS: number } {
  const seconds = (timeoutMs * 0.8) / 1000;
  return { statementS: seconds.toFixed(3), lockS: Math.max(1, Math.floor(seconds)) };
}

async function learn(session: Session, timeoutMs: number): Promise<Known> {
  const { rows } = await session.send(FACTS, []);
  const facts = new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  if (facts.get("autocommit") !== "ON") {
    await session.send(AUTOCOMMIT, []);
  }
  const isolation = facts.get("transaction_isolation") ?? facts.get("tx_isolation");
  if (isolation === "READ-UNCOMMITTED") {
    await session.send(COMMITTED, []);
  }
  const { statementS, lockS } = limits(timeoutMs);
  const packetBytes = integer(facts.get("max_allowed_packet"));
  if (/mariadb/i.test(facts.get("version") ?? "")) {
    const limit = `SET STATEMENT max_statement_time = ${statementS}, innodb_lock_wait_timeout = ${lockS} FOR `;
    return { packetBytes, limit };
  }
  await session.send(statement(`SET SESSION innodb_lock_wait_timeout = ${lockS}`), []);
  return { packetBytes, limit: "" };
}

const SMALL_BYTES = 32;

function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    return Buffer.byteLength(value, "utf8");
  }
  if (value instanceof Uint8Array) {
    return value.length;
  }
  // Both drivers send what is no date as JSON.
  return typeof value === "object" && value !== null && !(value instanceof Date)
    ? Buffer.byteLength(JSON.stringify(value) ?? "", "utf8")
    : 0;
}

function packetBytes(values: readonly unknown[], text: string, factor: number): number {
  let bytes = text.length + OVERHEAD_BYTES;
  for (const value of values) {
    bytes += sizeOf(value) * factor + SMALL_BYTES;
  }
  return bytes;
}

/** A session that limits what it sends. */
function limited(session: Session, known: Known, factor: number): Session {
  return {
    send(sent, values) {
      const bytes = packetBytes(values, sent.text, factor);
      // A packet beyond the limit resets the connection, which would leave a write unknown.
      if (bytes > known.packetBytes) {
        const limit = `max_allowed_packet is ${known.packetBytes}`;
        const error = new Error(`${limit} and this statement needs up to ${bytes}: raise it`);
        return Promise.reject(Object.assign(error, { errno: 1153, sqlState: "HY000" }));
      }
      const { name, text } = sent;
      const one = values.length > 0 ? { name, text: known.limit + text } : sent;
      return session.send(one, values);
    },
  };
}

/**
 * Looks at each connection once, when it is first lent.
 *
 * Cost: 1 statement for each new connection; on MySQL 2, one of which shortens the connection's
 * wait for row locks.
 */
export function limitedSessions(sessions: Sessions, timeoutMs: number, prepare: boolean): Sessions {
  // By the connection itself or, where the driver hides it, by its number.
  const objects = new WeakMap<object, Known>();
  const numbers = new Map<unknown, Known>();
  // Without prepared statements bytes are sent in hexadecimal, and texts with escapes.
  const factor = prepare ? 1 : 2;

  async function look({ session, id }: Lent, deadline: Deadline): Promise<Known | undefined> {
    const learned = await deadline.race(learn(session, timeoutMs));
    if (learned === TIMED_OUT) {
      return undefined;
    }
    if (typeof id === "object" && id !== null) {
      objects.set(id, learned);
    } else {
      numbers.set(id, learned);
    }
    return learned;
  }

  return {
    async borrow(deadline) {
      const lent = await sessions.borrow(deadline);
      if (lent === TIMED_OUT) {
        return TIMED_OUT;
      }
      const { id, session, handle, giveBack } = lent;
      try {
        const facts = objects.get(Object(id)) ?? numbers.get(id) ?? (await look(lent, deadline));
        if (facts === undefined) {
          giveBack(false);
          return TIMED_OUT;
        }
        return {
          id,
          ...(handle && { handle }),
          session: limited(session, facts, factor),
          giveBack(usable) {
            if (!usable) {
              // Numbers of connections come again after a restart of the server.
              numbers.clear();
            }
            giveBack(usable);
          },
        };
      } catch (error) {
        giveBack(false);
        throw error;
      }
    },
  };
}
