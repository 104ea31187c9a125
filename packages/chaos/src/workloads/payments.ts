// Payments in tables of the user's own, in the store's transaction: money between accounts and a
// piece of the stock, several callers of each request, who lock the same few rows in any order.
import { setTimeout as sleep } from "node:timers/promises";
import { createTransactionalDedup, Final, type TransactionalDedup } from "@onceproof/core";
import { LOST_COMMIT, OUTSIDE, rerunLostCommits } from "../broken-transactions.js";
import type { Random } from "../random.js";
import type { Statements, Transactions } from "../stores/store-kind.js";
import { type Lane, LEASE_MS, SETTLE_MS, WAIT_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 500;
const REQUESTS = 16;

export const ACCOUNTS = 6;
export const ITEMS = 3;
/** What every account holds, and what there is of every item, before the first payment. */
export const OPENING = 100_000;

export interface PaymentAsk {
  readonly request: string;
  /** The value that the call makes if it is the one that pays; no other call makes the same. */
  readonly offers: string;
}

/** The money as one statement saw it in the middle of everything. */
export interface Sums {
  readonly outcome: "seen";
  readonly money: number;
  readonly accounts: number;
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
    await on("INSERT INTO bank_stock VALUES (?, ?)", [id, OPENING]);
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
}

/** Moves the money and takes the piece; refuses what the account does not cover. */
export async function pay(
  on: Statements,
  effect: Effect,
  pause: () => Promise<void>,
): Promise<string> {
  const { request, source, target, amount, item, value } = effect;
  const add = "UPDATE bank_accounts SET balance = balance + ? WHERE id = ?";
  await on(add, [-amount, source]);
  await pause();
  await on(add, [amount, target]);
  await on("UPDATE bank_stock SET pieces = pieces - 1 WHERE id = ?", [item]);
  const [left] = await on("SELECT balance FROM bank_accounts WHERE id = ?", [source]);
  await on("INSERT INTO bank_effects VALUES (?, ?, ?, ?, ?, ?)", [
    ...[request, source, target, amount, item, value],
  ]);
  if (Number(left?.balance) < 0) throw new Final("declined", `${request} is not covered`);
  return value;
}

export function createPayments(
  { store }: Transactions,
  broken?: string,
): TransactionalDedup<unknown> {
  return createTransactionalDedup({
    store: broken === LOST_COMMIT ? rerunLostCommits(store) : store,
    name: "payments",
    onCrash: broken === OUTSIDE ? "rerun" : "park",
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
  });
}

/** One call of a request, with an effect of this caller's own choice. */
export async function askForPayment(
  lane: Lane,
  payments: TransactionalDedup<unknown>,
  transactions: Transactions,
  request: string,
): Promise<unknown> {
  const { random, by, broken } = lane;
  const source = random.int(1, ACCOUNTS);
  const effect: Effect = {
    request,
    source,
    target: ((source + random.int(0, ACCOUNTS - 2)) % ACCOUNTS) + 1,
    // Now and then more than there is.
    amount: random.chance(0.05) ? OPENING * ACCOUNTS : random.int(1, 900),
    item: random.int(1, ITEMS),
    value: `${by} ${lane.next()}`,
  };
  const fails = random.chance(0.05);
  const pauseMs = random.int(0, 15);
  const met: Met = { runs: 0, deadlocks: 0, aborted: 0 };
  const handler = async (tx: unknown): Promise<string> => {
    met.runs += 1;
    const on = counting(transactions, tx, met);
    const value = await pay(on, effect, () => sleep(pauseMs));
    if (fails) throw new Error("what was paid is taken back");
    return value;
  };
  const ask: PaymentAsk = { request, offers: effect.value };
  return lane.ask("payment", ask, async () => {
    const answer =
      broken === OUTSIDE
        ? await payments.attempt(request, () => payOutside(transactions, handler, random))
        : await payments.attemptInTransaction(request, handler);
    return { ...answer, ...met };
  });
}

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
      const request = `${lane.epoch(EPOCH_MS)}/${random.int(1, REQUESTS)}`;
      await askForPayment(lane, made, transactions, request);
    }
    await lane.pause(30);
  };
};

/** All that was ever committed is whole: in the middle of everything, no money is missing. */
async function readSums({ store, on }: Transactions): Promise<Sums | { outcome: "notSeen" }> {
  try {
    const [row] = await store.transaction((tx) =>
      on(tx)("SELECT sum(balance) AS money, count(*) AS n FROM bank_accounts"),
    );
    return { outcome: "seen", money: Number(row?.money), accounts: Number(row?.n) };
  } catch {
    // Of any kind, also the driver's own: nothing was read.
    return { outcome: "notSeen" };
  }
}
