// The extra connection on which a server tells of changed keys. The client's own `duplicate()` makes
// it, so that it has the user's address, credentials and TLS, and the user's client never becomes a
// subscriber. It is never mended: once lost it is forgotten, and the next watch opens another.

/** One subscribed connection. */
export interface Link {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  close(): void;
}

/** What a link tells. */
export interface LinkEvents {
  readonly message: (channel: string, text: string) => void;
  /** It ended, or a channel of it did. May be told more than once. */
  readonly lost: () => void;
}

/** Opens a link, or rejects with what stands against it. */
export type OpenLink = (events: LinkEvents) => Promise<Link>;

type Listen = (event: string, listener: (...args: readonly string[]) => void) => unknown;

interface IoredisSubscriber {
  readonly stream?: { unref?(): void };
  readonly on: Listen;
  connect(): Promise<unknown>;
  disconnect(): void;
  ssubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
}

/** An ioredis client that has a copy of itself made. */
export interface IoredisOrigin {
  duplicate(overrides: object): IoredisSubscriber;
}

interface NodeRedisSubscriber {
  readonly on: Listen;
  connect(): Promise<unknown>;
  destroy(): void;
  unref?(): void;
  sSubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  sUnsubscribe(channel: string): Promise<unknown>;
}

/** A node-redis client that has a copy of itself made. */
export interface NodeRedisOrigin {
  readonly options?: { readonly socket?: object };
  duplicate(overrides: object): NodeRedisSubscriber;
}

/** A node-redis Sentinel client, which keeps a connection of its own for subscriptions. */
export type NodeRedisSentinelOrigin = Pick<NodeRedisSubscriber, "sSubscribe" | "sUnsubscribe">;

export function ioredisLink(origin: IoredisOrigin): OpenLink {
  return async ({ message, lost }) => {
    const subscriber = origin.duplicate({
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      enableOfflineQueue: true,
      enableReadyCheck: false,
      // The scripts name the channel after the key that the server sees, prefix included.
      keyPrefix: "",
      lazyConnect: true,
      readOnly: false,
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
    });
    subscriber.on("error", () => {});
    try {
      await subscriber.connect();
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
    subscriber.stream?.unref?.();
    subscriber.on("smessage", (channel = "", text = "") => message(channel, text));
    subscriber.on("close", lost);
    subscriber.on("end", lost);
    return {
      subscribe: (channel) => subscriber.ssubscribe(channel),
      unsubscribe: (channel) => subscriber.sunsubscribe(channel),
      close: () => subscriber.disconnect(),
    };
  };
}

function closeQuietly(subscriber: NodeRedisSubscriber): void {
  try {
    subscriber.destroy();
  } catch {
    // It had ended by itself.
  }
}

export function nodeRedisLink(origin: NodeRedisOrigin): OpenLink {
  return async ({ message, lost }) => {
    const subscriber = origin.duplicate({
      clientSideCache: undefined,
      commandOptions: undefined,
      commandsQueueMaxLength: undefined,
      disableOfflineQueue: false,
      emitInvalidate: false,
      readonly: false,
      socket: { ...origin.options?.socket, reconnectStrategy: false },
    });
    subscriber.on("error", () => {});
    try {
      await subscriber.connect();
    } catch (error) {
      closeQuietly(subscriber);
      throw error;
    }
    subscriber.unref?.();
    subscriber.on("error", lost);
    subscriber.on("end", lost);
    // A slot that moved to another node: one name each in versions 5 and 6.
    subscriber.on("server-sunsubscribe", lost);
    subscriber.on("sharded-channel-moved", lost);
    return {
      subscribe: (channel) => subscriber.sSubscribe(channel, (text, from) => message(from, text)),
      unsubscribe: (channel) => subscriber.sUnsubscribe(channel),
      close: () => closeQuietly(subscriber),
    };
  };
}

export function nodeRedisSentinelLink(origin: NodeRedisSentinelOrigin): OpenLink {
  return async ({ message }) => {
    const listener = (text: string, channel: string): void => message(channel, text);
    const subscribed = new Set<string>();
    return {
      async subscribe(channel) {
        subscribed.add(channel);
        await origin.sSubscribe(channel, listener);
      },
      async unsubscribe(channel) {
        subscribed.delete(channel);
        await origin.sUnsubscribe(channel);
      },
      close() {
        for (const channel of subscribed) {
          origin.sUnsubscribe(channel).catch(() => {});
        }
      },
    };
  };
}
