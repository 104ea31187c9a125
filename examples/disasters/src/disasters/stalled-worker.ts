// A worker takes the lock, reads the balance, and stalls. Its lease ends, another worker does its
// work, and then the first wakes up and writes what it had in mind. A lock alone cannot stop it: the
// table has to, by the token.

import { createLock, type Locks } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import { createSuspendable } from "../world/suspendable.js";
import type { Table } from "../world/table.js";
import type { World } from "../world/world.js";

const FIRST = 100;
const SECOND = 50;
/** The lease of the worker that stalls; short, as the other one has to wait for its end. */
const LEASE_MS = 300;

/** A lock cannot tell a retry from another deposit: the row knows those that it has seen. */
interface Account {
  readonly balance: number;
  readonly deposits: readonly string[];
}

type Read = (id: string) => Promise<Account>;
type Write = (id: string, account: Account, token: number) => Promise<unknown>;
type Deposit = (id: string, amount: number, depositId: string) => Promise<unknown>;

async function serve(world: World, worker: Deposit): Promise<Deposit> {
  const app = createApp();
  app.post("/accounts/:id/deposits/:amount", async (c) => {
    const { id, amount } = c.req.param();
    await worker(id, Number(amount), c.req.header("idempotency-key") ?? "");
    return c.json("deposited");
  });
  const url = await world.serve(app);
  return (id, amount, depositId) => {
    const headers = { "idempotency-key": depositId };
    return world.client.postUntilAnswered(`${url}/accounts/${id}/deposits/${amount}`, {}, headers);
  };
}

/** Two workers deposit; the first stalls between reading and writing until the second is done. */
async function depositBoth(world: World, accounts: Table<Account>, write: Write): Promise<Deposit> {
  const { store, common, id } = world;
  const { runtime, suspend } = createSuspendable();
  const read: Read = async (account) =>
    (await accounts.get(account)) ?? { balance: 0, deposits: [] };
  const [hasRead, tellRead] = latch();
  const [resumed, resume] = latch();
  let stalls = true;
  const stalling: Read = async (name) => {
    const account = await read(name);
    if (stalls) {
      stalls = false;
      tellRead();
      await suspend(resumed);
    }
    return account;
  };
  const itsLocks = createLock({ store, name: "account", leaseMs: LEASE_MS, runtime });
  const first = await serve(world, deposit(itsLocks, stalling, write));
  // #region recipe
  const locks = createLock({ name: "account", ...common });
  // #endregion
  const second = await serve(world, deposit(locks, read, write));
  const meanwhile = async (): Promise<void> => {
    await hasRead;
    await second(id("account-1"), SECOND, id("deposit-2")).finally(resume);
  };
  await Promise.all([first(id("account-1"), FIRST, id("deposit-1")), meanwhile()]);
  return second;
}

function deposit(locks: Locks, read: Read, write: Write): Deposit {
  const add = ({ balance, deposits }: Account, amount: number, depositId: string): Account => ({
    balance: balance + amount,
    deposits: [...deposits, depositId],
  });
  return async (id, amount, depositId) => {
    // #region recipe
    await locks.run(id, async ({ token }) => {
      const account = await read(id);
      if (account.deposits.includes(depositId)) return; // a retry
      const changed = add(account, amount, depositId);
      await write(id, changed, token); // ... WHERE token <= ?
    });
    // #endregion
  };
}

const balanceOf = async ({ id }: World, accounts: Table<Account>): Promise<number> =>
  (await accounts.get(id("account-1")))?.balance ?? 0;

function latch(): [opened: Promise<void>, open: () => void] {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, open];
}

export const stalledWorker: Disaster = {
  name: "stalled-worker",
  title: "Worker stalls past its lease, then writes",
  counted: "balance",
  expected: FIRST + SECOND,
  algorithm: "lock + token",
  factories: ["createLock"],
  source: import.meta.url,

  /** With a lock, and a table that knows nothing of tokens: how most locks are used. */
  async unprotected(world) {
    const accounts = world.table<Account>("accounts");
    await depositBoth(world, accounts, (id, account) => accounts.put(id, account));
    return { effects: await balanceOf(world, accounts) };
  },

  async protected(world) {
    const accounts = world.table<Account>("accounts");
    const deposit = await depositBoth(world, accounts, (id, account, token) =>
      accounts.putFenced(id, account, token),
    );
    const effects = await balanceOf(world, accounts);
    const another = world.newId("account");
    const calls = await callsOf(world, () => deposit(another, 1, "deposit-3"));
    return { effects, problems: [], calls };
  },
};
