// Everything that one run of one disaster needs: an embedded store whose calls are counted, the
// sinks, a client, and whatever the run serves. Nothing outlives `close`.

import { createMemoryStore } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { type CallCounter, countCalls, createRandom, type Random } from "@onceproof/simulator";
import { Client } from "./http-client.js";
import { type App, type Listening, listen } from "./http-server.js";
import { withRoundTrips } from "./round-trips.js";
import { openSinks, type Sinks } from "./sinks.js";

export interface World extends Omit<Sinks, "close"> {
  readonly seed: number;
  readonly random: Random;
  readonly store: MultiKeyStore;
  readonly counter: CallCounter<MultiKeyStore>;
  readonly client: Client;
  /** Requests that what `serve` started has got. */
  readonly requests: number;
  /** Starts a service and returns its address. */
  serve(app: App): Promise<string>;
  close(): Promise<void>;
}

/** Opens the store that a run is about; closing it frees all that it took. */
export type OpenStore = () => Promise<MultiKeyStore>;

export async function openWorld(seed: number, openStore: OpenStore = embedded): Promise<World> {
  const counter = countCalls(await openStore());
  const random = createRandom(seed);
  const client = new Client();
  const { close: closeSinks, ...sinks } = await openSinks(client, random);
  const services: Listening[] = [];
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

async function embedded(): Promise<MultiKeyStore> {
  // #region recipe
  const store = createMemoryStore(); // or one of the adapters: Redis, SQL
  // #endregion
  return withRoundTrips(store);
}
