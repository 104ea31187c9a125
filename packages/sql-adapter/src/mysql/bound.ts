// The store's steps inside a MySQL or MariaDB transaction that is already open. A create locks its
// key's gate first; rows are judged as they are under their locks, by core's own lines.

import type {
  CreateWrite,
  MultiKeyStore,
  Runtime,
  StampedWrite,
  StoreCapabilities,
  WriteAll,
  WriteAllResult,
  WriteResult,
} from "@onceproof/core/advanced";
import { boundStore, type Doom, untilDoomed } from "../shared/bound-store.js";
import { isCreate, judge, judgeAll, observe, type Sight, sightOf } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { columnsOf, integer, slotOf } from "../shared/row.js";
import type { Reply, Statement } from "../shared/session.js";
import { isCausedBy, type Watch } from "../shared/transaction-watch.js";
import { DUPLICATE_KEY, errorNumber, isContention } from "./error-code.js";
import { type Gates, gateOfKey } from "./gates.js";
import { look } from "./look.js";
import { type Statements, statement } from "./statements.js";
import { applied, changeOf } from "./write.js";
import { lockRows, putRows } from "./write-all.js";

/** What carries statements inside a transaction. */
export interface Carrier {
  /** Whether answers tell what LAST_INSERT_ID was given. */
  readonly tellsInsertId: boolean;
  query(statement: Statement, values?: readonly unknown[]): Promise<Reply>;
}

/** What the bound stores of one store share. */
export interface Binding {
  readonly statements: Statements;
  readonly gates: Gates;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
}

const SAVEPOINT = statement("SAVEPOINT onceproof");
const RELEASE = statement("RELEASE SAVEPOINT onceproof");
const BACK = statement("ROLLBACK TO SAVEPOINT onceproof");

function isDuplicate(error: unknown): boolean {
  return isCausedBy(error, (each) => {
    const { message } = Object(each) as { message?: unknown };
    // Some builders keep of the server's error only the words.
    return errorNumber(each) === DUPLICATE_KEY || /\b1062\b|Duplicate entry/.test(String(message));
  });
}

/** Locks gates, in the order given, and tells the time. Cost: 1 statement each. */
async function lockGates(
  keys: readonly Buffer[],
  { statements, gates }: Binding,
  { query }: Carrier,
): Promise<number> {
  await gates.ensure();
  const distinct = new Map(keys.map(gateOfKey).map((gate) => [gate.toString("hex"), gate]));
  let now = 0;
  for (const [, gate] of [...distinct].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [row] = (await query(statements.lockGate, [gate])).rows;
    if (row === undefined) {
      gates.forget();
      throw new Error("the gates are gone: run the transaction again");
    }
    now = integer(row.clock);
  }
  return now;
}

/** The row as it is under its lock; undefined if there is none. Cost: 1 statement. */
async function lockOne(
  key: string,
  { statements }: Binding,
  { query }: Carrier,
): Promise<Sight | undefined> {
  const [row] = (await query(statements.lockOne, [keyBytes(key)])).rows;
  return row && sightOf(key, slotOf(key, row, statements.tombstoneUs), integer(row.clock));
}

/** Cost: 2 statements where the key has no row, else 3 refused or replayed and 4 applied. */
async function create(
  write: CreateWrite,
  binding: Binding,
  carrier: Carrier,
): Promise<WriteResult | undefined> {
  const { statements } = binding;
  const bytes = keyBytes(write.key);
  const now = await lockGates([bytes], binding, carrier);
  const fresh = judge(sightOf(write.key, undefined, now), write);
  try {
    for (const slot of fresh.puts) {
      await carrier.query(statements.insertAll(1), [...columnsOf(slot), bytes]);
    }
    return fresh.result;
  } catch (error) {
    if (!isDuplicate(error)) {
      throw error;
    }
  }
  // Only a read that locks sees what a snapshot does not.
  const sight = await lockOne(write.key, binding, carrier);
  if (sight === undefined) {
    return undefined;
  }
  const { result, puts } = judge(sight, write);
  await putRows(puts, sight.slots, statements, carrier.query);
  return result;
}

/** Cost: 1 statement applied, 2 refused or replayed; through a bridge, or keeping the expiry, 2 and 1. */
async function change(
  write: StampedWrite,
  binding: Binding,
  carrier: Carrier,
): Promise<WriteResult> {
  const { key, opId, expect, next } = write;
  const { statements } = binding;
  const [step, own, ttl] = changeOf(next, statements);
  if (carrier.tellsInsertId && ttl !== "keep" && opId !== expect.opId) {
    const stamp = [keyBytes(key), expect.revision, expect.opId];
    const { insertId: at } = await carrier.query(step, [...own, opId, ...stamp]);
    if (at !== 0) {
      return applied(at, expect.revision, ttl === null ? null : at + ttl);
    }
  }
  const sight = await lockOne(key, binding, carrier);
  if (sight === undefined) {
    const { rows } = await carrier.query(statements.clock, []);
    return judge(sightOf(key, undefined, integer(rows[0]?.clock)), write).result;
  }
  const { result, puts } = judge(sight, write);
  await putRows(puts, sight.slots, statements, carrier.query);
  return result;
}

/** Cost: as the store's own, one for each gate, and 2 for what undoes it if a racer came first. */
async function writeAll(
  all: WriteAll,
  binding: Binding,
  carrier: Carrier,
): Promise<WriteAllResult | undefined> {
  const { query } = carrier;
  const { statements } = binding;
  const created = all.writes.filter(isCreate).map(({ key }) => keyBytes(key));
  await lockGates(created, binding, carrier);
  await query(SAVEPOINT, []);
  const keys = all.writes.map(({ key }) => key);
  const sight = await lockRows(keys, statements, query);
  const { result, puts } = judgeAll(sight, all);
  try {
    await putRows(puts, sight.slots, statements, query);
    await query(RELEASE, []);
    return result;
  } catch (error) {
    if (!isDuplicate(error)) {
      throw error;
    }
    await query(BACK, []);
    return undefined;
  }
}

/** Builds a store that is bound to a transaction. */
export function bindMysql(
  binding: Binding,
  { tellsInsertId, query }: Carrier,
  watch: Watch | undefined,
): MultiKeyStore {
  const doom: Doom = { reason: undefined };
  const carrier: Carrier = { tellsInsertId, query: untilDoomed(doom, query) };
  const { runtime, capabilities, statements } = binding;
  return boundStore({
    runtime,
    capabilities,
    isContention,
    watch,
    doom,
    steps: {
      async read(key) {
        const ask = async (step: Statement, values: readonly unknown[]) =>
          ({ kind: "answer", value: await carrier.query(step, values) }) as const;
        const seen = await look([key], statements, ask);
        if (seen.kind !== "answer") {
          throw seen.cause;
        }
        return observe(seen.value, key);
      },
      write: (write) =>
        isCreate(write) ? create(write, binding, carrier) : change(write, binding, carrier),
      writeAll: (all) => writeAll(all, binding, carrier),
    },
  });
}
