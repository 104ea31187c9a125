// The clock of a real server jumps by an hour and back: the clauses about time hold as worded, and
// beyond the tombstone time what the words leave open is really lost.

import { createDedup, createLock, createTokens } from "@onceproof/core";
import type { AtomicStore, CreateWrite, Stamp } from "@onceproof/core/advanced";
import {
  type ConformanceFixture,
  type ConformanceHarness,
  type Need,
  storeConformance,
} from "@onceproof/simulator/conformance";
import { missing, newOpId } from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ChaosServer } from "../src/stores/store-kind.js";
import { storeKinds } from "../src/stores/store-kinds.js";

const HOUR_MS = 3_600_000;
const HAVE: readonly Need[] = ["peer", "otherNamespace", "advance", "stepBack"];

/** The clauses about time, and every other case that moves the clock. */
function registerTimeCases(create: ConformanceHarness["create"]): void {
  for (const { title, clause, needs, run } of storeConformance({ create })) {
    const aboutTime = ["S2", "S3", "S7"].includes(clause) || needs.includes("advance");
    if (aboutTime && needs.every((need) => HAVE.includes(need))) test(title, () => run());
  }
}

const withClock = storeKinds.filter(({ without }) => !without.includes("jump"));

describe.each(withClock)("on a real $name whose clock jumps", (kind) => {
  const reason = kind.missing() ?? missing("clock-shim");
  describe.skipIf(reason)(reason ?? "", () => {
    let running: ChaosServer;
    let spaces = 0;
    const opened: { close(): Promise<void> }[] = [];
    beforeAll(async () => {
      running = await kind.start({ clock: true });
    });
    const closeAll = async (): Promise<void> => {
      await Promise.all(opened.splice(0).map(({ close }) => close()));
    };
    afterEach(closeAll);
    afterAll(() => running.stop());
    const jump = (byMs: number): void => running.clock?.jumpClock(byMs);

    async function newSpace(): Promise<string> {
      spaces += 1;
      await running.prepare(`jumps ${spaces}`);
      return `jumps ${spaces}`;
    }
    async function open(space: string, tombstoneMs: number, client = 0): Promise<AtomicStore> {
      const { place } = running;
      const options = { place, space, tombstoneMs, operationTimeoutMs: 2_000 };
      const store = await kind.open(kind.clients[client] as string, options);
      opened.push(store);
      return store.store;
    }

    // The cases step back by 0.9 of the tombstone time: with the second one by more than an hour.
    describe.each([300_000, 1.2 * HOUR_MS])("and that remembers for %i ms", (tombstoneMs) => {
      registerTimeCases(async (): Promise<ConformanceFixture> => {
        const space = await newSpace();
        return {
          store: await open(space, tombstoneMs),
          peer: await open(space, tombstoneMs, 1),
          otherNamespace: await open(await newSpace(), tombstoneMs),
          advance: async (byMs) => jump(byMs),
          stepBack: async (byMs) => jump(-byMs),
          // A server takes only so many connections, and there are many cases.
          close: closeAll,
        };
      });
    });

    const create = (key: string): CreateWrite => {
      const next = { value: "value", ttlMs: "never" } as const;
      return { key, opId: newOpId(), expect: "absent", next };
    };

    /** Creates and removes, lets the clock go on and back, creates again: both revisions. */
    async function acrossJump(store: AtomicStore, aheadMs: number): Promise<[number, number]> {
      const write = create("key");
      const made = await store.write(write);
      if (made.outcome !== "applied") throw new Error(`the create was ${made.outcome}`);
      const expected: Stamp = { revision: made.revision, opId: write.opId };
      const gone = await store.write({
        key: "key",
        opId: newOpId(),
        expect: expected,
        next: "removed",
      });
      jump(aheadMs);
      await store.read("key");
      await store.write(create("another key"));
      jump(-aheadMs - HOUR_MS);
      const again = await store.write(create("key"));
      jump(HOUR_MS);
      if (gone.outcome !== "applied" || again.outcome !== "applied") throw new Error("refused");
      return [gone.revision, again.revision];
    }

    test("S3 holds over an hour back within the tombstone time", async () => {
      const store = await open(await newSpace(), 1.2 * HOUR_MS);
      const [before, after] = await acrossJump(store, HOUR_MS);
      expect(after).toBeGreaterThan(before);
    });

    test("S3 also holds over an hour back beyond it while the key is not forgotten", async () => {
      const store = await open(await newSpace(), 300_000);
      const [before, after] = await acrossJump(store, 0);
      expect(after).toBeGreaterThan(before);
    });

    test("beyond it, a key that was forgotten meanwhile may get an older revision", async () => {
      const store = await open(await newSpace(), 300_000);
      const [before, after] = await acrossJump(store, HOUR_MS);
      // A store may remember longer than it says: Redis forgets in time, Postgres when it is swept.
      if (kind.name === "redis") expect(after).toBeLessThan(before);
      else expect(after).toBeGreaterThan(before);
    });

    describe.each([HOUR_MS, -HOUR_MS])("by %i ms in the middle", (byMs) => {
      // Twice what the clock goes back by, as it goes there and back again.
      const space = async (): Promise<[AtomicStore, AtomicStore]> => {
        const name = await newSpace();
        return [await open(name, 3 * HOUR_MS), await open(name, 3 * HOUR_MS, 1)];
      };

      test("a recorded outcome is everyone's, before and after", async () => {
        const stores = await space();
        const [first, second] = stores.map((store) =>
          createDedup({ store, name: "d", onCrash: "park" }),
        );
        let effects = 0;
        const handler = async (): Promise<string> => {
          effects += 1;
          jump(byMs);
          return `run ${effects}`;
        };
        expect(await first?.run("key", handler)).toBe("run 1");
        expect(await second?.run("key", handler)).toBe("run 1");
        jump(-byMs);
        expect(await second?.run("key", handler)).toBe("run 1");
        expect(effects).toBe(1);
      });

      test("the token of a later holder is greater", async () => {
        const stores = await space();
        const [first, second] = stores.map((store) => createLock({ store, name: "l", waitMs: 0 }));
        const old = await first?.acquire("resource");
        jump(byMs);
        const next = await second?.tryAcquire("resource");
        // Ahead, the store's clock has ended the lease; back, it has not.
        expect(next?.outcome).toBe(byMs > 0 ? "acquired" : "held");
        const token = next?.outcome === "acquired" ? next.lock.token : (old?.token ?? 0);
        if (next?.outcome === "acquired") expect(token).toBeGreaterThan(old?.token ?? Infinity);
        expect(await old?.release()).toBe(byMs > 0 ? "lost" : "released");
        if (next?.outcome === "acquired") await next.lock.release();
        jump(-byMs);
        const last = await first?.acquire("resource");
        expect(last?.token).toBeGreaterThan(token);
        await last?.release();
      });

      test("a token is consumed by one request", async () => {
        const stores = await space();
        const [first, second] = stores.map((store) => createTokens({ store, name: "t" }));
        const token = (await first?.issue("subject")) ?? "";
        const unused = (await first?.issue("subject")) ?? "";
        const ask = (by: typeof first, requestId: string): unknown =>
          by?.consume(token, "subject", { requestId });
        expect(await ask(first, "a")).toEqual({ outcome: "consumed", replayed: false });
        jump(byMs);
        expect(await ask(second, "b")).toEqual({ outcome: "used" });
        expect(await ask(second, "a")).toEqual({ outcome: "consumed", replayed: true });
        // A token that nobody has used ends with its time, by the store's clock.
        const late = await second?.consume(unused, "subject", { requestId: "late" });
        expect(late?.outcome).toBe(byMs > 0 ? "invalid" : "consumed");
        jump(-byMs);
        expect(await ask(first, "b")).toEqual({ outcome: "used" });
      });
    });
  });
});
