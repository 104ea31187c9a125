// Stores that break a clause of an optional capability.

import type { WriteAll } from "@onceproof/core/advanced";
import { members } from "./breakage.js";
import { always, type BrokenStore } from "./broken-store.js";
import {
  oneByOne,
  recognisesFirstKeyOnly,
  sweepsLive,
  tellsNewerRevisions,
} from "./flaws-of-capabilities.js";

export const brokenCapabilities: readonly BrokenStore[] = [
  {
    id: "one-by-one",
    clause: "multiKey",
    flaw: "applies several writes one by one",
    rejectedBy: "multiKey.2-none",
    create: always(members((store) => ({ writeAll: (all: WriteAll) => oneByOne(store, all) }))),
  },
  {
    id: "first-key-only",
    clause: "multiKey",
    flaw: "looks for its opId at the first key only",
    rejectedBy: "multiKey.5-replay-superseded",
    create: always(recognisesFirstKeyOnly()),
  },
  {
    id: "replay-tells-newer",
    clause: "multiKey",
    flaw: "tells the revision of a newer write for a key that was superseded",
    rejectedBy: "multiKey.5-replay-superseded",
    create: always(tellsNewerRevisions()),
  },
  {
    id: "autocommit",
    clause: "transactional",
    flaw: "writes at once what a transaction should hold back",
    rejectedBy: "transactional.2-roll-back",
    create: always(members((store) => ({ bind: () => store }))),
  },
  {
    id: "rejecting-watch",
    clause: "watchable",
    flaw: "rejects a watch whose signal aborts",
    rejectedBy: "watchable.3-abort",
    create: always(
      members(() => ({
        watch: (_: string, signal: AbortSignal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      })),
    ),
  },
  {
    id: "never-wakes",
    clause: "watchable",
    flaw: "wakes a watch only when its signal aborts",
    rejectedBy: "watchable.1-write",
    create: always(
      members(() => ({
        watch: (_: string, signal: AbortSignal) =>
          new Promise<void>((resolve) => {
            signal.addEventListener("abort", () => resolve());
            if (signal.aborted) {
              resolve();
            }
          }),
      })),
    ),
  },
  {
    id: "sweeps-live-entries",
    clause: "sweepable",
    flaw: "sweeps entries that are live",
    rejectedBy: "sweepable.1-live",
    create: sweepsLive,
  },
];
