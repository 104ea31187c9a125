// The algorithms on every dialect and driver: all seven in drawn programs while messages are lost,
// dedup and histories of appends while the server is killed.
import { setTimeout as sleep } from "node:timers/promises";
import { appendFromAll, judgeAppends, missing, newOpId, raceDedup } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Passage } from "../../simulator/test/support/live/place.js";
import { registerProperties } from "../../simulator/test/support/live/register-properties.js";
import { arms, type RunningArm } from "./support/arms.js";

const CALLERS = 48;
const STORES = 6;
/** Of each property; they run side by side. */
const STORES_OF_PROPERTY = 3;

/** Loses every seventh request or its reply, in turn. */
function* everySeventh(): Generator<Passage> {
  for (let request = 1; ; request += 1) {
    yield request % 7 !== 0 ? "pass" : request % 2 === 0 ? "loseReply" : "loseRequest";
  }
}

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

    registerProperties(() => arm.place(STORES_OF_PROPERTY));

    test("of many callers one runs, and all get its result, though the server is killed between effect and record", async () => {
      const stores = await arm.open(STORES);
      const race = { key: newOpId(), callers: CALLERS, workMs: 300 };
      const [{ effects, values }] = await Promise.all([raceDedup(stores, race), killed(200)]);
      expect(effects).toBe(1);
      expect(values).toEqual(Array(CALLERS).fill(values[0]));
    });

    test("every answer is true while messages are lost and the server is killed", async () => {
      const { stores, lose, close } = await arm.place(STORES);
      const lift = lose?.(everySeventh());
      const key = newOpId();
      const [log] = await Promise.all([appendFromAll(stores, { key, each: 8 }), killed(300)]);
      lift?.();
      await close();
      expect(log.applied.size).toBeGreaterThan(0);
      const [judge] = await arm.open(1);
      expect(judge && (await judgeAppends(judge, key, log))).toEqual([]);
    });
  });
});
