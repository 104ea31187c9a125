// Stores that each break one clause in a way that real ones do. A kit that does not reject them is
// not looking; run them against your own harness to see that it is.

import type { AtomicStore, Observation, WriteAll } from "@onceproof/core/advanced";
import {
  answers,
  type Break,
  force,
  members,
  replies,
  requests,
  withKeys,
  withValues,
} from "./breakage.js";
import {
  comparesRevisionsOnly,
  forgetsOpIds,
  oneByOne,
  readsStale,
  readsThenWrites,
  recognisesFirstKeyOnly,
  refusesStale,
  restartsRevisions,
  roundsDownToSeconds,
  showsExpired,
  sweepsLive,
} from "./flaws.js";
import type { Clause } from "./harness.js";

/** A way to break a correct store. */
export interface BrokenStore {
  readonly id: string;
  /** The clause that it breaks, a case of which must reject it. */
  readonly clause: Clause;
  /** What it does wrong. */
  readonly flaw: string;
  /** Makes the wrapper for the clients of one new data set. */
  readonly create: () => Break;
}

/** `create` for wrappers that keep no state. */
function always(wrapper: Break): () => Break {
  return () => wrapper;
}

/** The broken stores that ship with the kit. */
export const brokenStores: readonly BrokenStore[] = [
  {
    id: "stamp-without-op-id",
    clause: "S0",
    flaw: "compares a stamp's revision and not its opId",
    create: always(comparesRevisionsOnly()),
  },
  {
    id: "absent-since-as-absent",
    clause: "S0",
    flaw: "takes any absentSince for absent",
    create: always(
      requests((write) =>
        typeof write.expect === "object" && "absentSince" in write.expect
          ? { ...write, expect: "absent" }
          : write,
      ),
    ),
  },
  {
    id: "removal-by-key",
    clause: "S0",
    flaw: "removes by key, whatever stamp is expected",
    create: always(
      members((store) => ({
        write: (write: Parameters<AtomicStore["write"]>[0]) =>
          write.next === "removed" ? force(store, write) : store.write(write),
      })),
    ),
  },
  {
    id: "read-then-write",
    clause: "S1",
    flaw: "reads, judges, and then writes whatever is there by now",
    create: always(readsThenWrites()),
  },
  {
    id: "stale-reads",
    clause: "S1",
    flaw: "reads from a replica that lags",
    create: readsStale,
  },
  {
    id: "seen-after-expiry",
    clause: "S2",
    flaw: "shows entries for a second after their expiry",
    create: always(showsExpired()),
  },
  {
    id: "revisions-restart",
    clause: "S3",
    flaw: "counts a key's revisions from the start again after its removal",
    create: restartsRevisions,
  },
  {
    id: "no-tombstone",
    clause: "S3",
    flaw: "forgets a key as soon as its entry is removed or expires",
    create: always(
      replies((reply) => {
        const { revision: _, ...rest } = reply as Observation;
        const gone = !("outcome" in reply && reply.outcome === "applied") && !("entry" in reply);
        return gone ? (rest as typeof reply) : reply;
      }),
    ),
  },
  {
    id: "refusal-without-incumbent",
    clause: "S4",
    flaw: "refuses without saying what is there",
    create: always(
      answers((result) =>
        result.outcome === "refused" ? { outcome: "refused", now: result.now } : result,
      ),
    ),
  },
  {
    id: "stale-refusal",
    clause: "S4",
    flaw: "refuses with an incumbent from a cache",
    create: refusesStale,
  },
  {
    id: "op-id-ignored",
    clause: "S5",
    flaw: "does not recognise a write that is sent again",
    create: always(forgetsOpIds(false)),
  },
  {
    id: "op-id-ignored-on-removals",
    clause: "S5",
    flaw: "does not recognise a removal that is sent again",
    create: always(forgetsOpIds(true)),
  },
  {
    id: "replay-not-marked",
    clause: "S5",
    flaw: "answers a replay as if it had applied now",
    create: always(
      answers((result) => (result.outcome === "applied" ? { ...result, replayed: false } : result)),
    ),
  },
  {
    id: "unknown-as-refused",
    clause: "S6",
    flaw: "answers refused when no reply came",
    create: always(
      answers((result) => (result.outcome === "unknown" ? { outcome: "refused", now: 1 } : result)),
    ),
  },
  {
    id: "unknown-thrown",
    clause: "S6",
    flaw: "throws when a write gets no reply",
    create: always(
      answers((result) => {
        if (result.outcome === "unknown") {
          throw result.cause;
        }
        return result;
      }),
    ),
  },
  {
    id: "retry-under-new-op-id",
    clause: "S6",
    flaw: "sends a write without a reply again under a new opId",
    create: always(
      answers((result, write, store) =>
        result.outcome === "unknown"
          ? store.write({ ...write, opId: `${write.opId.slice(0, 11)}anotherOpIA` })
          : result,
      ),
    ),
  },
  {
    id: "milliseconds",
    clause: "S7",
    flaw: "tells its clock in milliseconds",
    create: always(
      replies((reply) =>
        "now" in reply ? { ...reply, now: Math.floor(reply.now / 1000) } : reply,
      ),
    ),
  },
  {
    id: "written-before-sent",
    clause: "S7",
    flaw: "tells another clock's time as writtenAt",
    create: always(
      answers((result) =>
        result.outcome === "applied"
          ? { ...result, writtenAt: result.writtenAt - 5_000_000 }
          : result,
      ),
    ),
  },
  {
    id: "case-folding",
    clause: "S8",
    flaw: "compares keys without regard to case",
    create: always(withKeys((key) => key.toLowerCase())),
  },
  {
    id: "trailing-spaces",
    clause: "S8",
    flaw: "compares keys without their trailing spaces",
    create: always(withKeys((key) => key.replace(/(?<=.) +$/u, ""))),
  },
  {
    id: "normalised-keys",
    clause: "S8",
    flaw: "compares keys in a normal form",
    create: always(withKeys((key) => key.normalize("NFC"))),
  },
  {
    id: "cut-keys",
    clause: "S8",
    flaw: "cuts keys at 255 characters",
    create: always(withKeys((key) => key.slice(0, 255))),
  },
  {
    id: "nul-terminated-values",
    clause: "S9",
    flaw: "cuts values at U+0000",
    create: always(withValues((value) => value.split("\u0000", 1)[0] ?? "")),
  },
  {
    id: "numeric-values",
    clause: "S9",
    flaw: "reads values that look like numbers as numbers",
    create: always(withValues((value) => (/^\d+$/u.test(value) ? String(Number(value)) : value))),
  },
  {
    id: "mended-surrogates",
    clause: "S9",
    flaw: "replaces lone surrogates instead of refusing them",
    create: always(withValues((value) => value.replace(/\p{Surrogate}/gu, "\ufffd"))),
  },
  {
    id: "whole-seconds",
    clause: "S10",
    flaw: "rounds times to live down to seconds",
    create: always(roundsDownToSeconds()),
  },
  {
    id: "never-closes",
    clause: "S11",
    flaw: "goes on working after close",
    create: always(members(() => ({ close: async () => {} }))),
  },
  {
    id: "one-by-one",
    clause: "multiKey",
    flaw: "applies several writes one by one",
    create: always(members((store) => ({ writeAll: (all: WriteAll) => oneByOne(store, all) }))),
  },
  {
    id: "first-key-only",
    clause: "multiKey",
    flaw: "looks for its opId at the first key only",
    create: always(recognisesFirstKeyOnly()),
  },
  {
    id: "autocommit",
    clause: "transactional",
    flaw: "writes at once what a transaction should hold back",
    create: always(members((store) => ({ bind: () => store }))),
  },
  {
    id: "rejecting-watch",
    clause: "watchable",
    flaw: "rejects a watch whose signal aborts",
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
    id: "sweeps-live-entries",
    clause: "sweepable",
    flaw: "sweeps entries that are live",
    create: sweepsLive,
  },
];
