// Stores that break a clause in `writeAll` alone, whose code is not that of a single write.

import { among, withTtl, withValue } from "./breakage.js";
import { always, type BrokenStore } from "./broken-store.js";
import { comparesRevisionsAmong, seesExpiredAmong } from "./flaws-of-capabilities.js";

export const brokenAmong: readonly BrokenStore[] = [
  {
    id: "ttl-ignored-among",
    clause: "multiKey",
    flaw: "lets what several writes wrote live for ever",
    rejectedBy: "multiKey.15-ttl",
    create: always(among((write) => withTtl(write, () => "never"))),
  },
  {
    id: "whole-seconds-among",
    clause: "multiKey",
    flaw: "rounds times to live among several writes down to seconds",
    rejectedBy: "multiKey.15-ttl",
    create: always(
      among((write) => withTtl(write, (ttlMs) => Math.max(1, Math.floor(ttlMs / 1_000)) * 1_000)),
    ),
  },
  {
    id: "keep-as-never-among",
    clause: "multiKey",
    flaw: 'takes "keep" among several writes for "never"',
    rejectedBy: "multiKey.16-kept",
    create: always(
      among((write) => {
        const { next } = write;
        return next !== "removed" && next.ttlMs === "keep"
          ? ({ ...write, next: { ...next, ttlMs: "never" } } as typeof write)
          : write;
      }),
    ),
  },
  {
    id: "absent-since-as-absent-among",
    clause: "multiKey",
    flaw: "takes any absentSince among several writes for absent",
    rejectedBy: "multiKey.13-absent-since",
    create: always(
      among((write) =>
        typeof write.expect === "object" && "absentSince" in write.expect
          ? { ...write, expect: "absent" }
          : write,
      ),
    ),
  },
  {
    id: "stamp-without-op-id-among",
    clause: "multiKey",
    flaw: "compares the revision of a stamp among several writes, and not its opId",
    rejectedBy: "multiKey.12-stamps",
    create: always(comparesRevisionsAmong()),
  },
  {
    id: "expired-as-live-among",
    clause: "multiKey",
    flaw: "takes an expired entry for a live one where it creates several",
    rejectedBy: "multiKey.14-expired",
    create: always(seesExpiredAmong()),
  },
  {
    id: "nul-terminated-values-among",
    clause: "multiKey",
    flaw: "cuts values among several writes at U+0000",
    rejectedBy: "multiKey.17-values",
    create: always(
      among((write) => withValue(write, (value) => value.split("\u0000", 1)[0] ?? "")),
    ),
  },
  {
    id: "trimmed-keys-among",
    clause: "multiKey",
    flaw: "trims keys among several writes",
    rejectedBy: "multiKey.18-keys",
    create: always(
      among((write) =>
        typeof write.key === "string" ? { ...write, key: write.key.trim() || write.key } : write,
      ),
    ),
  },
];
