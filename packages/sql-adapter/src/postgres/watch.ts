// Wakes those who wait for a key, by the notifications that writes send as they commit. Wake-ups
// only: whatever is lost on the way costs time, never correctness.

import { createHash } from "node:crypto";
import type { Listen } from "../drivers/listen.js";
import { keyBytes } from "../shared/key-bytes.js";

/** The channel of one table: a name that needs no quoting inside a text. */
export function channelOf(table: string): string {
  return `onceproof_${createHash("sha256").update(table).digest("hex").slice(0, 32)}`;
}

/** What `pg_notify` tells of a key: keys may be longer than a payload. */
function payloadOf(key: string): string {
  return createHash("sha256").update(keyBytes(key)).digest("hex");
}

/** Who waits, on one connection that listens from the first wait on. */
export interface Watches {
  watch(key: string, signal: AbortSignal): Promise<void>;
  /** Wakes everybody and stops listening. */
  close(): void;
}

/** Builds the watches of one store. */
export function watchesOn(listen: Listen, channel: string): Watches {
  const waiting = new Map<string, Set<() => void>>();
  let listening: Promise<(() => void) | undefined> | undefined;
  let closed = false;

  function wake(payload: string): void {
    for (const each of [...(waiting.get(payload) ?? [])]) {
      each();
    }
  }

  function wakeAll(): void {
    for (const payload of [...waiting.keys()]) {
      wake(payload);
    }
  }

  /** A connection that is lost, or that could not be had, is tried again by the next wait. */
  function lost(): void {
    listening = undefined;
    wakeAll();
  }

  function start(): void {
    listening ??= listen(channel, wake, lost).catch(() => {
      listening = undefined;
      return undefined;
    });
  }

  return {
    watch(key, signal) {
      if (closed || signal.aborted) {
        return Promise.resolve();
      }
      start();
      const payload = payloadOf(key);
      return new Promise((resolve) => {
        const end = (): void => {
          signal.removeEventListener("abort", end);
          const others = waiting.get(payload);
          others?.delete(end);
          if (others?.size === 0) {
            waiting.delete(payload);
          }
          resolve();
        };
        signal.addEventListener("abort", end, { once: true });
        const others = waiting.get(payload) ?? new Set();
        waiting.set(payload, others.add(end));
      });
    },

    close() {
      closed = true;
      wakeAll();
      void listening?.then((stop) => stop?.());
      listening = undefined;
    },
  };
}
