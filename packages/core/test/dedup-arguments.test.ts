// What is wrong is told by a typed error with a code, and nothing is written.

import { createDedup, createMemoryStore, type DedupOptions } from "@onceproof/core";
import { createDedupClaims } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  never,
  rejection,
  rejectionCode,
} from "./support/dedup-world.ts";

const circular: { self?: unknown } = {};
circular.self = circular;
class Account {
  readonly id = 1;
}

const BAD_KEYS: readonly [string, unknown, string][] = [
  ["an empty key", "", "keyEmpty"],
  ["an over-long key", "k".repeat(1_025), "keyTooLong"],
  ["a number as key", 7, "keyNotString"],
  ["no key", undefined, "keyNotString"],
  ["null as key", null, "keyNotString"],
  ["a String object as key", Object("k"), "keyNotString"],
  ["a lone high surrogate", "k\ud800", "keyNotWellFormed"],
  ["a lone low surrogate", "\udc00k", "keyNotWellFormed"],
];

const BAD_DURATIONS = [
  Number.NaN,
  -1,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.MAX_VALUE,
  "1000",
  null,
  {},
] as const;

const BAD_FINGERPRINTS: readonly [string, unknown][] = [
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a cycle", circular],
  ["a function inside", { a: [() => 1] }],
  ["an instance of a class", new Account()],
  ["a throwing getter", Object.defineProperty({}, "a", { get: never, enumerable: true })],
];

/** Every call of a dedup that takes a key. */
const CALLS: readonly [string, (w: DedupWorld, key: string) => Promise<unknown>][] = [
  ["run", (w, key) => w.dedup().run(key, never)],
  ["attempt", (w, key) => w.dedup().attempt(key, never)],
  ["inspect", (w, key) => w.dedup().inspect(key)],
  ["resolve", (w, key) => w.dedup().resolve(key, { outcome: "notDone" })],
  ["begin", (w, key) => w.claims().begin(key)],
];

describe.each(CALLS)("%s refuses, before anything is sent,", (_, call) => {
  test.each(BAD_KEYS)("%s", async (_name, key, code) => {
    const w = createWorld();
    const error = await w.run(rejection(call(w, key as string)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ code });
    expect(w.counter.counts().total).toBe(0);
  });

  test("a closed store, with a code", async () => {
    const w = createWorld();
    await w.counter.store.close();
    expect(await rejectionCode(w.run(call(w, "k")))).toBe("closed");
    expect((await w.run(w.faulty.direct.read("3:pay5:dedup1:k"))).revision).toBeUndefined();
  });
});

describe("a call refuses, before anything is sent,", () => {
  const bad = async (options: object): Promise<string> => {
    const w = createWorld();
    const codes = new Set<unknown>();
    for (const call of [
      () => w.dedup().run("k", never, options),
      () => w.dedup().attempt("k", never, options),
      () => w.claims().begin("k", options),
    ]) {
      const error = await w.run(rejection(call()));
      expect(error).toBeInstanceOf(TypeError);
      codes.add((error as { code?: unknown }).code);
    }
    expect(w.counter.counts().total).toBe(0);
    return [...codes].join();
  };

  test.each(BAD_DURATIONS)("a wait of %s", async (waitMs) => {
    expect(await bad({ waitMs })).toBe("durationInvalid");
  });

  test.each(BAD_DURATIONS.filter((value) => value !== null))(
    "a birth time of %s",
    async (issuedAtMs) => {
      expect(await bad({ issuedAtMs })).toBe("durationInvalid");
    },
  );

  test.each(BAD_FINGERPRINTS)("%s as fingerprint", async (_, fingerprint) => {
    expect(await bad({ fingerprint })).toBe("inputUnencodable");
    expect(await bad({ fingerprint: { nested: [fingerprint] } })).toBe("inputUnencodable");
  });

  test.each([undefined, null, "handler", {}])("%s as handler", async (handler) => {
    const w = createWorld();
    const call = w.dedup().run("k", handler as unknown as () => never);
    expect(await rejectionCode(w.run(call))).toBe("optionInvalid");
    expect(w.counter.counts().total).toBe(0);
  });
});

describe("a factory refuses", () => {
  const store = createMemoryStore();
  const GOOD: DedupOptions = { store, name: "pay", onCrash: "park" };
  const codeOf = (changed: object): unknown => {
    const codes = [createDedup, createDedupClaims].map((create) => {
      try {
        create({ ...GOOD, ...changed } as DedupOptions);
        return "accepted";
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        expect((error as Error).message).not.toBe("");
        return (error as { code?: unknown }).code;
      }
    });
    expect(codes[0]).toBe(codes[1]);
    return codes[0];
  };

  test("nothing of what is right", () => {
    expect(codeOf({})).toBe("accepted");
    expect(codeOf({ leaseMs: 1_000, retentionMs: 1_000, waitMs: 0, marginMs: 0 })).toBe("accepted");
    expect(codeOf({ onCrash: () => ({ answer: "unknown" }) })).toBe("accepted");
  });

  test.each([undefined, null, "retry", "Park", true, {}])(
    "onCrash %s: the one choice without a safe default",
    (onCrash) => {
      expect(codeOf({ onCrash })).toBe("optionInvalid");
    },
  );

  test.each(["leaseMs", "marginMs", "waitMs", "retentionMs", "maxSkewMs", "settleMs"])(
    "a %s that is no duration",
    (name) => {
      for (const value of BAD_DURATIONS) {
        expect(codeOf({ [name]: value }), `${name}: ${String(value)}`).toBe("durationInvalid");
      }
    },
  );

  test("a lease or a retention of nothing", () => {
    expect(codeOf({ leaseMs: 0 })).toBe("durationInvalid");
    expect(codeOf({ retentionMs: 0 })).toBe("durationInvalid");
  });

  test("a lease longer than the retention", () => {
    expect(codeOf({ leaseMs: 1_001, retentionMs: 1_000 })).toBe("leaseExceedsRetention");
    expect(codeOf({ retentionMs: 29_999 })).toBe("leaseExceedsRetention");
  });

  test("a margin that leaves nothing of the lease", () => {
    expect(codeOf({ leaseMs: 1_000, marginMs: 1_000 })).toBe("optionInvalid");
    expect(codeOf({ leaseMs: 1_000, marginMs: 2_000 })).toBe("optionInvalid");
  });

  test.each(BAD_KEYS)("as its name %s", (_, name, code) => {
    expect(codeOf({ name })).toBe(code);
  });

  test.each([undefined, null, {}, "redis://localhost", new Map()])("%s as store", (bad) => {
    expect(codeOf({ store: bad })).toBe("optionInvalid");
  });

  test.each(["classify", "keyTime"])("a %s that is no function", (name) => {
    for (const value of [1, "uuidv4", {}, true]) {
      expect(codeOf({ [name]: value })).toBe("optionInvalid");
    }
  });
});

test("errors name the argument, never its content", async () => {
  const w = createWorld();
  const secret = `secret-${"x".repeat(2_000)}`;
  const errors = [
    await rejection(w.dedup().run(secret, never)),
    await rejection(w.dedup().run("secret\ud800", never)),
    await rejection(w.dedup().run("k", never, { fingerprint: { secret: () => "secret" } })),
  ];
  for (const error of errors) {
    expect((error as Error).message).not.toContain("secret");
  }
});
