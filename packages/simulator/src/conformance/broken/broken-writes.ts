// Stores that break a clause on what writes and reads mean: S0 to S5.

import type { Observation, Write } from "@onceproof/core/advanced";
import { answers, force, members, replies, requests } from "./breakage.js";
import { always, type BrokenStore, HISTORY } from "./broken-store.js";
import {
  comparesRevisionsOnly,
  foldsOpIdsOfReplays,
  foldsOpIdsOfStamps,
  forgetsOpIds,
  judgesExpiryItself,
  keepsOldEnds,
  readsStale,
  readsThenWrites,
  refusesEqualValues,
  refusesStale,
  refusesThenReads,
  restartsRevisions,
  showsExpired,
} from "./flaws-of-writes.js";

export const brokenWrites: readonly BrokenStore[] = [
  {
    id: "stamp-without-op-id",
    clause: "S0",
    flaw: "compares a stamp's revision and not its opId",
    rejectedBy: "S0.12-stamp-op-id",
    create: always(comparesRevisionsOnly()),
  },
  {
    id: "absent-since-as-absent",
    clause: "S0",
    flaw: "takes any absentSince for absent",
    rejectedBy: "S0.5-absent-since-removed",
    alsoBreaks: {
      S1: HISTORY,
      S5: "a superseded create is held back by absentSince alone",
      multiKey: "absentSince among several writes is taken for absent as well",
    },
    create: always(
      requests((write) =>
        typeof write.expect === "object" && "absentSince" in write.expect
          ? { ...write, expect: "absent" }
          : write,
      ),
    ),
  },
  {
    id: "stamp-op-id-case",
    clause: "S0",
    flaw: "compares a stamp's opId without regard to case",
    rejectedBy: "S0.12-stamp-op-id",
    create: always(foldsOpIdsOfStamps()),
  },
  {
    id: "equal-value-as-no-change",
    clause: "S0",
    flaw: "refuses to replace a value by an equal one, as a count of changed rows would have it",
    rejectedBy: "S0.11-stamp-matches",
    create: refusesEqualValues,
  },
  {
    id: "removal-by-key",
    clause: "S0",
    flaw: "removes by key, whatever stamp is expected",
    rejectedBy: "S0.14-stamp-superseded",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: always(
      members((store) => ({
        write: (write: Write) =>
          write.next === "removed" ? force(store, write) : store.write(write),
      })),
    ),
  },
  {
    id: "read-then-write",
    clause: "S1",
    flaw: "reads, judges, and then writes whatever is there by now",
    rejectedBy: "S1.1-race-create",
    alsoBreaks: {
      multiKey: "its single writes race with those of several keys",
    },
    create: readsThenWrites,
  },
  {
    id: "stale-reads",
    clause: "S1",
    flaw: "reads from a replica that lags, so that a read may show what another has replaced",
    rejectedBy: "S1.6-read-your-write",
    alsoBreaks: {
      multiKey: "reads between the writes of several keys lag as well",
    },
    create: readsStale,
  },
  {
    id: "seen-after-expiry",
    clause: "S2",
    flaw: "shows entries to readers for a second after their expiry",
    rejectedBy: "S2.1-read-agrees-with-clock",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: showsExpired,
  },
  {
    id: "expiry-by-the-client",
    clause: "S2",
    flaw: "judges expiry by the client's clock, which is ahead of the store's",
    rejectedBy: "S2.1-read-agrees-with-clock",
    alsoBreaks: {
      S1: HISTORY,
      multiKey: HISTORY,
    },
    create: always(judgesExpiryItself(30_000)),
  },
  {
    id: "revisions-restart",
    clause: "S3",
    flaw: "counts a key's revisions from the start again after its removal",
    rejectedBy: "S3.1-increase",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: restartsRevisions,
  },
  {
    id: "no-tombstone",
    clause: "S3",
    flaw: "forgets a key as soon as its entry is removed or expires",
    rejectedBy: "S3.5-removal-read",
    alsoBreaks: {
      S1: HISTORY,
      S4: "a key that was removed refuses without its revision",
      multiKey: "so does one that was removed among several",
      sweepable: "a sweep has to leave what is remembered",
    },
    create: always(
      replies((reply) => {
        const { revision: _, ...rest } = reply as Observation;
        const gone = !("outcome" in reply && reply.outcome === "applied") && !("entry" in reply);
        return gone ? (rest as typeof reply) : reply;
      }),
    ),
  },
  {
    id: "tombstone-with-the-old-end",
    clause: "S3",
    flaw: "forgets a removed key when its entry would have expired",
    rejectedBy: "S3.7-remembered",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: keepsOldEnds,
  },
  {
    id: "refusal-without-incumbent",
    clause: "S4",
    flaw: "refuses without saying what is there",
    rejectedBy: "S4.1-create-incumbent",
    alsoBreaks: {
      S1: HISTORY,
      multiKey: HISTORY,
    },
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
    rejectedBy: "S4.5-not-stale",
    alsoBreaks: {
      S1: HISTORY,
      multiKey: HISTORY,
    },
    create: refusesStale,
  },
  {
    id: "refusal-read-later",
    clause: "S4",
    flaw: "refuses, and tells what a second statement reads, which may admit the write",
    rejectedBy: "S4.7-removed-meanwhile",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: always(refusesThenReads()),
  },
  {
    id: "op-id-ignored",
    clause: "S5",
    flaw: "does not recognise a write that is sent again",
    rejectedBy: "S5.1-create",
    alsoBreaks: {
      S1: HISTORY,
      S6: "the same opId cannot find out what became of a write",
      transactional: "nor whether it was already committed",
    },
    create: always(forgetsOpIds(false)),
  },
  {
    id: "op-id-ignored-on-removals",
    clause: "S5",
    flaw: "does not recognise a removal that is sent again",
    rejectedBy: "S5.5-remove",
    alsoBreaks: {
      S6: "the same opId cannot find out what became of a removal",
    },
    create: always(forgetsOpIds(true)),
  },
  {
    id: "op-id-case",
    clause: "S5",
    flaw: "takes a write whose opId differs in case for one that is sent again",
    rejectedBy: "S5.13-op-id-case",
    create: always(foldsOpIdsOfReplays()),
  },
  {
    id: "replay-not-marked",
    clause: "S5",
    flaw: "answers a replay as if it had applied now",
    rejectedBy: "S5.1-create",
    alsoBreaks: {
      S1: HISTORY,
      S6: "the same opId cannot find out what became of a write",
      transactional: "nor whether it was already committed",
    },
    create: always(
      answers((result) => (result.outcome === "applied" ? { ...result, replayed: false } : result)),
    ),
  },
];
