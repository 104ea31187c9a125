// The systems that the order service acts on. They are naive on purpose: each writes down every
// request it gets, after the time such a call takes, so their ledgers count effects independently of
// what the service believes. Like a real bank they know a request again by its idempotency key, if it
// has one; that they had to, though nothing crashed, is counted too.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "@onceproof/simulator";
import type { Books, Entry, Ledger } from "./books.js";
import type { Client } from "./http-client.js";
import { createApp, type Listening, listen } from "./http-server.js";

const SLOWEST_MS = 20;
const QUICKEST_MS = 10;

export interface Receipt {
  readonly number: number;
  readonly orderId: string;
  readonly amount: number;
}

export interface Parcel {
  readonly number: number;
  readonly orderId: string;
}

export interface Bank {
  charge(orderId: string, amount: number, key?: string): Promise<Receipt>;
  /** What was charged in all. */
  readonly charged: number;
}

export interface Warehouse {
  ship(orderId: string, key?: string): Promise<Parcel>;
  readonly parcels: number;
}

export interface Loyalty {
  grant(customer: string, points: number, key?: string): Promise<unknown>;
  readonly granted: number;
}

export interface Chat {
  say(text: string, key?: string): Promise<unknown>;
  readonly messages: number;
}

export interface Sinks {
  readonly bank: Bank;
  readonly warehouse: Warehouse;
  readonly loyalty: Loyalty;
  readonly chat: Chat;
  close(): Promise<void>;
}

/** Starts one HTTP server that keeps every ledger. */
export async function openSinks(client: Client, random: Random, books: Books): Promise<Sinks> {
  const app = createApp();
  app.post("/:ledger", async (c) => {
    const entry: Entry = await c.req.json();
    await sleep(random.int(QUICKEST_MS, SLOWEST_MS));
    const ledger = c.req.param("ledger") as Ledger;
    return c.json(books.enter(ledger, entry, c.req.header("idempotency-key")), 201);
  });
  const server: Listening = await listen(app);

  const record = async (
    ledger: Ledger,
    entry: Entry,
    key: string | undefined,
  ): Promise<unknown> => {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    return (await client.post(`${server.url}/${ledger}`, entry, headers)).body;
  };
  const sum = (ledger: Ledger, field: string): number =>
    books.entries(ledger).reduce((total, entry) => total + Number(entry[field]), 0);

  return {
    bank: {
      charge: async (orderId, amount, key) =>
        (await record("charges", { orderId, amount }, key)) as Receipt,
      get charged() {
        return sum("charges", "amount");
      },
    },
    warehouse: {
      ship: async (orderId, key) => (await record("parcels", { orderId }, key)) as Parcel,
      get parcels() {
        return books.entries("parcels").length;
      },
    },
    loyalty: {
      grant: (customer, points, key) => record("points", { customer, points }, key),
      get granted() {
        return sum("points", "points");
      },
    },
    chat: {
      say: (text, key) => record("messages", { text }, key),
      get messages() {
        return books.entries("messages").length;
      },
    },
    close: () => server.close(),
  };
}
