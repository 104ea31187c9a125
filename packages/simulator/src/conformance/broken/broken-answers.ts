// Stores that break a clause on answers, time, keys, values, lives and closing: S6 to S11.

import type { Write } from "@onceproof/core/advanced";
import {
  answers,
  members,
  requests,
  withKeys,
  withTtl,
  withValue,
  withValues,
} from "./breakage.js";
import { always, type BrokenStore, HISTORY } from "./broken-store.js";
import {
  hangsAfterClose,
  joinsNamespaces,
  keepsWrittenAt,
  roundsDownToSeconds,
  waitsForEver,
  writesAtRevision,
  writesEarlier,
} from "./flaws-of-answers.js";

export const brokenAnswers: readonly BrokenStore[] = [
  {
    id: "unknown-as-refused",
    clause: "S6",
    flaw: "answers refused when no reply came",
    rejectedBy: "S6.1-lost-reply",
    alsoBreaks: {
      S1: "a history with lost replies shows a refusal by nothing",
    },
    create: always(
      answers((result) => (result.outcome === "unknown" ? { outcome: "refused", now: 1 } : result)),
    ),
  },
  {
    id: "unknown-thrown",
    clause: "S6",
    flaw: "throws when a write gets no reply",
    rejectedBy: "S6.1-lost-reply",
    alsoBreaks: {
      S1: "a workload with lost replies meets an error that is no answer",
    },
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
    rejectedBy: "S6.1-lost-reply",
    alsoBreaks: {
      S1: "a history with lost replies shows stamps that nobody wrote",
    },
    create: always(
      answers((result, write, store) =>
        result.outcome === "unknown"
          ? store.write({ ...write, opId: `${write.opId.slice(0, 11)}anotherOpIA` })
          : result,
      ),
    ),
  },
  {
    id: "retry-told-as-first",
    clause: "S6",
    flaw: "sends a write without a reply again, and tells the second answer as the first",
    rejectedBy: "S6.5-lost-refusal",
    create: always(
      answers((result, write, store) =>
        result.outcome === "unknown" ? store.write(write) : result,
      ),
    ),
  },
  {
    id: "milliseconds",
    clause: "S7",
    flaw: "tells its clock in milliseconds when it refuses",
    rejectedBy: "S7.1-now",
    alsoBreaks: {
      S1: "a history judges expiry by the now of its refusals",
    },
    create: always(
      answers((result) =>
        result.outcome === "refused" ? { ...result, now: Math.floor(result.now / 1_000) } : result,
      ),
    ),
  },
  {
    id: "written-before-sent",
    clause: "S7",
    flaw: "tells as writtenAt when the client began, by the client's clock",
    rejectedBy: "S7.2-written-at",
    create: always(writesEarlier(5_000_000)),
  },
  {
    id: "set-keeps-written-at",
    clause: "S7",
    flaw: "leaves writtenAt as it was where a compare-and-set replaces an entry",
    rejectedBy: "S7.3-written-at-renewed",
    alsoBreaks: {
      multiKey: HISTORY,
    },
    create: keepsWrittenAt,
  },
  {
    id: "written-at-revision",
    clause: "S7",
    flaw: "tells a write's revision as its writtenAt, also where it is ahead of the clock",
    rejectedBy: "S7.6-step-back",
    create: always(writesAtRevision()),
  },
  {
    id: "case-folding",
    clause: "S8",
    flaw: "compares keys without regard to case",
    rejectedBy: "S8.1-case",
    alsoBreaks: {
      multiKey: "keys among several writes are compared in the same way",
    },
    create: always(withKeys((key) => key.toLowerCase())),
  },
  {
    id: "trailing-spaces",
    clause: "S8",
    flaw: "compares keys without their trailing spaces",
    rejectedBy: "S8.2-spaces",
    alsoBreaks: {
      multiKey: "keys among several writes are compared in the same way",
    },
    create: always(withKeys((key) => key.replace(/(?<=.) +$/u, ""))),
  },
  {
    id: "normalised-keys",
    clause: "S8",
    flaw: "compares keys in a normal form",
    rejectedBy: "S8.3-accents",
    alsoBreaks: {
      multiKey: "keys among several writes are compared in the same way",
    },
    create: always(withKeys((key) => key.normalize("NFC"))),
  },
  {
    id: "cut-keys",
    clause: "S8",
    flaw: "cuts keys at 255 characters",
    rejectedBy: "S8.20-long",
    create: always(withKeys((key) => key.slice(0, 255))),
  },
  {
    id: "prefix-collision",
    clause: "S8",
    flaw: "joins a namespace's name and a key with nothing to tell them apart",
    rejectedBy: "S8.25-namespace-tail",
    create: joinsNamespaces,
  },
  {
    id: "nul-terminated-values",
    clause: "S9",
    flaw: "cuts values at U+0000",
    rejectedBy: "S9.1-exact",
    alsoBreaks: {
      multiKey: "values among several writes are altered in the same way",
    },
    create: always(withValues((value) => value.split("\u0000", 1)[0] ?? "")),
  },
  {
    id: "nul-terminated-sets",
    clause: "S9",
    flaw: "cuts values at U+0000 where a compare-and-set writes them",
    rejectedBy: "S9.1-exact",
    create: always(
      members((store) => ({
        write: (write: Write) =>
          store.write(
            typeof write.expect === "object" && "revision" in write.expect
              ? withValue(write, (value) => value.split("\u0000", 1)[0] ?? "")
              : write,
          ),
      })),
    ),
  },
  {
    id: "numeric-values",
    clause: "S9",
    flaw: "reads values that look like numbers as numbers",
    rejectedBy: "S9.1-exact",
    alsoBreaks: {
      multiKey: "values among several writes are altered in the same way",
    },
    create: always(withValues((value) => (/^\d+$/u.test(value) ? String(Number(value)) : value))),
  },
  {
    id: "mended-surrogates",
    clause: "S9",
    flaw: "replaces lone surrogates instead of refusing them",
    rejectedBy: "S9.7-lone-surrogates",
    alsoBreaks: {
      multiKey: "a lone surrogate among several writes is mended as well",
    },
    create: always(withValues((value) => value.replace(/\p{Surrogate}/gu, "\ufffd"))),
  },
  {
    id: "whole-seconds",
    clause: "S10",
    flaw: "rounds times to live down to seconds",
    rejectedBy: "S10.1-create",
    alsoBreaks: {
      multiKey: "times to live among several writes are rounded in the same way",
    },
    create: always(roundsDownToSeconds()),
  },
  {
    id: "undeclared-granularity",
    clause: "S10",
    flaw: "rounds times to live up to seconds, and declares that it counts milliseconds",
    rejectedBy: "S10.1-create",
    alsoBreaks: {
      multiKey: "times to live among several writes are rounded in the same way",
    },
    create: always(
      requests((write) => withTtl(write, (ttlMs) => Math.ceil(ttlMs / 1_000) * 1_000)),
    ),
  },
  {
    id: "set-for-ever-keeps-end",
    clause: "S10",
    flaw: 'leaves the expiry as it was where a compare-and-set has a ttl of "never"',
    rejectedBy: "S10.4-never",
    alsoBreaks: {
      S1: HISTORY,
    },
    create: always(
      members((store) => ({
        write: (write: Write) => {
          const { expect, next } = write;
          const sets = expect !== "absent" && "opId" in expect && next !== "removed";
          return store.write(
            sets && "value" in next && next.ttlMs === "never"
              ? { ...write, expect, next: { ...next, ttlMs: "keep" } }
              : write,
          );
        },
      })),
    ),
  },
  {
    id: "never-closes",
    clause: "S11",
    flaw: "goes on working after close",
    rejectedBy: "S11.1-closed",
    create: always(members(() => ({ close: async () => {} }))),
  },
  {
    id: "hangs-after-close",
    clause: "S11",
    flaw: "lets calls wait for ever after close",
    rejectedBy: "S11.1-closed",
    create: always(hangsAfterClose()),
  },
  {
    id: "waits-for-ever",
    clause: "S11",
    flaw: "waits for an answer however long it takes",
    rejectedBy: "S11.5-settles",
    alsoBreaks: {
      S1: "a workload with lost replies never ends",
      S6: "an answer that never comes is not unknown",
    },
    create: always(waitsForEver()),
  },
];
