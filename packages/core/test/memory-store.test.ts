// What the memory store promises beyond the contract; the clauses themselves are the conformance
// kit's, which runs on it in the simulator's tests.

import { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from "@onceproof/core";
import type { AtomicStore, CreateWrite, Stamp, Ttl } from "@onceproof/core/advanced";
import { createVirtualRuntime, type VirtualRuntime } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import { opId } from "./support/op-id.ts";

interface World {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryStore;
}

function world(options: Omit<MemoryStoreOptions, "runtime"> = {}): World {
  const runtime = createVirtualRuntime();
  return { runtime, store: createMemoryStore({ ...options, runtime }) };
}

let ops = 0;
function create(key: string, value = "value", ttlMs: Ttl = "never"): CreateWrite {
  ops += 1;
  return { key, opId: opId(ops), expect: "absent", next: { value, ttlMs } };
}

async function seed(store: AtomicStore, key: string, value?: string, ttlMs?: Ttl): Promise<Stamp> {
  const write = create(key, value, ttlMs);
  const result = await store.write(write);
  if (result.outcome !== "applied") {
    throw new Error(`expected to create ${key}, got ${result.outcome}`);
  }
  return { revision: result.revision, opId: write.opId };
}

async function remove(store: AtomicStore, key: string, expected: Stamp): Promise<void> {
  ops += 1;
  await store.write({ key, opId: opId(ops), expect: expected, next: "removed" });
}

async function valueAt(store: AtomicStore, key: string): Promise<string | undefined> {
  return (await store.read(key)).entry?.value;
}

describe("memory is bounded without timers", () => {
  test("a hundred thousand short-lived keys hold at most twice what must be kept", async () => {
    const { runtime, store } = world({ tombstoneMs: 1_000 });
    // One key per 0.1 ms, each remembered for 1,000 ms after its write: 10,000 must be kept.
    let most = 0;
    for (let index = 0; index < 100_000; index += 1) {
      await seed(store, `key ${index}`, "value", 100);
      runtime.jumpWall(0.1);
      most = Math.max(most, store.size);
    }
    expect(most).toBeGreaterThanOrEqual(10_000);
    expect(most).toBeLessThanOrEqual(20_100);
    expect(runtime.pendingTimers).toBe(0);
  });

  test("keys that are taken and removed hold at most twice what must be kept", async () => {
    const { runtime, store } = world({ tombstoneMs: 1_000 });
    let most = 0;
    for (let index = 0; index < 50_000; index += 1) {
      const stamp = await seed(store, `key ${index}`);
      await remove(store, `key ${index}`, stamp);
      runtime.jumpWall(1);
      most = Math.max(most, store.size);
    }
    expect(most).toBeLessThanOrEqual(2_010);
  });

  test("what is due is freed by writes to other keys", async () => {
    const { runtime, store } = world();
    for (let index = 0; index < 1_000; index += 1) {
      await seed(store, `short ${index}`, "value", 1_000);
    }
    const stamp = await seed(store, "live");
    runtime.jumpWall(300_001);
    let latest = stamp;
    for (let index = 0; index < 600; index += 1) {
      ops += 1;
      const next = { touch: true, ttlMs: "never" } as const;
      const write = { key: "live", opId: opId(ops), expect: latest, next };
      const result = await store.write(write);
      latest = { revision: (result as { revision: number }).revision, opId: write.opId };
    }
    expect(store.size).toBe(1);
  });

  test("a sweep frees what is due, at most its limit, and nothing that is live", async () => {
    const { runtime, store } = world();
    for (let index = 0; index < 100; index += 1) {
      await seed(store, `short ${index}`, "value", 1_000);
      await seed(store, `long ${index}`, "value", 900_000);
    }
    expect(await store.sweep({ limit: 1_000 })).toBe(0);
    runtime.jumpWall(300_001);
    expect(await store.sweep({ limit: 30 })).toBe(30);
    expect(await store.sweep({ limit: 1_000 })).toBe(70);
    expect(await store.sweep({ limit: 1_000 })).toBe(0);
    expect(store.size).toBe(100);
    expect(await valueAt(store, "long 99")).toBe("value");
  });

  test("an entry that expired stays until its revision may be forgotten", async () => {
    const { runtime, store } = world({ tombstoneMs: 60_000 });
    await seed(store, "k", "value", 1_000);
    runtime.jumpWall(60_000);
    expect(await store.sweep({ limit: 10 })).toBe(0);
    runtime.jumpWall(-59_500);
    expect(await valueAt(store, "k")).toBe("value");
    runtime.jumpWall(59_501);
    expect(await store.sweep({ limit: 10 })).toBe(1);
  });
});

describe("maxEntries", () => {
  test("refuses a new key with StoreError full, and says what to do", async () => {
    const { store } = world({ maxEntries: 2 });
    await seed(store, "a");
    await seed(store, "b");
    await expect(store.write(create("c"))).rejects.toMatchObject({
      code: "full",
      message: expect.stringMatching(/holds 2 keys .* at most 2: raise maxEntries/),
    });
    expect(await valueAt(store, "a")).toBe("value");
    expect(await valueAt(store, "b")).toBe("value");
  });

  test("keys that are held can be written, removed and created again", async () => {
    const { store } = world({ maxEntries: 1 });
    const stamp = await seed(store, "a");
    await remove(store, "a", stamp);
    await seed(store, "a", "again");
    const { entry } = await store.read("a");
    await store.transaction((tx) => remove(store.bind(tx), "a", entry!.stamp));
    await store.transaction((tx) => seed(store.bind(tx), "a", "once more"));
    expect(await valueAt(store, "a")).toBe("once more");
  });

  test("a write that would be refused anyway is refused, not full", async () => {
    const { store } = world({ maxEntries: 1 });
    const stamp = await seed(store, "a");
    expect(await store.write(create("a"))).toMatchObject({ outcome: "refused" });
    const next = { value: "x", ttlMs: "never" } as const;
    const write = { key: "unused", opId: opId(0), expect: stamp, next };
    expect(await store.write(write)).toMatchObject({ outcome: "refused" });
  });

  test("a removed key counts until its revision may be forgotten, then makes room", async () => {
    const { runtime, store } = world({ maxEntries: 3 });
    const stamp = await seed(store, "removed");
    await seed(store, "expired", "value", 1_000);
    await seed(store, "live");
    await remove(store, "removed", stamp);
    runtime.jumpWall(300_000);
    await expect(store.write(create("new"))).rejects.toMatchObject({ code: "full" });
    runtime.jumpWall(1);
    await seed(store, "new");
    await seed(store, "newer");
    await expect(store.write(create("newest"))).rejects.toMatchObject({ code: "full" });
    expect(await valueAt(store, "live")).toBe("value");
  });

  test("each key that may be forgotten makes room in its turn", async () => {
    const { runtime, store } = world({ maxEntries: 3 });
    for (const key of ["a", "b", "c"]) {
      await seed(store, key, "value", 500);
      runtime.jumpWall(1_000);
    }
    runtime.jumpWall(297_000);
    for (const key of ["d", "e", "f"]) {
      await expect(store.write(create(key))).rejects.toMatchObject({ code: "full" });
      runtime.jumpWall(1);
      await seed(store, key);
      runtime.jumpWall(999);
    }
    await expect(store.write(create("g"))).rejects.toMatchObject({ code: "full" });
  });

  test("writeAll and transactions that do not fit change nothing", async () => {
    const { store } = world({ maxEntries: 2 });
    await seed(store, "a");
    const writes = ["b", "c"].map((key) => {
      const { expect: absent, next } = create(key);
      return { key, expect: absent, next };
    });
    await expect(store.writeAll({ opId: opId(0), writes })).rejects.toMatchObject({ code: "full" });
    let effects = 0;
    const transaction = store.transaction(async (tx) => {
      tx.onCommit(() => {
        effects += 1;
      });
      await seed(store.bind(tx), "b");
      await seed(store.bind(tx), "c");
    });
    await expect(transaction).rejects.toMatchObject({ code: "full" });
    expect(effects).toBe(0);
    expect(store.size).toBe(1);
  });
});

describe("a transaction", () => {
  test("runs its effects in the step that makes its entries visible", async () => {
    const { store } = world();
    const memory = new Map<string, string>();
    const seen: string[] = [];
    const watcher = (async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn += 1) {
        seen.push(`${memory.get("k") ?? "none"} ${(await valueAt(store, "k")) ?? "none"}`);
      }
    })();
    await store.transaction(async (tx) => {
      tx.onCommit(() => {
        memory.set("k", "done");
      });
      await seed(store.bind(tx), "k", "done");
      for (let turn = 0; turn < 5; turn += 1) {
        await undefined;
      }
    });
    await watcher;
    // A read's value arrives after the map was looked at, so only this mixture may be seen.
    expect(new Set(seen)).not.toContain("done none");
    expect(seen).toContain("done done");
  });

  test("runs its effects in order, once, and not when it rolls back", async () => {
    const { store } = world();
    const effects: string[] = [];
    const failing = store.transaction(async (tx) => {
      tx.onCommit(() => effects.push("rolled back"));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await store.transaction(async (tx) => {
      tx.onCommit(() => effects.push("first"));
      tx.onCommit(() => effects.push("second"));
    });
    expect(effects).toEqual(["first", "second"]);
  });

  test("runs again when what it read has changed, and its effects run once", async () => {
    const { store } = world();
    await seed(store, "k", "0");
    let runs = 0;
    const effects: number[] = [];
    await store.transaction(async (tx) => {
      runs += 1;
      tx.onCommit(() => effects.push(runs));
      const { entry } = await store.bind(tx).read("k");
      if (runs === 1) {
        const next = { value: "1", ttlMs: "never" } as const;
        await store.write({ key: "k", opId: opId(0), expect: entry!.stamp, next });
      }
      await seed(store.bind(tx), "seen", entry!.value);
    });
    expect(runs).toBe(2);
    expect(effects).toEqual([2]);
    expect(await valueAt(store, "seen")).toBe("1");
  });

  test("runs again when an entry that it saw live has expired before the commit", async () => {
    const { runtime, store } = world();
    await seed(store, "k", "value", 1_000);
    const saw: boolean[] = [];
    await store.transaction(async (tx) => {
      saw.push((await store.bind(tx).read("k")).entry !== undefined);
      if (saw.length === 1) {
        runtime.jumpWall(1_000);
      }
    });
    expect(saw).toEqual([true, false]);
  });

  test("runs again when the clock stepped to and fro between two looks at a key", async () => {
    const { runtime, store } = world();
    await seed(store, "k", "value", 1_000);
    const outcomes: string[] = [];
    await store.transaction(async (tx) => {
      const bound = store.bind(tx);
      await bound.read("k");
      if (outcomes.length === 0) {
        runtime.jumpWall(2_000);
      }
      outcomes.push((await bound.write(create("k", "second"))).outcome);
      if (outcomes.length === 1) {
        runtime.jumpWall(-2_000);
      }
    });
    expect(outcomes).toEqual(["applied", "refused"]);
    expect(await valueAt(store, "k")).toBe("value");
  });

  test("that threw after it saw two states at once looks again", async () => {
    const { store } = world();
    const a = await seed(store, "a", "1");
    const b = await seed(store, "b", "1");
    let runs = 0;
    const result = await store.transaction(async (tx) => {
      runs += 1;
      const first = await valueAt(store.bind(tx), "a");
      if (runs === 1) {
        const next = { value: "2", ttlMs: "never" } as const;
        const writes = [
          { key: "a", expect: a, next },
          { key: "b", expect: b, next },
        ];
        await store.writeAll({ opId: opId(0), writes });
      }
      const second = await valueAt(store.bind(tx), "b");
      if (first !== second) {
        throw new Error("a and b are written together");
      }
      return first;
    });
    expect([runs, result]).toEqual([2, "2"]);
  });

  test("of three hundred that add one to the same entry none is lost or gives up", async () => {
    const { runtime, store } = world();
    await seed(store, "k", "0");
    let effects = 0;
    const increment = (): Promise<void> =>
      store.transaction(async (tx) => {
        const bound = store.bind(tx);
        const { entry } = await bound.read("k");
        const next = { value: String(Number(entry!.value) + 1), ttlMs: "never" } as const;
        ops += 1;
        await bound.write({ key: "k", opId: opId(ops), expect: entry!.stamp, next });
        tx.onCommit(() => {
          effects += 1;
        });
      });
    await runtime.run(Promise.all([...Array(300)].map(increment)));
    expect(await valueAt(store, "k")).toBe("300");
    expect(effects).toBe(300);
  });

  test("gives up with code contended when others win every round", async () => {
    const { runtime, store } = world();
    await seed(store, "k", "0");
    let runs = 0;
    const losing = store.transaction(async (tx) => {
      runs += 1;
      const { entry } = await store.bind(tx).read("k");
      ops += 1;
      const next = { touch: true, ttlMs: "never" } as const;
      await store.write({ key: "k", opId: opId(ops), expect: entry!.stamp, next });
    });
    await expect(runtime.run(losing)).rejects.toMatchObject({ code: "contended" });
    expect(runs).toBe(64);
  });

  test("that waits for another that lost a round does not hang", async () => {
    const { runtime, store } = world();
    await seed(store, "k", "0");
    let rounds = 0;
    const bump = async (): Promise<void> => {
      const { entry } = await store.read("k");
      ops += 1;
      const next = { touch: true, ttlMs: "never" } as const;
      await store.write({ key: "k", opId: opId(ops), expect: entry!.stamp, next });
    };
    const nested = store.transaction(async (outer) => {
      await store.bind(outer).read("k");
      rounds += 1;
      if (rounds === 1) {
        await bump();
      } else {
        let inner = 0;
        await store.transaction(async (tx) => {
          inner += 1;
          await store.bind(tx).read("other");
          if (inner === 1) {
            await seed(store, "other");
          }
        });
      }
    });
    await runtime.run(nested);
    expect(rounds).toBe(2);
  });

  test("whose effect throws or is asynchronous rejects and stores nothing", async () => {
    const { store } = world();
    const commit = (effect: () => void): Promise<void> =>
      store.transaction(async (tx) => {
        await seed(store.bind(tx), "k");
        tx.onCommit(effect);
      });
    const throwing = (): void => {
      throw new Error("the effect failed");
    };
    await expect(commit(throwing)).rejects.toThrow("the effect failed");
    await expect(commit(async () => {})).rejects.toMatchObject({ code: "optionInvalid" });
    expect(store.size).toBe(0);
    await seed(store, "k");
  });

  test("whose effect writes to the store is told so, and the write does nothing", async () => {
    const { store } = world();
    let inner: Promise<unknown> = Promise.resolve();
    await store.transaction(async (tx) => {
      tx.onCommit(() => {
        inner = store.write(create("inner"));
        inner.catch(() => {});
      });
    });
    await expect(inner).rejects.toThrow(/onCommit effect must not write/);
    expect(store.size).toBe(0);
  });

  test("can't be used after it has ended, nor by another store", async () => {
    const { store } = world();
    let kept: Parameters<MemoryStore["bind"]>[0] | undefined;
    await store.transaction(async (tx) => {
      kept = tx;
    });
    const bound = store.bind(kept!);
    await expect(bound.read("k")).rejects.toMatchObject({ code: "closed" });
    await expect(bound.write(create("k"))).rejects.toMatchObject({ code: "closed" });
    expect(() => kept!.onCommit(() => {})).toThrow(/has ended/);
    expect(() => world().store.bind(kept!)).toThrow(/not a transaction of this memory store/);
  });

  test("writes several keys with writeAll, and sees them", async () => {
    const { store } = world();
    await store.transaction(async (tx) => {
      const { expect: absent, next } = create("a");
      const bound = store.bind(tx);
      const writes = ["a", "b"].map((key) => ({ key, expect: absent, next }));
      expect(await bound.writeAll({ opId: opId(0), writes })).toMatchObject({ replayed: false });
      expect(await bound.writeAll({ opId: opId(0), writes })).toMatchObject({ replayed: true });
      expect(await valueAt(store, "b")).toBeUndefined();
    });
    expect(await valueAt(store, "b")).toBe("value");
  });
});

describe("a watch", () => {
  const isPending = async (promise: Promise<void>): Promise<boolean> => {
    let settled = false;
    void promise.then(() => {
      settled = true;
    });
    for (let turn = 0; turn < 10; turn += 1) {
      await undefined;
    }
    return !settled;
  };

  test("wakes on a write, a writeAll and a commit, and not on what changed nothing", async () => {
    const { store } = world();
    const { signal } = new AbortController();
    const watch = store.peer().watch("k", signal);
    await seed(store, "other");
    await store.read("k");
    expect(await isPending(watch)).toBe(true);
    const stamp = await seed(store, "k");
    await watch;

    const second = store.watch("k", signal);
    await store.write(create("k"));
    expect(await isPending(second)).toBe(true);
    const removal = { key: "k", expect: stamp, next: "removed" } as const;
    await store.writeAll({ opId: opId(0), writes: [removal] });
    await second;

    const third = store.watch("k", signal);
    await store.transaction(async (tx) => {
      await seed(store.bind(tx), "k");
      expect(await isPending(third)).toBe(true);
    });
    await third;
  });

  test("leaves no listener on its signal once it has settled", async () => {
    const { store } = world();
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    } as unknown as AbortSignal;
    const watch = store.watch("k", signal);
    expect(listeners.size).toBe(1);
    await seed(store, "k");
    await watch;
    expect(listeners.size).toBe(0);
  });

  test("settles when its own client closes, and goes on when another does", async () => {
    const { store } = world();
    const peer = store.peer();
    const mine = store.watch("k", new AbortController().signal);
    const others = peer.watch("k", new AbortController().signal);
    await store.close();
    await mine;
    expect(await isPending(others)).toBe(true);
    await peer.close();
    await others;
  });
});

describe("the memory store", () => {
  test("hands out no object through which its entries could be changed", async () => {
    const { store } = world();
    await seed(store, "k", "value", 60_000);
    const first = await store.read("k");
    Object.assign(first.entry!, { value: "altered", expiresAt: 0 });
    Object.assign(first.entry!.stamp, { revision: 0 });
    const { entry, revision } = await store.read("k");
    expect(entry).toMatchObject({ value: "value", stamp: { revision } });
  });

  test("refuses bad options before anything else", () => {
    for (const options of [
      { maxEntries: 0 },
      { maxEntries: 1.5 },
      { maxValueBytes: 2 ** 20 - 1 },
      { maxValueBytes: Number.NaN },
      { tombstoneMs: 0 },
      { tombstoneMs: Number.POSITIVE_INFINITY },
    ]) {
      expect(() => createMemoryStore(options), JSON.stringify(options)).toThrow(TypeError);
    }
  });

  test("declares what it is", () => {
    expect(createMemoryStore({ maxValueBytes: 2 ** 21 }).capabilities).toMatchObject({
      clock: "store",
      durability: "process",
      failoverMayLoseWrites: false,
      maxValueBytes: 2 ** 21,
      tombstoneMs: 300_000,
    });
  });

  test("bad arguments reject, they do not throw", async () => {
    const { store } = world();
    await expect(store.sweep({ limit: 0 })).rejects.toThrow(TypeError);
    await expect(store.watch("", new AbortController().signal)).rejects.toThrow(TypeError);
    await expect(store.transaction(undefined as never)).rejects.toThrow(TypeError);
  });
});
