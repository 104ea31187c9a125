// Money between accounts, as two updates of a register under one request each: a debit that may be
// refused, and then a credit. What is not answered is asked again under the same request.
import { createRegister, type Register, type UpdateResult } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { isMultiKey, type Lane, SETTLE_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 2_000;
const ACCOUNTS = 4;
const ASKS_AGAIN = 3;

/** What every account holds before its first update. */
export const OPENING = 100;

export interface Account {
  readonly sum: number;
  /** How many updates made it what it is. */
  readonly updates: number;
}

/** One leg of a transfer. */
export interface TransferAsk {
  readonly account: string;
  readonly requestId: string;
  readonly delta: number;
  /** Where the money goes if this debit succeeds. */
  readonly credit?: string;
}

/** Accounts whose names begin so are kept over a store that writes several keys in one step. */
export const MULTI = "multi/";

export function createAccounts(store: AtomicStore): Register<Account> {
  return createRegister<Account>({
    store,
    // Where requests are remembered depends on the store, so the two must not meet.
    name: isMultiKey(store) ? "multi accounts" : "accounts",
    settleMs: SETTLE_MS,
    // More than an account gets in its time, so that no request is forgotten.
    requestWindow: 4_096,
    maxRounds: 12,
  });
}

/** Carries out one leg: at most once, however often it is asked. */
export function moveMoney(
  accounts: Register<Account>,
  { account, requestId, delta }: TransferAsk,
): Promise<UpdateResult<Account>> {
  return accounts.update(account, requestId, (value, { refuse }) => {
    const { sum, updates } = value ?? { sum: OPENING, updates: 0 };
    if (sum + delta < 0) return refuse("insufficient");
    return { sum: sum + delta, updates: updates + 1 };
  });
}

/** The credit that follows a debit. */
export function creditOf({ requestId, delta, credit }: TransferAsk): TransferAsk | undefined {
  return credit === undefined
    ? undefined
    : { account: credit, requestId: `${requestId} credit`, delta: -delta };
}

export const transfers: Workload = (lane) => transfersOver(lane, lane.store, "");

/** The same over a store that writes several keys in one step, where there is one. */
export const multiTransfers: Workload = (lane) =>
  lane.multi === undefined ? () => lane.pause(1_000) : transfersOver(lane, lane.multi, MULTI);

function transfersOver(lane: Lane, store: AtomicStore, prefix: string): () => Promise<void> {
  const { random } = lane;
  const accounts = createAccounts(store);
  const carryOut = async (leg: TransferAsk): Promise<UpdateResult<Account> | undefined> => {
    for (let time = 1; ; time += 1) {
      const told = await lane.ask("transfer", leg, () => moveMoney(accounts, leg));
      const known = told?.outcome === "updated" || told?.outcome === "refused";
      if (time === ASKS_AGAIN || (known && random.chance(0.8))) return told;
      await lane.pause(100);
    }
  };
  return async () => {
    const epoch = lane.epoch(EPOCH_MS);
    const from = random.int(1, ACCOUNTS);
    const to = ((from + random.int(0, ACCOUNTS - 2)) % ACCOUNTS) + 1;
    const debit: TransferAsk = {
      account: `${prefix}${epoch}/${from}`,
      requestId: `${lane.by} ${lane.next()}`,
      delta: -random.int(1, 40),
      credit: `${prefix}${epoch}/${to}`,
    };
    const told = await carryOut(debit);
    const credit = creditOf(debit);
    if (told?.outcome === "updated" && credit !== undefined) await carryOut(credit);
    await lane.pause(60);
  };
}
