// Stores that break a clause only by what a restart does to them: they declare that writes survive
// it, and something of each write does not.

import type { AtomicStore, Entry, Observation, Write } from "@onceproof/core/advanced";
import { afterRestart, type Break, members } from "./breakage.js";
import { always, type BrokenStore } from "./broken-store.js";
import { forgetsOpIds } from "./flaws-of-writes.js";

/** Rewrites the entries that a client reads. */
function reads(map: (entry: Entry) => Entry | undefined): Break {
  return members((store: AtomicStore) => ({
    read: async (key: string): Promise<Observation> => {
      const { entry, ...rest } = await store.read(key);
      const shown = entry && map(entry);
      return shown === undefined ? rest : { ...rest, entry: shown };
    },
    write: (write: Write) => store.write(write),
  }));
}

const OVER_KEYS = "so does what several writes wrote";

export const brokenRestarts: readonly BrokenStore[] = [
  {
    id: "restart-loses-expiring",
    clause: "S2",
    flaw: "keeps the entries that expire in memory only, so that a restart loses them",
    rejectedBy: "S2.10-restart",
    alsoBreaks: { S9: "values that expire are gone with them", multiKey: OVER_KEYS },
    create: always(
      afterRestart(reads((entry) => (entry.expiresAt === undefined ? entry : undefined))),
    ),
  },
  {
    id: "restart-loses-expiry",
    clause: "S2",
    flaw: "writes down no expiry, so that after a restart nothing expires any more",
    rejectedBy: "S2.10-restart",
    alsoBreaks: { multiKey: OVER_KEYS },
    create: always(afterRestart(reads(({ expiresAt: _, ...entry }) => entry))),
  },
  {
    id: "restart-loses-op-ids",
    clause: "S5",
    flaw: "remembers opIds in memory only, so that after a restart it recognises no write",
    rejectedBy: "S5.12-restart",
    create: always(afterRestart(forgetsOpIds(false))),
  },
  {
    id: "restart-loses-values",
    clause: "S9",
    flaw: "writes down stamps before values, so that a restart leaves values blank",
    rejectedBy: "S9.8-restart",
    alsoBreaks: { S2: "the entries that live on are not as they were", multiKey: OVER_KEYS },
    create: always(afterRestart(reads((entry) => ({ ...entry, value: "" })))),
  },
];
