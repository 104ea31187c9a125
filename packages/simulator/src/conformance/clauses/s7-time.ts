// S7: every reply carries the store's clock, in integer microseconds, and `writtenAt` lies between
// the write's arrival and its application.

import type { WriteResult } from "@onceproof/core/advanced";
import { applied, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";

function isTime(time: unknown, what: string): void {
  const valid = Number.isSafeInteger(time) && (time as number) > 0;
  check(valid, `${what} must be a positive safe integer of microseconds`, time ?? null);
}

/** What the answer is, is a matter of other clauses. */
function answered(result: WriteResult): { now: number } {
  check(result.outcome !== "unknown", "a write must be answered", result);
  return result;
}

export const s7: readonly CaseDefinition[] = [
  {
    id: "S7.1-now",
    law: "every reply carries the store's now",
    async run(lab) {
      let latest = await lab.now();
      const within = async ({ now }: { now?: number }, what: string): Promise<void> => {
        isTime(now, `the now of ${what}`);
        const after = await lab.now();
        const told = now as number;
        check(latest <= told, `the now of ${what} is ${latest - told} µs before it was sent`);
        check(told <= after, `the now of ${what} is ${told - after} µs after its answer`);
        latest = after;
      };
      await within(await lab.read("k"), "a read of an unused key");
      const write = lab.createWrite("k", "value", 60_000);
      await within(applied(await lab.store.write(write), "a create"), "a create");
      await within(answered(await lab.store.write(write)), "a replay");
      await within(answered(await lab.create("k")), "a refusal");
      const observation = await lab.read("k");
      await within(observation, "a read");
      const { entry } = observation;
      isTime(entry?.writtenAt, "writtenAt");
      isTime(entry?.expiresAt, "expiresAt");
      check(entry !== undefined, "the entry must be there");
      await within(await lab.remove("k", entry.stamp), "a removal");
      await within(await lab.read("k"), "a read of a removed key");
    },
  },
  {
    id: "S7.2-written-at",
    law: "writtenAt lies between the write's sending and its answer, in store time",
    async run(lab) {
      for (let round = 0; round < 10; round += 1) {
        const before = await lab.now();
        const { writtenAt } = await lab.seed(`k${round}`);
        const after = await lab.now();
        check(before <= writtenAt, `written ${before - writtenAt} µs before it was sent`);
        check(writtenAt <= after, `written ${writtenAt - after} µs after its answer`);
        await lab.pass(1);
      }
    },
  },
  {
    id: "S7.3-written-at-renewed",
    law: "every applied write has a writtenAt of its own, whatever its kind",
    async run(lab) {
      let { stamp } = await lab.seed("k");
      await lab.pass(20);
      let before = await lab.now();
      const touch = lab.stampedWrite("k", stamp, { touch: true, ttlMs: 60_000 });
      const touched = applied(await lab.store.write(touch), "the touch");
      check(touched.writtenAt >= before, "a touch's writtenAt is its own", touched);
      stamp = { revision: touched.revision, opId: touch.opId };
      for (const ttlMs of [60_000, "keep"] as const) {
        await lab.pass(20);
        before = await lab.now();
        const set = await lab.set("k", stamp, `for ${ttlMs}`, ttlMs);
        check(set.writtenAt >= before, "a compare-and-set's writtenAt is its own", set);
        same((await lab.read("k")).entry?.writtenAt, set.writtenAt, "the writtenAt read");
        ({ stamp } = set);
      }
      await lab.pass(20);
      before = await lab.now();
      const removed = await lab.remove("k", stamp);
      check(removed.writtenAt >= before, "a removal's writtenAt is its own", removed);
    },
  },
  {
    id: "S7.4-forward",
    law: "the store's now does not go back from reply to reply, on any client",
    async run(lab) {
      let latest = 0;
      for (let round = 0; round < 20; round += 1) {
        const { now } = await lab.client(round).read("k");
        check(now >= latest, `now went back by ${latest - now} µs`);
        latest = now;
      }
    },
  },
  {
    id: "S7.5-unit",
    law: "the store's now counts microseconds",
    async run(lab) {
      const before = await lab.now();
      await lab.pass(100);
      const passed = (await lab.now()) - before;
      // A wait may come late by much, and early by the coarseness of a clock.
      const hint =
        passed >= 80 && passed < 60_000
          ? ": does it count milliseconds? It must count microseconds"
          : "";
      const moved = `100 ms passed and the clock moved by ${passed}${hint}`;
      check(passed >= 80_000, moved);
      check(passed <= 60_000_000, moved);
    },
  },
  {
    id: "S7.6-step-back",
    law: "after the clock stepped back a write is written at the clock, though its revision is ahead of it",
    needs: ["stepBack"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.stepBack(lab.tombstoneMs / 2);
      const set = await lab.set("k", stamp, "second");
      const touch = lab.stampedWrite("k", set.stamp, { touch: true, ttlMs: "never" });
      const touched = applied(await lab.store.write(touch), "the touch");
      const { entry, now } = await lab.read("k");
      for (const { writtenAt } of [set, touched, { writtenAt: entry?.writtenAt ?? 0 }]) {
        check(writtenAt <= now, `written ${writtenAt - now} µs ahead of the clock`);
      }
    },
  },
];
