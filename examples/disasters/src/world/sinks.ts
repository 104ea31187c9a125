// The systems that the order service acts on. They are naive on purpose: each writes down every
// request it gets, after the time such a call takes, so their ledgers count effects independently of
// what the service believes.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "@onceproof/simulator";
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
  charge(orderId: string, amount: number): Promise<Receipt>;
  /** What was charged in all. */
  readonly charged: number;
}

export interface Warehouse {
  ship(orderId: string): Promise<Parcel>;
  readonly parcels: number;
}

export interface Loyalty {
  grant(customer: string, points: number): Promise<unknown>;
  readonly granted: number;
}

export interface Chat {
  say(text: string): Promise<unknown>;
  readonly messages: number;
}

export interface Sinks {
  readonly bank: Bank;
  readonly warehouse: Warehouse;
  readonly loyalty: Loyalty;
  readonly chat: Chat;
  close(): Promise<void>;
}

type Entry = Readonly<Record<string, unknown>>;
type Ledger = "charges" | "parcels" | "points" | "messages";

/** Starts one HTTP server that keeps every ledger. */
export async function openSinks(client: Client, random: Random): Promise<Sinks> {
  const ledgers: Readonly<Record<Ledger, Entry[]>> = {
    charges: [],
    parcels: [],
    points: [],
    messages: [],
  };
  const app = createApp();
  app.post("/:ledger", async (c) => {
    const entry: Entry = await c.req.json();
    const ledger = ledgers[c.req.param("ledger") as Ledger];
    await sleep(random.int(QUICKEST_MS, SLOWEST_MS));
    ledger.push(entry);
    return c.json({ number: ledger.length, ...entry }, 201);
  });
  const server: Listening = await listen(app);

  const record = async (ledger: Ledger, entry: Entry): Promise<unknown> =>
    (await client.post(`${server.url}/${ledger}`, entry)).body;
  const sum = (ledger: Ledger, field: string): number =>
    ledgers[ledger].reduce((total, entry) => total + Number(entry[field]), 0);

  return {
    bank: {
      charge: async (orderId, amount) => (await record("charges", { orderId, amount })) as Receipt,
      get charged() {
        return sum("charges", "amount");
      },
    },
    warehouse: {
      ship: async (orderId) => (await record("parcels", { orderId })) as Parcel,
      get parcels() {
        return ledgers.parcels.length;
      },
    },
    loyalty: {
      grant: (customer, points) => record("points", { customer, points }),
      get granted() {
        return sum("points", "points");
      },
    },
    chat: {
      say: (text) => record("messages", { text }),
      get messages() {
        return ledgers.messages.length;
      },
    },
    close: () => server.close(),
  };
}
