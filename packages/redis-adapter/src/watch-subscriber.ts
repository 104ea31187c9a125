// Who waits for which channel of one server, and the one link on which that server tells. It opens
// with the first watch. A watcher is woken by a message, by its own subscription taking effect (the
// key may have changed before), and by the loss of the link (it may have changed since).

import type { Runtime } from "@onceproof/core/advanced";
import { REMOVED } from "./scripts.js";
import type { Link, OpenLink } from "./watch-link.js";

// Kept subscribed though nobody waits: a waiter looks between two watches, and others may come.
const MOST_IDLE = 64;
const LOST_LATER_MS = 50;
// What one removal frees, one of those who wait will get: here the first in line. Should it not come,
// the others are woken this much later, no more often than they would look by themselves.
const OTHERS_LATER_MS = 100;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 30_000;

interface Channel {
  readonly watchers: Set<() => void>;
  /** Cancels the later wake-up of the others. */
  cancel: (() => void) | undefined;
}

/** The watchers of one server. */
export interface Subscriber {
  /** Calls back once when the channel may have changed. Returns a cancel. */
  arm(channel: string, wake: () => void): () => void;
  /** Wakes everybody and closes the link. */
  close(): void;
}

/** Builds the watchers of one server; `failed` hears why they cannot be woken, once until they can. */
export function createSubscriber(
  open: OpenLink,
  runtime: Runtime,
  failed: (cause: unknown) => void,
): Subscriber {
  const channels = new Map<string, Channel>();
  const idle = new Set<string>();
  // Channels that the server was told to forget and has not yet answered for. Some clients forget a
  // listener only then, and with it one that was added meanwhile.
  const leaving = new Map<string, Promise<unknown>>();
  let link: Link | undefined;
  // Counts the links: what an earlier one still tells is of no interest.
  let generation = 0;
  let opening = false;
  let closed = false;
  let failures = 0;
  let retryAtMs = Number.NEGATIVE_INFINITY;

  function wake(channel: Channel): void {
    channel.cancel?.();
    channel.cancel = undefined;
    const woken = [...channel.watchers];
    channel.watchers.clear();
    for (const watcher of woken) {
      watcher();
    }
  }

  /** Wakes one, and the others only if they still wait a while later. */
  function wakeFirst(name: string, channel: Channel): void {
    const [first] = channel.watchers;
    if (first === undefined) {
      return;
    }
    channel.watchers.delete(first);
    first();
    channel.cancel ??= runtime.setTimer(
      () => {
        wake(channel);
        rest(name, channel);
      },
      OTHERS_LATER_MS,
      true,
    );
  }

  function message(name: string, text: string): void {
    const channel = channels.get(name);
    if (channel === undefined) {
      return;
    }
    if (text === REMOVED && channel.watchers.size > 1) {
      wakeFirst(name, channel);
    } else {
      wake(channel);
      rest(name, channel);
    }
  }

  function drop(): void {
    generation += 1;
    leaving.clear();
    link?.close();
    link = undefined;
  }

  /** Forgets the link and all channels, and returns what wakes those who waited. */
  function end(): () => void {
    drop();
    idle.clear();
    const waiting = [...channels.values()];
    channels.clear();
    return () => waiting.forEach(wake);
  }

  /**
   * Wakes everybody a little later: the client's own connection is often lost at the same time, and a
   * command that is sent before node-redis knows of it keeps that client from ever connecting again.
   */
  function lost(): void {
    runtime.setTimer(end(), LOST_LATER_MS, true);
  }

  /** Lets the watchers wait: they look by themselves, and a later watch tries again. */
  function fail(cause: unknown): void {
    drop();
    for (const name of idle) {
      channels.delete(name);
    }
    idle.clear();
    retryAtMs = runtime.monotonicNow() + Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
    failures += 1;
    if (failures === 1) {
      failed(cause);
    }
  }

  function unsubscribe(from: Link, name: string): void {
    const left: Promise<unknown> = from
      .unsubscribe(name)
      .catch(() => {})
      .then(() => leaving.get(name) === left && leaving.delete(name));
    leaving.set(name, left);
  }

  function subscribe(to: Link, name: string, channel: Channel): void {
    const mine = generation;
    const left = leaving.get(name);
    if (left !== undefined) {
      left.then(() => {
        if (mine === generation && channels.get(name) === channel) {
          subscribe(to, name, channel);
        }
      });
      return;
    }
    to.subscribe(name).then(
      () => {
        if (mine === generation && channels.get(name) === channel) {
          failures = 0;
          wake(channel);
          rest(name, channel);
        }
      },
      (error: unknown) => {
        if (mine === generation) {
          fail(error);
        }
      },
    );
  }

  async function start(): Promise<void> {
    opening = true;
    generation += 1;
    const mine = generation;
    const current = (then: () => void) => (): void => {
      if (mine === generation) {
        then();
      }
    };
    try {
      const opened = await open({ message, lost: current(lost) });
      if (closed || mine !== generation) {
        opened.close();
        return;
      }
      link = opened;
      for (const [name, channel] of channels) {
        subscribe(opened, name, channel);
      }
    } catch (error) {
      current(() => fail(error))();
    } finally {
      opening = false;
    }
  }

  /** Nobody waits for this channel for now. */
  function rest(name: string, channel: Channel): void {
    if (channel.watchers.size > 0 || channels.get(name) !== channel) {
      return;
    }
    if (link === undefined) {
      channels.delete(name);
      return;
    }
    idle.add(name);
    const [oldest = name] = idle;
    if (idle.size > MOST_IDLE) {
      idle.delete(oldest);
      channels.delete(oldest);
      unsubscribe(link, oldest);
    }
  }

  return {
    arm(name, watcher) {
      let channel = channels.get(name);
      if (channel === undefined) {
        channel = { watchers: new Set(), cancel: undefined };
        channels.set(name, channel);
        if (link !== undefined) {
          subscribe(link, name, channel);
        }
      }
      idle.delete(name);
      channel.watchers.add(watcher);
      if (link === undefined && !opening && !closed && runtime.monotonicNow() >= retryAtMs) {
        void start();
      }
      const { watchers } = channel;
      const armed = channel;
      return () => {
        watchers.delete(watcher);
        rest(name, armed);
      };
    },
    close() {
      closed = true;
      end()();
    },
  };
}
