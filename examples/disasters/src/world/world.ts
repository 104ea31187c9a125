// Everything that one run of one disaster needs: a store whose calls are counted, the sinks, a
// client, and whatever the run serves. Nothing outlives `close` but what the stage keeps.

import { randomUUID } from "node:crypto";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { type CallCounter, countCalls, createRandom, type Random } from "@onceproof/simulator";
import { Client } from "./http-client.js";
import { type App, type Listening, listen } from "./http-server.js";
import { openSinks, type Sinks } from "./sinks.js";
import type { Ground } from "./stage.js";
import { Table } from "./table.js";

export interface World extends Omit<Sinks, "close"> {
  readonly seed: number;
  readonly random: Random;
  readonly store: MultiKeyStore;
  /** The options that what has a lease is created with. */
  readonly common: { readonly store: MultiKeyStore; readonly leaseMs: number };
  readonly counter: CallCounter<MultiKeyStore>;
  readonly client: Client;
  /** Requests that what `serve` started has got. */
  readonly requests: number;
  /** Effects that came to a sink again under the same key. */
  readonly repeats: number;
  /** An id of this run, the same after each restart. */
  id(name: string): string;
  /** An id that nobody has used, not even this run before it was restarted. */
  newId(name: string): string;
  table<Row>(name: string): Table<Row>;
  /** What a client has in hand, though all else is killed: made once in a run. */
  keep<T>(name: string, make: () => Promise<T>): Promise<T>;
  /** From now on nothing counts as an effect of the disaster. */
  endCount(): void;
  /** Starts a service and returns its address. */
  serve(app: App): Promise<string>;
  close(): Promise<void>;
}

export async function openWorld(seed: number, run: string, ground: Ground): Promise<World> {
  const { books } = ground;
  const counter = countCalls(ground.store);
  const { store } = counter;
  const random = createRandom(seed);
  const client = new Client();
  const { close: closeSinks, ...sinks } = await openSinks(client, random, books);
  const services: Listening[] = [];
  // #region recipe
  const common = { store, leaseMs: 2_000 }; // after a crash, others wait 2 s
  // #endregion
  return {
    ...sinks,
    ...{ seed, random, client, counter, store, common },
    get requests() {
      return services.reduce((sum, service) => sum + service.requests, 0);
    },
    get repeats() {
      return books.repeats;
    },
    id: (name) => `${name}-${run}`,
    newId: (name) => `${name}-${randomUUID()}`,
    table: (name) => new Table(books, name),
    async keep(name, make) {
      if (books.get("kept", name) === undefined) {
        books.putFirst("kept", name, await make());
      }
      return books.get("kept", name) as Awaited<ReturnType<typeof make>>;
    },
    endCount: () => books.turnPage(),
    async serve(app) {
      const service = await listen(app);
      services.push(service);
      return service.url;
    },
    async close() {
      await client.close();
      await Promise.all([...services.map((service) => service.close()), closeSinks()]);
      await ground.close();
    },
  };
}
