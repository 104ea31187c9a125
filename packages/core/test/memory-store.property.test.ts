import { createMemoryStore, type MemoryStore, type MemoryTransaction } from "@onceproof/core";
import type { AtomicStore, Stamp, Ttl, Write, WriteAll } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { opId } from "./support/op-id.ts";
import { propertyRuns } from "./support/property-runs.ts";
import { StoreModel } from "./support/store-model.ts";

// Times are few and close, so that expiry, forgetting and steps of the clock meet.
const TOMBSTONE_MS = 20;
const KEYS = ["a", "b"] as const;

const key = fc.constantFrom(...KEYS);
const ttl = fc.constantFrom<Ttl[]>(0.001, 1, 5, 5.0004, 20, 50, "never");
const value = fc.constantFrom("", "x", "y");
/** Which stamp a write expects: the latest that was told, an older one, or one that never was. */
const aim = fc.constantFrom("latest", "latest", "latest", "older", "otherOpId", "otherRevision");
const create = fc.record({
  kind: fc.constant("create" as const),
  key,
  /** Undefined for `absent`; else absentSince, by its distance from the latest revision. */
  since: fc.constantFrom(undefined, undefined, -1, 0, 1, Number.NEGATIVE_INFINITY),
  value,
  ttl,
});
const stamped = fc.record({
  kind: fc.constant("stamped" as const),
  key,
  aim,
  next: fc.oneof(
    fc.constant("removed" as const),
    fc.record({ touch: fc.constant(true as const), ttlMs: ttl }),
    fc.record({ value, ttlMs: fc.oneof(ttl, fc.constant("keep" as const)) }),
  ),
});
const step = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 5, arbitrary: stamped },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("again" as const),
      back: fc.constantFrom(0, 0, 0, 1, 1, 2, 4),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("all" as const),
      first: fc.oneof(create, stamped),
      second: fc.oneof(create, stamped),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("read" as const), key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      byMs: fc.constantFrom(
        0.001,
        0.999,
        1,
        4,
        5,
        15,
        19.999,
        20,
        20.001,
        50,
        -0.001,
        -1,
        -10,
        -30,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type OneWrite = Extract<Step, { kind: "create" | "stamped" }>;

/** Turns steps into writes, with the stamps that the store has told so far. */
class Script {
  readonly sent: (Write | WriteAll)[] = [];
  readonly #stamps: Record<string, Stamp[]> = { a: [], b: [] };
  #ops = 0;

  told(of: string, stamp: Stamp): void {
    this.#stamps[of]?.push(stamp);
  }

  nextOpId(): string {
    this.#ops += 1;
    return opId(this.#ops);
  }

  write(wanted: OneWrite, op: string): Write {
    const stamps = this.#stamps[wanted.key] ?? [];
    const latest = stamps.at(-1) ?? { revision: 1, opId: opId(0) };
    if (wanted.kind === "create") {
      const { since, value: text, ttl: ttlMs } = wanted;
      const absentSince = Math.max(0, latest.revision + (since ?? 0));
      const expected = since === undefined ? ("absent" as const) : { absentSince };
      return { key: wanted.key, opId: op, expect: expected, next: { value: text, ttlMs } };
    }
    const aims = {
      latest,
      older: stamps.at(-2) ?? latest,
      otherOpId: { ...latest, opId: opId(0) },
      otherRevision: { ...latest, revision: latest.revision + 1 },
    };
    const expected = aims[wanted.aim as keyof typeof aims];
    return { key: wanted.key, opId: op, expect: expected, next: wanted.next };
  }
}

test("S0 to S5: any sequence of writes and clock steps agrees with the clauses", async () => {
  const runs = propertyRuns(1_000);
  let applied = 0;
  let refused = 0;
  let replayed = 0;
  let forgotten = 0;
  const run = async (steps: readonly Step[]): Promise<void> => {
    const runtime = createVirtualRuntime();
    const store = createMemoryStore({ runtime, tombstoneMs: TOMBSTONE_MS });
    const model = new StoreModel(TOMBSTONE_MS);
    const script = new Script();
    const clock = (): number => Math.round(runtime.wallNow() * 1000);

    const agree = <R>(
      actual: R,
      possibilities: readonly { answer: R; state: Parameters<StoreModel["goOn"]>[0] }[],
    ): void => {
      const match =
        possibilities.find(
          ({ answer }) => JSON.stringify(sorted(answer)) === JSON.stringify(sorted(actual)),
        ) ?? possibilities[0]!;
      forgotten += possibilities.length - 1;
      expect(actual).toEqual(match.answer);
      model.goOn(match.state, clock());
    };
    const send = async (write: Write): Promise<void> => {
      const result = await store.write(write);
      agree(result, model.write(write, clock()));
      if (result.outcome === "applied") {
        script.told(write.key, { revision: result.revision, opId: write.opId });
        applied += 1;
        replayed += result.replayed ? 1 : 0;
      } else {
        refused += 1;
      }
    };
    const sendAll = async (all: WriteAll): Promise<void> => {
      const result = await store.writeAll(all);
      agree(result, model.writeAll(all, clock()));
      if (result.outcome === "applied") {
        for (const [index, write] of all.writes.entries()) {
          script.told(write.key, { revision: result.revisions[index] ?? 0, opId: all.opId });
        }
      }
    };

    for (const wanted of steps) {
      switch (wanted.kind) {
        case "clock":
          runtime.jumpWall(wanted.byMs);
          break;
        case "read":
          agree(await store.read(wanted.key), model.read(wanted.key, clock()));
          break;
        case "sweep":
          await store.sweep({ limit: 100 });
          model.tick(clock());
          break;
        case "again": {
          const again = script.sent.at(-1 - wanted.back);
          if (again !== undefined) {
            await ("writes" in again ? sendAll(again) : send(again));
          }
          break;
        }
        case "all": {
          const op = script.nextOpId();
          const first = script.write({ ...wanted.first, key: "a" }, op);
          const second = script.write({ ...wanted.second, key: "b" }, op);
          const all = { opId: op, writes: [first, second] };
          script.sent.push(all);
          await sendAll(all);
          break;
        }
        default: {
          const write = script.write(wanted, script.nextOpId());
          script.sent.push(write);
          await send(write);
        }
      }
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), run), {
    ...runs,
  });
  // The sequences must reach what they are there for.
  expect(Math.min(applied, refused, replayed)).toBeGreaterThan(runs.numRuns / 10);
  expect(forgotten).toBeGreaterThan(runs.numRuns / 100);
});

/** The same data, whatever the order of its properties. */
function sorted(data: unknown): unknown {
  return typeof data === "object" && data !== null && !Array.isArray(data)
    ? Object.fromEntries(
        Object.entries(data)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, inner]) => [name, sorted(inner)]),
      )
    : data;
}

const account = fc.nat(2);
const transferPlan = fc.record({
  from: account,
  to: account,
  amount: fc.integer({ min: 1, max: 5 }),
  /** How many turns of the microtask queue pass before each of its calls. */
  pauses: fc.array(fc.nat(4), { minLength: 4, maxLength: 4 }),
  how: fc.constantFrom("transaction", "transaction", "plain", "rolledBack"),
});

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await undefined;
  }
}

test("interleaved transactions and plain writes are serializable, their effects with them", async () => {
  const run = async (
    plans: readonly (typeof transferPlan extends fc.Arbitrary<infer P> ? P : never)[],
  ): Promise<void> => {
    const runtime = createVirtualRuntime();
    const store = createMemoryStore({ runtime });
    const mirror = [10, 10, 10];
    let ops = 0;
    const nextOpId = (): string => {
      ops += 1;
      return opId(ops);
    };
    for (const index of [0, 1, 2]) {
      const next = { value: "10", ttlMs: "never" } as const;
      await store.write({ key: `k${index}`, opId: nextOpId(), expect: "absent", next });
    }

    const move = async (
      target: AtomicStore,
      { from, to, amount, pauses }: (typeof plans)[number],
    ): Promise<number> => {
      const change = async (index: number, by: number, pauseIndex: number): Promise<void> => {
        await pause(pauses[pauseIndex] ?? 0);
        const { entry } = await target.read(`k${index}`);
        await pause(pauses[pauseIndex + 1] ?? 0);
        const next = { value: String(Number(entry!.value) + by), ttlMs: "never" } as const;
        const write = { key: `k${index}`, opId: nextOpId(), expect: entry!.stamp, next };
        const { outcome } = await target.write(write);
        if (outcome !== "applied") {
          throw new Error("lost the round");
        }
      };
      await change(from, -amount, 0);
      await change(to, amount, 2);
      return amount;
    };
    const mirrored = (tx: MemoryTransaction, { from, to, amount }: (typeof plans)[number]): void =>
      tx.onCommit(() => {
        mirror[from]! -= amount;
        mirror[to]! += amount;
      });
    const perform = async (plan: (typeof plans)[number]): Promise<void> => {
      if (plan.how === "plain") {
        // A plain write of one account, which every transaction that read it has to notice.
        const { entry } = await store.read(`k${plan.from}`);
        await pause(plan.pauses[0] ?? 0);
        const next = { touch: true, ttlMs: "never" } as const;
        const write = { key: `k${plan.from}`, opId: nextOpId(), expect: entry!.stamp, next };
        await store.write(write);
        return;
      }
      const attempt = store.transaction(async (tx) => {
        mirrored(tx, plan);
        await move(store.bind(tx), plan);
        if (plan.how === "rolledBack") {
          throw new Error("rolled back");
        }
      });
      await (plan.how === "rolledBack" ? expect(attempt).rejects.toThrow("rolled back") : attempt);
    };

    await runtime.run(Promise.all(plans.map(perform)));
    const balances = await balancesOf(store);
    const expected = [10, 10, 10];
    for (const { from, to, amount } of plans.filter(({ how }) => how === "transaction")) {
      expected[from]! -= amount;
      expected[to]! += amount;
    }
    expect(balances).toEqual(expected);
    expect(mirror).toEqual(expected);
  };
  await fc.assert(fc.asyncProperty(fc.array(transferPlan, { maxLength: 12 }), run), {
    ...propertyRuns(300),
  });
});

async function balancesOf(store: MemoryStore): Promise<number[]> {
  const entries = await Promise.all([0, 1, 2].map((index) => store.read(`k${index}`)));
  return entries.map(({ entry }) => Number(entry?.value));
}
