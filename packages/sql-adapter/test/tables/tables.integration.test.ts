// The helpers for the user's own tables on every dialect and driver.
import { missing } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import type { RunningArm } from "./arm.js";
import { arms, stopServers } from "./arms.js";
import { fencedUpdateCases } from "./fenced-update.cases.js";
import { insertOnceCases } from "./insert-once.cases.js";
import { lockRowCases } from "./lock-row.cases.js";
import { transitionRowCases } from "./transition-row.cases.js";
import { updateVersionedCases } from "./update-versioned.cases.js";

afterAll(stopServers);

describe.each(arms)("on $name", ({ server, start }) => {
  describe.skipIf(server !== undefined && missing(server))("", () => {
    let running: RunningArm;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running.stop());
    const arm = (): RunningArm => running;

    describe("insertOnce", () => insertOnceCases(arm));
    describe("transitionRow", () => transitionRowCases(arm));
    describe("updateVersioned", () => updateVersionedCases(arm));
    describe("fencedUpdate", () => fencedUpdateCases(arm));
    describe("lockRow", () => lockRowCases(arm));
  });
});
