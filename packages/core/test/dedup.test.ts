import { createDedup, type DedupContext } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, never, RETENTION_MS } from "./support/dedup-world.ts";

describe("one outcome per key", () => {
  test("a recorded outcome is replayed and never executed again", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    let runs = 0;
    const charge = (): { receipt: number } => {
      runs += 1;
      return { receipt: runs };
    };
    expect(await w.run(dedup.run("order-1", charge))).toEqual({ receipt: 1 });
    expect(await w.run(dedup.run("order-1", charge))).toEqual({ receipt: 1 });
    expect(await w.run(dedup.run("order-1", never))).toEqual({ receipt: 1 });
    expect(runs).toBe(1);
  });

  test("the first caller is told it executed, the next that it was replayed", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const first = await w.run(dedup.attempt("k", () => "v"));
    expect(first).toEqual({
      outcome: "executed",
      value: "v",
      recorded: true,
      attempt: 1,
      fencingToken: expect.any(Number),
    });
    expect(await w.run(dedup.attempt("k", never))).toEqual({ outcome: "replayed", value: "v" });
  });

  test("a first run costs two store calls, a duplicate one", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const first = await w.counter.during(() => w.run(dedup.run("k", () => 1)));
    expect(first.calls).toMatchObject({ write: 2, read: 0, total: 2 });
    const duplicate = await w.counter.during(() => w.run(dedup.run("k", never)));
    expect(duplicate.calls.total).toBe(1);
    const fingerprinted = { fingerprint: { amount: 1 }, issuedAtMs: w.runtime.wallNow() };
    const other = await w.counter.during(() => w.run(dedup.run("k2", () => 1, fingerprinted)));
    expect(other.calls.total).toBe(2);
    const again = await w.counter.during(() => w.run(dedup.run("k2", never, fingerprinted)));
    expect(again.calls.total).toBe(1);
  });

  test("the replay of a rejection and of a large value costs one call too", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const large = "x".repeat(500_000);
    await w.run(dedup.run("k", () => large));
    const duplicate = await w.counter.during(() => w.run(dedup.run("k", never)));
    expect(duplicate.calls.total).toBe(1);
    expect(duplicate.result).toBe(large);
  });

  test("of many callers at once one executes and all get its value", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    let runs = 0;
    const charge = async (): Promise<{ receipt: number }> => {
      runs += 1;
      await w.runtime.sleep(700);
      return { receipt: 7 };
    };
    const calls = Array.from({ length: 20 }, () => dedup.run("k", charge));
    expect(await w.run(Promise.all(calls))).toEqual(calls.map(() => ({ receipt: 7 })));
    expect(runs).toBe(1);
  });

  test("other processes on the same store get the same outcome", async () => {
    const w = createWorld();
    const other = w.dedup({ store: w.faulty.direct.peer() });
    await w.run(w.dedup().run("k", () => ["a", 1]));
    expect(await w.run(other.run("k", never))).toEqual(["a", 1]);
  });

  test.each([undefined, null, false, 0, -0, 0n, "", Number.NaN, [], {}])(
    "the outcome %s is an outcome and is not run again",
    async (value) => {
      const w = createWorld();
      const dedup = w.dedup();
      await w.run(dedup.run("k", () => value));
      const again = await w.run(dedup.attempt("k", never));
      expect(again).toStrictEqual({ outcome: "replayed", value });
      expect(await w.run(dedup.run("k", never))).toStrictEqual(value);
    },
  );

  test("a synchronous handler and a synchronous throw are treated as asynchronous ones", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    expect(await w.run(dedup.run("sync", () => 1))).toBe(1);
    const error = new Error("at once");
    const result = await w.run(
      dedup.attempt("throws", () => {
        throw error;
      }),
    );
    expect(result).toEqual({ outcome: "threw", error, disposition: "unknown" });
  });
});

describe("retention", () => {
  test("counts from the finish: replayed until then, forgotten at that instant", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const slow = async (): Promise<string> => {
      await w.runtime.sleep(5 * 3_600_000);
      return "first";
    };
    await w.run(dedup.run("k", slow));
    await w.runtime.advance(RETENTION_MS - 0.001);
    expect(await w.run(dedup.run("k", never))).toBe("first");
    await w.runtime.advance(0.001);
    expect(await w.run(dedup.run("k", () => "second"))).toBe("second");
  });

  test("is not extended by replays", async () => {
    const w = createWorld();
    const dedup = w.dedup({ retentionMs: 60_000 });
    await w.run(dedup.run("k", () => 1));
    for (let look = 0; look < 6; look += 1) {
      await w.runtime.advance(9_999);
      expect(await w.run(dedup.run("k", never))).toBe(1);
    }
    await w.runtime.advance(6);
    expect(await w.run(dedup.run("k", () => 2))).toBe(2);
  });
});

describe("keys", () => {
  test("distinct keys and names never meet, byte for byte", async () => {
    const w = createWorld();
    const names = ["pay", "pay:", "pa", "Pay", "päy", "pa\u0308y", "1:pay", "pay5:dedup"];
    const keys = [
      "k",
      "K",
      "k ",
      " k",
      "k:",
      "{k}",
      "1:k",
      "y:k",
      "k\n",
      "k\u0000",
      "é",
      "e\u0301",
    ];
    const all = names.flatMap((name) => keys.map((key) => ({ name, key })));
    for (const [index, { name, key }] of all.entries()) {
      expect(await w.run(w.dedup({ name }).run(key, () => index))).toBe(index);
    }
    for (const [index, { name, key }] of all.entries()) {
      expect(await w.run(w.dedup({ name }).run(key, never))).toBe(index);
    }
  });

  test("a key is judged as it was when the call was made", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const input = { fingerprint: { amount: 1 } };
    await w.run(
      dedup.run(
        "k",
        () => {
          input.fingerprint.amount = 2;
          return 1;
        },
        input,
      ),
    );
    expect(await w.run(dedup.run("k", never, { fingerprint: { amount: 1 } }))).toBe(1);
    expect(await w.run(dedup.attempt("k", never, input))).toEqual({ outcome: "mismatch" });
  });
});

describe("the handler's context", () => {
  async function contextOf(
    key: string,
    name: string,
    w = createWorld(),
  ): Promise<DedupContext & { child: (name: string) => string }> {
    let seen: DedupContext | undefined;
    await w.run(
      w.dedup({ name }).run(key, (ctx) => {
        seen = ctx;
      }),
    );
    return { ...seen!, child: (child) => seen!.childKey(child) };
  }

  test("a first attempt is told so", async () => {
    const w = createWorld();
    await w.run(
      w.dedup().run("order-1", (ctx) => {
        expect(ctx).toMatchObject({ key: "order-1", attempt: 1, takeover: false });
        expect(ctx.signal.aborted).toBe(false);
        expect(Number.isSafeInteger(ctx.fencingToken)).toBe(true);
      }),
    );
  });

  test("the fencing token rises with every acquisition of a key", async () => {
    const w = createWorld();
    const dedup = w.dedup({ retentionMs: 60_000 });
    const tokens: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await w.run(dedup.run("k", (ctx) => tokens.push(ctx.fencingToken)));
      await w.runtime.advance(60_000);
    }
    expect(tokens).toHaveLength(5);
    expect([...tokens].sort((a, b) => a - b)).toEqual(tokens);
    expect(new Set(tokens).size).toBe(5);
  });

  test("a child key is the same whenever and wherever it is asked for", async () => {
    const one = await contextOf("k", "pay");
    const two = await contextOf("k", "pay");
    expect(one.child("charge")).toBe(one.child("charge"));
    expect(one.child("charge")).toBe(two.child("charge"));
    expect(one.child("charge")).not.toBe("");
  });

  test("child keys are distinct per name, key and factory, also where they run together", async () => {
    const triples = [
      ["pay", "k", "charge"],
      ["pay", "k", "mail"],
      ["pay", "k2", "charge"],
      ["pay2", "k", "charge"],
      ["pay", "2k", "charge"],
      ["pay", "kc", "harge"],
      ["payk", "c", "harge"],
      ["pay", "k:", "charge"],
      ["pay", "k", ":charge"],
    ] as const;
    const seen = new Set<string>();
    for (const [name, key, child] of triples) {
      seen.add((await contextOf(key, name)).child(child));
    }
    expect(seen.size).toBe(triples.length);
  });
});

test("defaults need no runtime: the documented two lines work on the machine's own clock", async () => {
  const { createMemoryStore } = await import("@onceproof/core");
  const store = createMemoryStore();
  const payments = createDedup({ store, name: "pay", onCrash: "park" });
  expect(await payments.run("order-1", () => 100)).toBe(100);
  expect(await payments.run("order-1", never)).toBe(100);
});
