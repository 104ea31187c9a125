// A worker takes the lock, reads the balance, and stalls. Its lease ends, another worker does its
// work, and then the first wakes up and writes what it had in mind. A lock alone cannot stop it: the
// table has to, by the token.

import { createLock, type Locks } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import { createSuspendable } from "../world/suspendable.js";
import { Table } from "../world/table.js";
import type { World } from "../world/world.js";

const ACCOUNT = "account-1";
const FIRST = 100;
const SECOND = 50;
/** The lease of the worker that stalls; short, as the other one has to wait for its end. */
const LEASE_MS = 300;

type Read = (account: string) => Promise<number>;
type Write = (account: string, balance: number, token: number) => Promise<unknown>;
type Deposit = (account: string, amount: number) => Promise<unknown>;

async function serve(world: World, worker: Deposit): Promise<Deposit> {
  const app = createApp();
  app.post("/accounts/:account/deposits/:amount", async (c) => {
    const { account, amount } = c.req.param();
    await worker(account, Number(amount));
    return c.json("deposited");
  });
  const url = await world.serve(app);
  return (account, amount) =>
    world.client.postUntilAnswered(`${url}/accounts/${account}/deposits/${amount}`, {});
}

/** Two workers deposit; the first stalls between reading and writing until the second is done. */
async function depositBoth(world: World, balances: Table<number>, write: Write): Promise<Deposit> {
  const { store } = world;
  const { runtime, suspend } = createSuspendable();
  const read: Read = async (account) => (await balances.get(account)) ?? 0;
  const [hasRead, tellRead] = latch();
  const [resumed, resume] = latch();
  let stalls = true;
  const stalling: Read = async (account) => {
    const balance = await read(account);
    if (stalls) {
      stalls = false;
      tellRead();
      await suspend(resumed);
    }
    return balance;
  };
  const itsLocks = createLock({ store, name: "account", leaseMs: LEASE_MS, runtime });
  const first = await serve(world, deposit(itsLocks, stalling, write));
  // #region recipe
  const locks = createLock({ store, name: "account" });
  // #endregion
  const second = await serve(world, deposit(locks, read, write));
  const meanwhile = async (): Promise<void> => {
    await hasRead;
    await second(ACCOUNT, SECOND).finally(resume);
  };
  await Promise.all([first(ACCOUNT, FIRST), meanwhile()]);
  return second;
}

function deposit(locks: Locks, read: Read, write: Write): Deposit {
  return async (account, amount) => {
    // #region recipe
    await locks.run(account, async ({ token }) => {
      const balance = await read(account);
      await write(account, balance + amount, token); // ... WHERE token <= ?
    });
    // #endregion
  };
}

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
    const balances = new Table<number>();
    await depositBoth(world, balances, (account, balance) => balances.put(account, balance));
    return { effects: (await balances.get(ACCOUNT)) ?? 0 };
  },

  async protected(world) {
    const balances = new Table<number>();
    const deposit = await depositBoth(world, balances, (account, balance, token) =>
      balances.putFenced(account, balance, token),
    );
    const effects = (await balances.get(ACCOUNT)) ?? 0;
    const calls = await callsOf(world, () => deposit("account-2", 1));
    return { effects, problems: [], calls };
  },
};
