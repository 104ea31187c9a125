// Dedup, lock and histories of appends on every dialect and driver: an effect happens once and every
// caller gets its result, holders never overlap and their tokens increase, and what a store told of
// a write is true, also while messages are lost and the server is killed.
import { setTimeout as sleep } from "node:timers/promises";
import {
  appendFromAll,
  judgeAppends,
  missing,
  newOpId,
  raceDedup,
  raceLock,
} from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arms, type RunningArm } from "./support/arms.js";

const CALLERS = 48;
const STORES = 6;

describe.each(arms)("on $name", ({ server, start }) => {
  describe.skipIf(server !== undefined && missing(server))("the algorithms", () => {
    let arm: RunningArm;
    beforeAll(async () => {
      arm = await start();
    });
    afterAll(() => arm.stop());

    /** Kills the server once, where there is one. */
    const killed = async (afterMs: number): Promise<void> => {
      await sleep(afterMs);
      await arm.restart?.();
    };

    test("of many callers one runs, and all get its result", async () => {
      const stores = await arm.open(STORES, true);
      const lift = arm.loseSome?.();
      const race = { key: newOpId(), callers: CALLERS, workMs: 60 };
      const { effects, values } = await raceDedup(stores, race);
      lift?.();
      expect(effects).toBe(1);
      expect(values).toEqual(Array(CALLERS).fill(values[0]));
    });

    test("the same while the server is killed between effect and record", async () => {
      const stores = await arm.open(STORES);
      const race = { key: newOpId(), callers: CALLERS, workMs: 300 };
      const [{ effects, values }] = await Promise.all([raceDedup(stores, race), killed(200)]);
      expect(effects).toBe(1);
      expect(values).toEqual(Array(CALLERS).fill(values[0]));
    });

    test("holders never overlap, and their tokens increase", async () => {
      const stores = await arm.open(STORES, true);
      const lift = arm.loseSome?.();
      const race = { resource: newOpId(), contenders: 16, workMs: 2, leaseMs: 3000 };
      const { tokens, overlaps } = await raceLock(stores, race);
      lift?.();
      expect(overlaps).toBe(0);
      expect(tokens.length).toBeGreaterThanOrEqual(16);
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    });

    test("every answer is true while messages are lost and the server is killed", async () => {
      const stores = await arm.open(STORES, true);
      const lift = arm.loseSome?.();
      const key = newOpId();
      const [log] = await Promise.all([appendFromAll(stores, { key, each: 8 }), killed(300)]);
      lift?.();
      expect(log.applied.size).toBeGreaterThan(0);
      const [judge] = await arm.open(1);
      expect(judge && (await judgeAppends(judge, key, log))).toEqual([]);
    });
  });
});
