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

/** Times of writing as another finds them; of what expires, they are right. */
function written(map: (writtenAt: number, revision: number) => number): Break {
  return replies((reply) => {
    const copy = { ...reply } as typeof reply & Partial<Applied> & { entry?: Entry };
    const { entry, revision = 0, writtenAt, expiresAt } = copy;
    return {
      ...copy,
      ...(writtenAt !== undefined &&
        expiresAt === undefined && { writtenAt: map(writtenAt, revision) }),
      ...(entry !== undefined &&
        entry.expiresAt === undefined && {
          entry: { ...entry, writtenAt: map(entry.writtenAt, entry.stamp.revision) },
        }),
    };
  });
}

/** Times of writing come from a clock that is behind. */
export function writesEarlier(byUs: number): Break {
  return written((writtenAt) => writtenAt - byUs);
}

/** Times of writing are revisions. */
export function writesAtRevision(): Break {
  return written((writtenAt, revision) => Math.max(writtenAt, revision));
}

/** A compare-and-set leaves the time of writing as it finds it. */
export function keepsWrittenAt(): Break {
  const times = new Map<string, number>();
  return members((store) => {
    const tell = <R extends object>(key: string, reply: R): R => {
      const { entry } = reply as { readonly entry?: Entry };
      const writtenAt = times.get(key);
      return entry === undefined || writtenAt === undefined
        ? reply
        : { ...reply, entry: { ...entry, writtenAt } };
    };
    return {
      read: async (key: string) => tell(key, await store.read(key)),
      write: async (write: Write) => {
        const { key, expect, next } = write;
        const result = await store.write(write);
        if (result.outcome !== "applied") {
          return tell(key, result);
        }
        const sets = expect !== "absent" && "opId" in expect && next !== "removed";
        const kept = sets && "value" in next ? times.get(key) : undefined;
        const writtenAt = kept ?? result.writtenAt;
        if (!result.replayed) {
          times.set(key, writtenAt);
        }
        return { ...result, writtenAt };
      },
    };
  });
}
