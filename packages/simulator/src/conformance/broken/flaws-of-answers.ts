// The flaws in answers, time, keys and closing that need more than a line.

import type { Applied, AtomicStore, Entry, Write } from "@onceproof/core/advanced";
import { type Break, members, replies, requests, withTtl } from "./breakage.js";

/** Times to live above a second lose their fraction. */
export function roundsDownToSeconds(): Break {
  return requests((write) =>
    withTtl(write, (ttlMs) => (ttlMs > 1_000 ? Math.floor(ttlMs / 1_000) * 1_000 : ttlMs)),
  );
}

/** Puts a namespace's name before its keys and nothing between that would tell them apart. */
export function joinsNamespaces(): Break {
  let first: AtomicStore | undefined;
  return (store, tail) => {
    first ??= store;
    const shared = first;
    return tail === undefined
      ? store
      : members(() => ({
          read: (key: string) => shared.read(tail + key),
          write: (write: Write) => shared.write({ ...write, key: tail + write.key }),
        }))(store);
  };
}

/** After close its calls wait for a connection that nobody will open again. */
export function hangsAfterClose(): Break {
  return members((store) => {
    let closed = false;
    const unlessClosed = <T>(call: () => Promise<T>): Promise<T> =>
      closed ? new Promise(() => {}) : call();
    return {
      read: (key: string) => unlessClosed(() => store.read(key)),
      write: (write: Write) => unlessClosed(() => store.write(write)),
      close: async () => {
        closed = true;
      },
    };
  });
}

/** Waits for an answer however long it takes. */
export function waitsForEver(): Break {
  const never = new Promise<never>(() => {});
  return members((store) => ({
    read: (key: string) =>
      store.read(key).catch((error: { code?: unknown }) => {
        if (error.code === "unavailable") {
          return never;
        }
        throw error;
      }),
    write: async (write: Write) => {
      const result = await store.write(write);
      return result.outcome === "unknown" ? never : result;
    },
  }));
}

/** Times of writing come from a clock that is behind; of what expires, they are right. */
export function writesEarlier(byUs: number): Break {
  return replies((reply) => {
    const copy = { ...reply } as typeof reply & Partial<Applied> & { entry?: Entry };
    const { entry } = copy;
    return {
      ...copy,
      ...(copy.writtenAt !== undefined &&
        copy.expiresAt === undefined && { writtenAt: copy.writtenAt - byUs }),
      ...(entry !== undefined &&
        entry.expiresAt === undefined && {
          entry: { ...entry, writtenAt: entry.writtenAt - byUs },
        }),
    };
  });
}
