// The flaws of optional capabilities that need more than a line.

import type {
  AtomicStore,
  MultiKeyStore,
  SweepableStore,
  Write,
  WriteAll,
} from "@onceproof/core/advanced";
import { type Break, members, refusal } from "./breakage.js";

/** Several writes one after the other, until one is refused. */
export async function oneByOne(store: AtomicStore, { opId, writes }: WriteAll): Promise<unknown> {
  const revisions: number[] = [];
  let now = 0;
  for (const [index, write] of writes.entries()) {
    const result = await store.write({ ...write, opId } as Write);
    if (result.outcome !== "applied") {
      return { ...result, index };
    }
    revisions.push(result.revision);
    now = result.now;
  }
  return { outcome: "applied", revisions, now, replayed: false };
}

/** A sweep that takes whatever it finds. */
export function sweepsLive(): Break {
  const keys = new Set<string>();
  return members((store) => ({
    write: (write: Write) => {
      keys.add(write.key);
      return store.write(write);
    },
    sweep: async ({ limit }: { readonly limit: number }) => {
      let freed = await (store as AtomicStore & SweepableStore).sweep({ limit });
      for (const key of [...keys].slice(0, limit - freed)) {
        const { entry } = await store.read(key);
        if (entry !== undefined) {
          const opId = `swept${String(freed).padStart(16, "0")}A`;
          await store.write({ key, opId, expect: entry.stamp, next: "removed" });
          freed += 1;
        }
      }
      return freed;
    },
  }));
}

/** A writeAll is a replay only if its first key bears the opId. */
export function recognisesFirstKeyOnly(): Break {
  return members((store) => ({
    writeAll: async (all: WriteAll) => {
      const result = await (store as MultiKeyStore).writeAll(all);
      const first = result.outcome === "applied" && result.replayed && result.revisions[0];
      return first === 0
        ? { ...refusal(await store.read(all.writes[0]?.key ?? "")), index: 0 }
        : result;
    },
  }));
}

/** A replay of several writes tells, of a key that was superseded, the revision of the newer. */
export function tellsNewerRevisions(): Break {
  return members((store) => ({
    writeAll: async (all: WriteAll) => {
      const result = await (store as MultiKeyStore).writeAll(all);
      if (result.outcome !== "applied") {
        return result;
      }
      const revisions = await Promise.all(
        result.revisions.map(async (revision, index) =>
          revision === 0
            ? ((await store.read(all.writes[index]?.key ?? "")).revision ?? 0)
            : revision,
        ),
      );
      return { ...result, revisions };
    },
  }));
}

/** Among several writes a stamp is judged by its revision. */
export function comparesRevisionsAmong(): Break {
  return members((store) => ({
    writeAll: async (all: WriteAll) => {
      for (let sent = all; ; ) {
        const result = await (store as MultiKeyStore).writeAll(sent);
        const { expect } = (result.outcome === "refused" && sent.writes[result.index]) || {};
        const stamp = result.outcome === "refused" ? result.entry?.stamp : undefined;
        const stamped = typeof expect === "object" && "revision" in expect;
        if (result.outcome !== "refused" || !stamped || stamp?.revision !== expect.revision) {
          return result;
        }
        const writes = sent.writes.map((write, index) =>
          index === result.index ? ({ ...write, expect: stamp } as typeof write) : write,
        );
        sent = { ...sent, writes };
      }
    },
  }));
}

/** A create among several is refused by what has only expired, as by a row that is still there. */
export function seesExpiredAmong(): Break {
  return members((store) => {
    const expiring = new Set<string>();
    return {
      write: async (write: Write) => {
        const result = await store.write(write);
        if (result.outcome === "applied" && result.expiresAt !== undefined) {
          expiring.add(write.key);
        } else if (result.outcome === "applied") {
          expiring.delete(write.key);
        }
        return result;
      },
      writeAll: async (all: WriteAll) => {
        for (const [index, { key, expect }] of all.writes.entries()) {
          if (expect === "absent" && expiring.has(key)) {
            const seen = await store.read(key);
            if (seen.entry === undefined && seen.revision !== undefined) {
              return { ...refusal(seen), index };
            }
          }
        }
        return (store as MultiKeyStore).writeAll(all);
      },
    };
  });
}
