import { createMemoryStore, IndeterminateError, StoreError } from "@onceproof/core";
import type { AtomicStore, CreateWrite } from "@onceproof/core/advanced";
import {
  createFaultyMemoryStore,
  createFaultyStore,
  createVirtualRuntime,
  type FaultyMemoryStore,
  NO_FAULTS,
  type PlannedFault,
  type VirtualRuntime,
} from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import { opId } from "./op-id.ts";

const TIMEOUT_MS = 2_000;

function create(key: string, number: number, value = "v"): CreateWrite {
  return { key, opId: opId(number), expect: "absent", next: { value, ttlMs: "never" } };
}

interface World extends FaultyMemoryStore {
  readonly runtime: VirtualRuntime;
}

function world(plan: readonly PlannedFault[]): World {
  const runtime = createVirtualRuntime();
  const faulty = createFaultyMemoryStore({ runtime, plan, latencyMs: 0 });
  return Object.assign(faulty, { runtime });
}

describe("a planned fault", () => {
  test("a dropped request is unknown after the timeout and never applied", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "dropRequest" }]);
    expect(await runtime.run(store.write(create("k", 1)))).toMatchObject({ outcome: "unknown" });
    expect(runtime.monotonicNow()).toBe(TIMEOUT_MS);
    await runtime.advance(3_600_000);
    expect((await direct.read("k")).entry).toBeUndefined();
  });

  test("a dropped reply is unknown, applied, and found out by the same opId", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "dropReply" }]);
    expect(await runtime.run(store.write(create("k", 1)))).toMatchObject({ outcome: "unknown" });
    expect((await direct.read("k")).entry?.stamp.opId).toBe(opId(1));
    expect(await runtime.run(store.write(create("k", 1)))).toMatchObject({
      outcome: "applied",
      replayed: true,
    });
  });

  test("a late request applies after unknown was answered", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "deliverLate", afterMs: 5_000 }]);
    expect(await runtime.run(store.write(create("k", 1)))).toMatchObject({ outcome: "unknown" });
    expect((await direct.read("k")).entry).toBeUndefined();
    await runtime.advance(3_000);
    expect((await direct.read("k")).entry?.stamp.opId).toBe(opId(1));
  });

  test("a late duplicate of a create applies again once the key is absent again", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "duplicate", afterMs: 700 }]);
    const first = await runtime.run(store.write(create("k", 1)));
    expect(first).toMatchObject({ outcome: "applied", replayed: false });
    const { entry } = await direct.read("k");
    await direct.write({ key: "k", opId: opId(2), expect: entry!.stamp, next: "removed" });
    await runtime.advance(699);
    expect((await direct.read("k")).entry).toBeUndefined();
    await runtime.advance(1);
    expect((await direct.read("k")).entry?.stamp.opId).toBe(opId(1));
  });

  test("a delay within the timeout only costs time, beyond it the answer is unknown", async () => {
    const { runtime, store, direct } = world([
      { call: 1, fault: "delay", requestMs: 400, replyMs: 500 },
      { call: 2, fault: "delay", requestMs: 100, replyMs: 1_950 },
    ]);
    expect(await runtime.run(store.write(create("a", 1)))).toMatchObject({ outcome: "applied" });
    expect(runtime.monotonicNow()).toBe(900);
    expect(await runtime.run(store.write(create("b", 2)))).toMatchObject({ outcome: "unknown" });
    expect(runtime.monotonicNow()).toBe(900 + TIMEOUT_MS);
    expect((await direct.read("b")).entry).toBeDefined();
  });

  test("a refused connection throws at once and applies nothing", async () => {
    const { store, direct } = world([{ call: 1, fault: "unavailable" }]);
    await expect(store.write(create("k", 1))).rejects.toMatchObject({ code: "unavailable" });
    expect(await direct.read("k")).not.toHaveProperty("entry");
  });

  test.each(["dropRequest", "dropReply", "unavailable"] as const)(
    "a read that meets %s throws StoreError unavailable",
    async (fault) => {
      const { runtime, store } = world([{ call: 1, fault }]);
      await expect(runtime.run(store.read("k"))).rejects.toSatisfy(
        (error) => error instanceof StoreError && error.code === "unavailable",
      );
    },
  );

  test("a clock offset moves the store's clock and not the client's", async () => {
    const { runtime, store } = world([{ call: 2, fault: "clockOffset", offsetMs: -60_000 }]);
    const before = (await store.read("k")).now;
    expect((await store.read("k")).now).toBe(before - 60_000_000);
    expect(before).toBe(runtime.wallNow() * 1000);
  });

  test("a transaction whose commit is lost rolls back, one whose reply is lost stays", async () => {
    const { runtime, store, direct } = world([
      { call: 1, fault: "dropRequest" },
      { call: 2, fault: "dropReply" },
    ]);
    const put = (key: string, number: number): Promise<void> =>
      store.transaction(async (tx) => {
        await store.bind(tx).write(create(key, number));
      });
    await expect(runtime.run(put("a", 1))).rejects.toThrow(IndeterminateError);
    await expect(runtime.run(put("b", 2))).rejects.toThrow(IndeterminateError);
    expect((await direct.read("a")).entry).toBeUndefined();
    expect((await direct.read("b")).entry).toBeDefined();
  });

  test("strikes writeAll as a whole", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "dropReply" }]);
    const { key, expect: absent, next } = create("a", 1);
    const all = {
      opId: opId(1),
      writes: [
        { key, expect: absent, next },
        { key: "b", expect: absent, next },
      ],
    };
    expect(await runtime.run(store.writeAll(all))).toMatchObject({ outcome: "unknown" });
    expect((await direct.read("b")).entry).toBeDefined();
    expect(await runtime.run(store.writeAll(all))).toMatchObject({ replayed: true });
  });
});

/** A workload with races, whose answers depend on everything that goes wrong. */
async function transcript(store: AtomicStore): Promise<string[]> {
  const lines: string[] = [];
  const worker = async (id: number): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      const write = create(`k${(id + round) % 3}`, id * 100 + round);
      const result = await store.write(write).catch((error: StoreError) => ({
        outcome: error.code,
      }));
      lines.push(`${id}.${round} ${JSON.stringify(result)}`);
      const seen = await store.read(write.key).catch((error: StoreError) => error.code);
      lines.push(`${id}.${round} ${JSON.stringify(seen)}`);
    }
  };
  await Promise.all([1, 2, 3].map(worker));
  return lines;
}

describe("drawn faults", () => {
  const run = async (
    seed: number,
    plan?: readonly PlannedFault[],
  ): Promise<{ lines: string[]; struck: readonly PlannedFault[] }> => {
    const runtime = createVirtualRuntime({ seed });
    const options = plan === undefined ? {} : { plan };
    const faulty = createFaultyMemoryStore({ runtime, seed, ...options });
    const lines = await runtime.run(transcript(faulty.store));
    return { lines, struck: faulty.struck };
  };

  test("repeat with the seed and differ between seeds", async () => {
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect((await run(2)).lines).not.toEqual(first.lines);
  });

  test("repeat when what struck is handed in as the plan", async () => {
    const first = await run(3);
    expect(await run(3, first.struck)).toEqual(first);
  });

  test("every kind strikes within a few hundred calls", async () => {
    const runs = await Promise.all([4, 5, 6].map((seed) => run(seed)));
    const kinds = new Set(runs.flatMap(({ struck }) => struck.map(({ fault }) => fault)));
    expect([...kinds].sort()).toEqual([
      "clockOffset",
      "delay",
      "deliverLate",
      "dropReply",
      "dropRequest",
      "duplicate",
      "unavailable",
    ]);
  });

  test("stop after heal, while what is on its way still arrives", async () => {
    const runtime = createVirtualRuntime();
    const rates = { ...NO_FAULTS, deliverLate: 1 };
    const faulty = createFaultyMemoryStore({ runtime, rates });
    await runtime.run(faulty.store.write(create("a", 1)));
    faulty.heal();
    expect(faulty.inFlight).toBe(1);
    expect(await runtime.run(faulty.store.write(create("b", 2)))).toMatchObject({
      outcome: "applied",
    });
    await runtime.advance(3_600_000);
    expect(faulty.inFlight).toBe(0);
    expect((await faulty.direct.read("a")).entry).toBeDefined();
  });
});

describe("a faulty store without faults", () => {
  test("needs no timer to settle", async () => {
    const runtime = createVirtualRuntime();
    const { store } = createFaultyMemoryStore({ runtime, rates: NO_FAULTS, latencyMs: 0 });
    expect(await store.write(create("k", 1))).toMatchObject({ outcome: "applied" });
    expect(runtime.pendingTimers).toBe(0);
  });

  test("offers the capabilities of the store behind it and no others", () => {
    const runtime = createVirtualRuntime();
    const { capabilities, read, write, close } = createMemoryStore({ runtime });
    const plain: AtomicStore = { capabilities, read, write, close };
    const { store } = createFaultyStore(plain, { runtime });
    expect((store as { writeAll?: unknown }).writeAll).toBeUndefined();
    expect("watch" in store).toBe(false);
  });

  test("after close its calls fail, and requests on their way still arrive", async () => {
    const { runtime, store, direct } = world([{ call: 1, fault: "deliverLate", afterMs: 5_000 }]);
    await runtime.run(store.write(create("k", 1)));
    await store.close();
    await expect(store.read("k")).rejects.toMatchObject({ code: "closed" });
    await runtime.advance(5_000);
    expect((await direct.read("k")).entry).toBeDefined();
  });

  test("bad arguments are refused before anything is sent", async () => {
    const runtime = createVirtualRuntime();
    const faulty = createFaultyMemoryStore({ runtime });
    await expect(faulty.store.read("")).rejects.toMatchObject({ code: "keyEmpty" });
    await expect(faulty.store.write({ ...create("k", 1), opId: "short" })).rejects.toThrow(
      TypeError,
    );
    expect(faulty.calls).toBe(0);
  });
});
