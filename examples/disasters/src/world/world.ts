// Everything that one run of one disaster needs: an embedded store whose calls are counted, the
// sinks, a client, and whatever the run serves. Nothing outlives `close`.

import { createMemoryStore, type MemoryStore } from "@onceproof/core";
import { type CallCounter, countCalls, createRandom, type Random } from "@onceproof/simulator";
import { Client } from "./http-client.js";
import { type App, type Listening, listen } from "./http-server.js";
import { withRoundTrips } from "./round-trips.js";
import { openSinks, type Sinks } from "./sinks.js";

export interface World extends Omit<Sinks, "close"> {
  readonly seed: number;
  readonly random: Random;
  readonly store: MemoryStore;
  readonly counter: CallCounter<MemoryStore>;
  readonly client: Client;
  /** Requests that what `serve` started has got. */
  readonly requests: number;
  /** Starts a service and returns its address. */
  serve(app: App): Promise<string>;
  close(): Promise<void>;
}

export async function openWorld(seed: number): Promise<World> {
  const random = createRandom(seed);
  const client = new Client();
  const { close: closeSinks, ...sinks } = await openSinks(client, random);
  const services: Listening[] = [];
  const counter = countCalls(withRoundTrips(createStore()));
  return {
    ...sinks,
    seed,
    random,
    client,
    counter,
    store: counter.store,
    get requests() {
      return services.reduce((sum, service) => sum + service.requests, 0);
    },
    async serve(app) {
      const service = await listen(app);
      services.push(service);
      return service.url;
    },
    async close() {
      await client.close();
      await Promise.all([...services.map((service) => service.close()), closeSinks()]);
      await counter.store.close();
    },
  };
}

function createStore(): MemoryStore {
  // #region recipe
  const store = createMemoryStore(); // or one of the adapters: Redis, SQL
  // #endregion
  return store;
}
