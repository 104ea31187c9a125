// Gate rows: what a transaction on MySQL or MariaDB locks before it creates an entry. A key without
// a row has nothing to lock, and those who wait for an insert that is then rolled back deadlock
// (InnoDB hands their waits on to the gap, where nobody can insert). So they wait for a gate.

import { createHash } from "node:crypto";
import type { Deadline } from "@onceproof/core/advanced";
import type { Attempt, Exchange } from "../shared/exchange.js";
import { unavailable } from "../shared/rounds.js";
import type { Reply, Statement } from "../shared/session.js";
import { contended } from "../shared/transaction-watch.js";
import { statement } from "./statements.js";

/** So many: two keys share one now and then, and their transactions then wait for each other. */
const GATES = 1024;

/** No key has these bytes, as they are no UTF-8. A gate looks live for ever, so no sweep frees it. */
function gateBytes(gate: number): Buffer {
  return Buffer.from([0xff, gate >> 8, gate & 0xff]);
}

/** The gate of a key. */
export function gateOfKey(key: Buffer): Buffer {
  return gateBytes(createHash("sha256").update(key).digest().readUInt16BE(0) % GATES);
}

/** Makes the gates of a table; those that are there stay. */
function insertGates(table: string): Statement {
  const rows = Array.from(
    { length: GATES },
    (_, gate) => `(x'${gateBytes(gate).toString("hex")}', '', 0, '', 0)`,
  );
  return statement(`INSERT INTO ${table} (k, v, rev, op, at) VALUES ${rows.join(", ")}
ON DUPLICATE KEY UPDATE rev = ${table}.rev`);
}

/** The gates of one table. */
export interface Gates {
  /** Makes them, on a connection of its own; 1 statement, once. */
  ensure(): Promise<void>;
  /** They turned out to be missing, as if the table had been emptied. */
  forget(): void;
}

/** Builds the gates of one table, which is quoted already. */
export function gatesOf(
  table: string,
  exchange: Exchange,
  deadlineFor: <T>(work: (deadline: Deadline) => Promise<T>) => Promise<T>,
): Gates {
  let made: Promise<void> | undefined;
  async function make(): Promise<void> {
    const sent: Attempt<Reply> = await deadlineFor((deadline) =>
      exchange.statement(insertGates(table), [], deadline),
    );
    if (sent.kind !== "answer") {
      made = undefined;
      throw sent.kind === "nothing" && sent.again ? contended(sent.cause) : unavailable(sent.cause);
    }
  }
  return {
    ensure() {
      made ??= make();
      return made;
    },
    forget() {
      made = undefined;
    },
  };
}
