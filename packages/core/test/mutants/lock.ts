// Broken variants of the lock: small changes to the real source, each of which must make the
// property file fail.

import type { Mutant } from "../support/mutant.ts";

const test = "test/lock.property.test.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "lock/release-without-owner-check",
    guarantee: "a release removes only this holder's entry",
    file: "src/shared/tenure.ts",
    find: 'return { outcome: "lost", entry: sent.entry, now: sent.now };',
    replace:
      'if (next === "removed" && sent.entry) { stamp = sent.entry.stamp; continue; } return { outcome: "lost", entry: sent.entry, now: sent.now };',
    test,
  },
  {
    id: "lock/renewal-acquires-again",
    guarantee: "a renewal never acquires again what was lost",
    file: "src/shared/tenure.ts",
    find: 'return { outcome: "lost", entry: sent.entry, now: sent.now };',
    replace:
      'if (next !== "removed" && !sent.entry) { lost = false; stopped = false; const again = await send(base, place, "absent", () => ({ value: "1{}\\n", ttlMs: options.leaseMs }), options); if (again.outcome === "own") { ({ stamp, since, leaseMs } = again); arm(); return { outcome: "applied" }; } } return { outcome: "lost", entry: sent.entry, now: sent.now };',
    test,
  },
  {
    id: "lock/lease-counted-from-the-reply",
    guarantee: "a lease is counted from before the first send",
    file: "src/shared/tenure.ts",
    find: "({ stamp, since, leaseMs } = sent);",
    replace:
      "({ stamp, leaseMs } = sent); since = { monotonicMs: runtime.monotonicNow(), wallMs: runtime.wallNow() };",
    test,
  },
  {
    id: "lock/holder-outlives-its-lease",
    guarantee: "whoever believes to hold holds",
    file: "src/shared/tenure.ts",
    find: "return Math.max(0, leftMs - marginMs);",
    replace: "return lost ? 0 : Math.max(leaseMs / 2, leftMs - marginMs);",
    test,
  },
  {
    id: "lock/holder-takes-no-notice-of-an-unanswered-extension",
    guarantee: "whoever believes to hold holds, also after an extension whose answer is lost",
    file: "src/shared/tenure.ts",
    find: "leftMs = Math.min(leftMs, leftOf(lease));",
    replace: "leftMs = Math.min(leftMs, Math.max(leftMs, leftOf(lease)));",
    test,
  },
  {
    id: "lock/late-answer-handed-out",
    guarantee: "an acquisition that is answered too late is not handed out as held",
    file: "src/lock/create-lock.ts",
    find: "if (lock.held) {",
    replace: "if (lock.token > 0) {",
    test,
  },
  {
    id: "lock/extended-after-its-end",
    guarantee: "extended is told only of a lock that is held",
    file: "src/lock/held-lock.ts",
    find: 'return tenure.remainingMs() ? "extended" : "lost";',
    replace: 'return "extended";',
    test,
  },
  {
    id: "lock/lost-reply-is-a-loss",
    guarantee: "a release that tells of a loss was not a release",
    file: "src/shared/tenure.ts",
    find: 'if (next === "removed" && sent.afterUnknown) {',
    replace: 'if (next === "removed" && (sent.afterUnknown as unknown) === "never") {',
    test,
  },
  {
    id: "lock/token-of-the-client's-clock",
    guarantee: "tokens strictly increase from holder to holder",
    file: "src/lock/create-lock.ts",
    find: "const lock = heldLock(options, resource, sent.stamp.revision, tenure);",
    replace:
      "const lock = heldLock(options, resource, Math.floor(options.runtime.wallNow() * 1000), tenure);",
    test,
  },
  {
    id: "lock/token-follows-renewals",
    guarantee: "the fencing token stays the same through renewals",
    file: "src/lock/held-lock.ts",
    find: "    token,\n    get signal() {",
    replace:
      "    get token() {\n      return token + Math.ceil(1e6 - tenure.remainingMs());\n    },\n    get signal() {",
    test,
  },
  {
    id: "lock/own-unanswered-write-not-recognised",
    guarantee: "a refusal that shows one of my own unanswered writes is no refusal",
    file: "src/shared/send.ts",
    find: "const lease = mine ? sent : stamp && unanswered?.get(stamp.opId);",
    replace: "const lease = answer.outcome === 'applied' ? sent : undefined;",
    test,
  },
  {
    id: "lock/re-sent-under-a-new-opId",
    guarantee: "on unknown the same write is sent again under the same opId",
    file: "src/shared/send.ts",
    find: "(() => store.write(write), {",
    replace: "(() => store.write({ ...write, opId: randomId(runtime) }), {",
    test,
  },
  {
    id: "lock/no-end-of-the-entry",
    guarantee: "a lock whose holder crashed can be acquired again within the lease",
    file: "src/lock/create-lock.ts",
    find: "const next = { value: HELD, ttlMs: leaseMs };",
    replace: 'const next = { value: HELD, ttlMs: "never" } as const;',
    test,
  },
  {
    id: "lock/signal-that-never-fires",
    guarantee: "when the lease may have ended the signal fires",
    file: "src/shared/tenure.ts",
    find: "      lost = true;\n      abort();",
    replace: "      lost = true;",
    test,
  },
  {
    id: "lock/release-gives-up-on-an-outage",
    guarantee: "a release outlasts an outage shorter than settleMs",
    file: "src/lock/held-lock.ts",
    find: 'tenure.write(() => "removed", { persist: true })',
    replace: 'tenure.write(() => "removed")',
    test: "test/lock-outage.test.ts",
  },
];
