// Payments in tables of the user's own, in the store's transaction: money between accounts and a
// piece of the stock, several callers of each request, who lock the same few rows in any order.
import { setTimeout as sleep } from "node:timers/promises";
import { createTransactionalDedup, Final, type TransactionalDedup } from "@onceproof/core";
import type { TransactionalStore } from "@onceproof/core/advanced";
import { LOST_COMMIT, LOST_UPDATE, OUTSIDE, rerunLostCommits } from "../broken-transactions.js";
import type { Random } from "../random.js";
import type { Statements, Transactions } from "../stores/store-kind.js";
import { type Lane, LEASE_MS, SETTLE_MS, WAIT_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 500;
const REQUESTS = 16;

/** Every other stretch of time all payments go between two accounts, in both directions. */
const STORM_ACCOUNTS = 2;

export const ACCOUNTS = 6;
export const ITEMS = 4;
/** What every account holds, and what there is of every item but one, before the first payment. */
export const OPENING = 100_000;
/** There is so little of this one that it sells out. */
export const SCARCE: number = ITEMS;
const FEW = 25;

/** What there is of an item before the first payment. */
export const openingStock = (item: number): number => (item === SCARCE ? FEW : OPENING);

export interface PaymentAsk {
  readonly request: string;
  /** The value that the call makes if it is the one that pays; no other call makes the same. */
  readonly offers: string;
}

/** The tables as one statement saw them in the middle of everything. */
export interface Sums {
  readonly outcome: "seen";
  readonly money: number;
  readonly accounts: number;
  /** Of the account that holds least. */
  readonly leastMoney: number;
  /** What is left of all items. */
  readonly pieces: number;
  /** Of the item of which least is left. */
  readonly leastPieces: number;
  /** The payments, each of which took one piece. */
  readonly effects: number;
}

/** One row for each payment that took effect, without any constraint that would hide a second one. */
export interface Effect {
  readonly request: string;
  readonly source: number;
  readonly target: number;
  readonly amount: number;
  readonly item: number;
  readonly value: string;
}

/** What stands in the user's tables. */
export interface Bank {
  readonly accounts: Readonly<Record<string, number>>;
  readonly stock: Readonly<Record<string, number>>;
  readonly effects: readonly Effect[];
}

export async function createBank(on: Statements): Promise<void> {
  await on("CREATE TABLE bank_accounts (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL)");
  await on("CREATE TABLE bank_stock (id INTEGER PRIMARY KEY, pieces BIGINT NOT NULL)");
  await on(
    `CREATE TABLE bank_effects (request VARCHAR(80) NOT NULL, source INTEGER NOT NULL,
     target INTEGER NOT NULL, amount INTEGER NOT NULL, item INTEGER NOT NULL, value VARCHAR(80) NOT NULL)`,
  );
  for (let id = 1; id <= ACCOUNTS; id += 1) {
    await on("INSERT INTO bank_accounts VALUES (?, ?)", [id, OPENING]);
  }
  for (let id = 1; id <= ITEMS; id += 1) {
    await on("INSERT INTO bank_stock VALUES (?, ?)", [id, openingStock(id)]);
  }
}

export async function readBank(on: Statements): Promise<Bank> {
  const numbers = async (text: string): Promise<Record<string, number>> =>
    Object.fromEntries((await on(text)).map(({ id, n }) => [String(id), Number(n)]));
  return {
    accounts: await numbers("SELECT id, balance AS n FROM bank_accounts"),
    stock: await numbers("SELECT id, pieces AS n FROM bank_stock"),
    effects: (await on("SELECT * FROM bank_effects")) as unknown as Effect[],
  };
}

/** What a round of a call met with, for the tallies. */
interface Met {
  runs: number;
  deadlocks: number;
  aborted: number;
  commitsUnknown: number;
}

/** Moves the money and takes the piece; refuses what is not covered, or sold out. */
export async function pay(
  on: Statements,
  effect: Effect,
  pause: () => Promise<void>,
  broken?: string,
): Promise<string> {
  const { request, source, target, amount, item, value } = effect;
  const add = "UPDATE bank_accounts SET balance = balance + ? WHERE id = ?";
  const piecesOf = "SELECT pieces FROM bank_stock WHERE id = ?";
  const [before] = broken === LOST_UPDATE ? await on(piecesOf, [item]) : [];
  await on(add, [-amount, source]);
  await pause();
  await on(add, [amount, target]);
  if (before === undefined) {
    await on("UPDATE bank_stock SET pieces = pieces - 1 WHERE id = ?", [item]);
  } else {
    await on("UPDATE bank_stock SET pieces = ? WHERE id = ?", [Number(before.pieces) - 1, item]);
  }
  const [left] = await on("SELECT balance FROM bank_accounts WHERE id = ?", [source]);
  const [stock] = await on(piecesOf, [item]);
  await on("INSERT INTO bank_effects VALUES (?, ?, ?, ?, ?, ?)", [
    ...[request, source, target, amount, item, value],
  ]);
  if (Number(left?.balance) < 0) throw new Final("declined", `${request} is not covered`);
  if (Number(stock?.pieces) < 0)
    throw new Final("declined", `${request}: item ${item} is sold out`);
  return value;
}

export interface Payments {
  readonly dedup: TransactionalDedup<unknown>;
  /** How many commits have had no answer so far. */
  commitsUnknown(): number;
}

export function createPayments({ store }: Transactions, broken?: string): Payments {
  let unknown = 0;
  const counted: TransactionalStore<unknown> = {
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    write: (write) => store.write(write),
    bind: (tx) => store.bind(tx),
    close: () => store.close(),
    async transaction(fn) {
      try {
        return await store.transaction(fn);
      } catch (error) {
        if ((Object(error) as { code?: unknown }).code === "indeterminate") unknown += 1;
        throw error;
      }
    },
  };
  const dedup = createTransactionalDedup({
    store: broken === LOST_COMMIT ? rerunLostCommits(counted) : counted,
    name: "payments",
    onCrash: broken === OUTSIDE ? "rerun" : "park",
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
  });
  return { dedup, commitsUnknown: () => unknown };
}

/** One call of a request, with an effect of this caller's own choice. */
export async function askForPayment(
  lane: Lane,
  { dedup, commitsUnknown }: Payments,
  transactions: Transactions,
  request: string,
): Promise<unknown> {
  const { random, by, broken } = lane;
  const accounts = isStorm(request) ? STORM_ACCOUNTS : ACCOUNTS;
  const source = random.int(1, accounts);
  const effect: Effect = {
    request,
    source,
    target: ((source + random.int(0, accounts - 2)) % accounts) + 1,
    // Now and then more than there is.
    amount: random.chance(0.05) ? OPENING * ACCOUNTS : random.int(1, 900),
    item: random.chance(0.2) ? SCARCE : random.int(1, ITEMS - 1),
    value: `${by} ${lane.next()}`,
  };
  const fails = random.chance(0.05);
  const pauseMs = random.int(0, 15);
  const met: Met = { runs: 0, deadlocks: 0, aborted: 0, commitsUnknown: 0 };
  const handler = async (tx: unknown): Promise<string> => {
    met.runs += 1;
    const on = counting(transactions, tx, met);
    const value = await pay(on, effect, () => sleep(pauseMs), broken);
    if (fails) throw new Error("what was paid is taken back");
    return value;
  };
  const ask: PaymentAsk = { request, offers: effect.value };
  return lane.ask("payment", ask, async () => {
    const unknownBefore = commitsUnknown();
    const answer =
      broken === OUTSIDE
        ? await dedup.attempt(request, () => payOutside(transactions, handler, random))
        : await dedup.attemptInTransaction(request, handler);
    met.commitsUnknown = commitsUnknown() - unknownBefore;
    return { ...answer, ...met };
  });
}

const requestOf = (epoch: number, number: number): string => `${epoch}/${number}`;
const isStorm = (request: string): boolean => Number.parseInt(request, 10) % 2 === 1;

/** Commits the effect, and then goes on with something else before it is recorded. */
async function payOutside(
  { store }: Transactions,
  handler: (tx: unknown) => Promise<string>,
  random: Random,
): Promise<string> {
  const value = await store.transaction(handler);
  await sleep(random.int(0, 300));
  return value;
}

function counting(transactions: Transactions, tx: unknown, met: Met): Statements {
  const on = transactions.on(tx);
  return async (text, values) => {
    try {
      return await on(text, values);
    } catch (error) {
      const failure = transactions.failure(error);
      if (failure !== undefined) met[failure] += 1;
      throw error;
    }
  };
}

export const payments: Workload = (lane) => {
  const { random, transactions } = lane;
  if (transactions === undefined) return () => lane.pause(1_000);
  const made = createPayments(transactions, lane.broken);
  return async () => {
    if (random.chance(0.1)) {
      await lane.ask("sums", {}, () => readSums(transactions));
    } else {
      const request = requestOf(lane.epoch(EPOCH_MS), random.int(1, REQUESTS));
      await askForPayment(lane, made, transactions, request);
    }
    await lane.pause(30);
  };
};

const SUMS = `SELECT
  (SELECT sum(balance) FROM bank_accounts) AS money,
  (SELECT count(*) FROM bank_accounts) AS accounts,
  (SELECT min(balance) FROM bank_accounts) AS least_money,
  (SELECT sum(pieces) FROM bank_stock) AS pieces,
  (SELECT min(pieces) FROM bank_stock) AS least_pieces,
  (SELECT count(*) FROM bank_effects) AS effects`;

/** All that was ever committed is whole: in the middle of everything, nothing is missing. */
async function readSums({ store, on }: Transactions): Promise<Sums | { outcome: "notSeen" }> {
  try {
    const [row] = await store.transaction((tx) => on(tx)(SUMS));
    return {
      outcome: "seen",
      money: Number(row?.money),
      accounts: Number(row?.accounts),
      leastMoney: Number(row?.least_money),
      pieces: Number(row?.pieces),
      leastPieces: Number(row?.least_pieces),
      effects: Number(row?.effects),
    };
  } catch {
    // Of any kind, also the driver's own: nothing was read.
    return { outcome: "notSeen" };
  }
}
