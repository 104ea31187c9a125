// The model of the contract: what each clause allows and forbids.

import type { Write } from "@onceproof/core/advanced";
import {
  atomicStoreModel,
  checkHistory,
  type StoreInput,
  type StoreOutput,
} from "@onceproof/simulator/checker";
import { describe, expect, test } from "vitest";

type Answer = StoreOutput | "unknown";
type Asked = readonly [StoreInput | Write, Answer];

const KEY = "k";
const read: StoreInput = { kind: "read", key: KEY };
const create = (opId: string, value = "x", expect: Write["expect"] = "absent"): Write =>
  ({ key: KEY, opId, expect, next: { value, ttlMs: "never" } }) as Write;
const replace = (opId: string, revision: number, of: string, next: unknown = "removed"): Write =>
  ({ key: KEY, opId, expect: { revision, opId: of }, next }) as Write;
const applied = (revision: number, rest: object = {}): Answer =>
  ({
    outcome: "applied",
    revision,
    writtenAt: revision,
    now: revision,
    replayed: false,
    ...rest,
  }) as Answer;
const shown = (value: string, revision: number, opId: string, rest: object = {}) => ({
  entry: { value, stamp: { revision, opId }, writtenAt: revision, ...rest },
  revision,
});
const refused = (state: object, now = 50): Answer =>
  ({ outcome: "refused", ...state, now }) as Answer;
const ttl = { value: "x", ttlMs: 0.01 };

/** The operations one after the other; an unknown one stays open. */
function judged(asked: readonly Asked[], forgets = false): string {
  const history = asked.map(([input, output], index) => {
    const operation = {
      process: "p",
      input: "kind" in input ? input : ({ kind: "write", write: input } as const),
      invokedAt: 2 * index,
    };
    return output === "unknown" ? operation : { ...operation, output, returnedAt: 2 * index + 1 };
  });
  return checkHistory(atomicStoreModel({ forgets }), history).verdict;
}

describe("what the clauses allow", () => {
  const allowed: readonly (readonly [string, readonly Asked[]])[] = [
    [
      "a create and its read",
      [
        [create("a"), applied(10)],
        [read, { ...shown("x", 10, "a"), now: 11 }],
      ],
    ],
    [
      "a create refused by an entry",
      [
        [create("a"), applied(10)],
        [create("b"), refused(shown("x", 10, "a"))],
      ],
    ],
    [
      "a replay",
      [
        [create("a"), "unknown"],
        [create("a"), applied(10, { replayed: true })],
      ],
    ],
    [
      "a re-issue that is the first to arrive",
      [
        [create("a"), "unknown"],
        [create("a"), applied(10)],
      ],
    ],
    [
      "a removal, and a create after it",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a"), applied(11)],
        [create("c", "y", { absentSince: 11 }), applied(12)],
      ],
    ],
    [
      "an entry that expires, and its clock that steps back",
      [
        [{ ...create("a"), next: ttl } as Write, applied(10, { expiresAt: 20 })],
        [read, { revision: 10, now: 20 }],
        [read, { ...shown("x", 10, "a", { expiresAt: 20 }), now: 19 }],
      ],
    ],
    [
      "a lost write that shows later",
      [
        [create("a"), "unknown"],
        [read, { now: 9 }],
        [read, { ...shown("x", 10, "a"), now: 11 }],
      ],
    ],
    [
      "a touch keeps the value",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a", { touch: true, ttlMs: "never" }), applied(11)],
        [read, { ...shown("x", 11, "b"), now: 12 }],
      ],
    ],
  ];
  test.each(allowed)("%s", (_, asked) => expect(judged(asked)).toBe("linearizable"));
});

describe("what the clauses forbid", () => {
  const forbidden: readonly (readonly [string, readonly Asked[]])[] = [
    [
      "S0: a second create",
      [
        [create("a"), applied(10)],
        [create("b"), applied(11)],
      ],
    ],
    [
      "S0: a stamp that is not the entry's",
      [
        [create("a"), applied(10)],
        [replace("b", 9, "a"), applied(11)],
      ],
    ],
    [
      "S0: a create beyond absentSince",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a"), applied(11)],
        [create("c", "y", { absentSince: 10 }), applied(12)],
      ],
    ],
    [
      "S1: a stale read",
      [
        [create("a"), applied(10)],
        [read, { now: 11 }],
      ],
    ],
    [
      "S1: another value",
      [
        [create("a"), applied(10)],
        [read, { ...shown("y", 10, "a"), now: 11 }],
      ],
    ],
    [
      "S2: an entry gone before its time",
      [
        [{ ...create("a"), next: ttl } as Write, applied(10, { expiresAt: 20 })],
        [read, { revision: 10, now: 19 }],
      ],
    ],
    [
      "S2: an entry seen at its time",
      [
        [{ ...create("a"), next: ttl } as Write, applied(10, { expiresAt: 20 })],
        [read, { ...shown("x", 10, "a", { expiresAt: 20 }), now: 20 }],
      ],
    ],
    [
      "S2: an endless entry that is gone",
      [
        [create("a"), "unknown"],
        [read, { ...shown("x", 10, "a"), now: 11 }],
        [read, { revision: 10, now: 1e9 }],
      ],
    ],
    [
      "S3: a revision that goes back",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a"), applied(10)],
      ],
    ],
    [
      "S3: a revision that a lost write leaves no room for",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a", { value: "y", ttlMs: "never" }), "unknown"],
        [read, { ...shown("y", 10, "b"), now: 12 }],
      ],
    ],
    [
      "S3: a forgotten key",
      [
        [create("a"), applied(10)],
        [replace("b", 10, "a"), applied(11)],
        [read, { now: 12 }],
      ],
    ],
    ["S4: a refusal that shows nothing in the way", [[create("a"), refused({})]]],
    ["S4: a refusal by a state that was never there", [[create("a"), refused(shown("y", 3, "z"))]]],
    [
      "S5: a second application",
      [
        [create("a"), applied(10)],
        [create("a"), applied(11)],
      ],
    ],
    [
      "S5: a refusal of the latest write",
      [
        [create("a"), applied(10)],
        [create("a"), refused(shown("x", 10, "a"))],
      ],
    ],
    ["S5: a replay of what was never sent", [[create("a"), applied(10, { replayed: true })]]],
    [
      "S5: a replay under another revision",
      [
        [create("a"), applied(10)],
        [create("a"), applied(11, { replayed: true })],
      ],
    ],
    [
      "S10: a life that is too short",
      [[{ ...create("a"), next: ttl } as Write, applied(10, { expiresAt: 19 })]],
    ],
    ["S10: an end of what never ends", [[create("a"), applied(10, { expiresAt: 19 })]]],
  ];
  test.each(forbidden)("%s", (_, asked) => expect(judged(asked)).toBe("violated"));

  test("a key that may be forgotten is no violation", () => {
    const [, asked] = forbidden.find(([name]) => name === "S3: a forgotten key")!;
    expect(judged(asked, true)).toBe("linearizable");
  });
});
