// Wakes who waits for a key. Writes that replace or remove an entry tell of it on a channel named
// after the key; each client listens on one more connection per server, shared by all its stores.

import type { Runtime } from "@onceproof/core/advanced";
import type { RedisClient } from "./client.js";
import { connectionOf } from "./connection-of.js";
import { routerOf } from "./watch-route.js";
import { createSubscriber, type Subscriber } from "./watch-subscriber.js";

/** Hears, once until it is over, why watches of a store do not wake. */
export type WatchFailed = (cause: unknown) => void;

/** The watches of one store. */
export interface Watch {
  /** Settles when the key may have changed, the signal aborts or the store closes; never rejects. */
  watch(redisKey: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

interface Hub {
  /** The stores that watch through this hub. */
  readonly stores: Set<WatchFailed>;
  arm(redisKey: string, wake: () => void): () => void;
  close(): void;
}

// A pool of node-redis does not tell that it ended: while it is watched, this often it is looked at.
const LOOK_MS = 500;

const hubs = new WeakMap<RedisClient, Hub>();
const followed = new WeakSet<RedisClient>();

/** A client that its user ends takes its subscriptions with it, whether or not the stores close. */
function follow(client: RedisClient): void {
  if (!followed.has(client)) {
    followed.add(client);
    // ioredis and node-redis say end, a node-redis cluster says disconnect.
    for (const event of ["end", "disconnect"]) {
      client.on(event, () => hubs.get(client)?.close());
    }
  }
}

const hasEnded = (client: RedisClient): boolean => connectionOf(client).state() === "ended";

function createHub(client: RedisClient, runtime: Runtime): Hub {
  const { channelOf, routeOf } = routerOf(client);
  const subscribers = new Map<object, Subscriber>();
  const stores = new Set<WatchFailed>();
  const failed = (cause: unknown): void => {
    for (const store of stores) {
      store(cause);
    }
  };
  let cancel = (): void => {};
  const close = (): void => {
    cancel();
    hubs.delete(client);
    for (const subscriber of subscribers.values()) {
      subscriber.close();
    }
  };
  const look = (): void => {
    if (hasEnded(client)) {
      close();
    } else {
      cancel = runtime.setTimer(look, LOOK_MS, true);
    }
  };
  if (!connectionOf(client).tells) {
    look();
  }
  return {
    stores,
    arm(redisKey, wake) {
      const channel = channelOf(redisKey);
      const route = routeOf(channel);
      if (route === undefined) {
        return () => {};
      }
      let subscriber = subscribers.get(route.server);
      if (subscriber === undefined) {
        subscriber = createSubscriber(route.open, runtime, failed);
        subscribers.set(route.server, subscriber);
      }
      return subscriber.arm(channel, wake);
    },
    close,
  };
}

/** Builds the watches of one store; nothing is opened before the first. */
export function createWatch(client: RedisClient, runtime: Runtime, failed: WatchFailed): Watch {
  const ends = new Set<() => void>();
  let closed = false;

  function arm(redisKey: string, wake: () => void): () => void {
    if (hasEnded(client)) {
      // Nobody would close what this opens; should the user connect again, a later watch arms.
      return () => {};
    }
    let hub = hubs.get(client);
    if (hub === undefined) {
      hub = createHub(client, runtime);
      hubs.set(client, hub);
      follow(client);
    }
    hub.stores.add(failed);
    return hub.arm(redisKey, wake);
  }

  return {
    watch(redisKey, signal) {
      return new Promise((resolve) => {
        if (closed || signal.aborted) {
          resolve();
          return;
        }
        let disarm = (): void => {};
        const end = (): void => {
          ends.delete(end);
          signal.removeEventListener("abort", end);
          disarm();
          resolve();
        };
        ends.add(end);
        signal.addEventListener("abort", end);
        disarm = arm(redisKey, end);
      });
    },
    close() {
      closed = true;
      for (const end of [...ends]) {
        end();
      }
      const hub = hubs.get(client);
      if (hub?.stores.delete(failed) && hub.stores.size === 0) {
        hub.close();
      }
    },
  };
}
