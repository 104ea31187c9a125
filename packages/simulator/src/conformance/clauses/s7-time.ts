// S7: every reply carries the store's clock, in integer microseconds, and `writtenAt` lies between
// the write's arrival and its application.

import { applied, check, refused } from "../checks.js";
import type { CaseDefinition } from "../definition.js";

function isTime(time: unknown, what: string): void {
  const valid = Number.isSafeInteger(time) && (time as number) > 0;
  check(valid, `${what} must be a positive safe integer of microseconds`, time ?? null);
}

export const s7: readonly CaseDefinition[] = [
  {
    id: "S7.1-now",
    law: "every reply carries the store's now",
    async run(lab) {
      isTime((await lab.read("k")).now, "the now of a read of an unused key");
      const write = lab.createWrite("k", "value", 60_000);
      isTime(applied(await lab.store.write(write), "a create").now, "the now of a create");
      isTime(applied(await lab.store.write(write), "a replay").now, "the now of a replay");
      isTime(refused(await lab.create("k"), "a refused create").now, "the now of a refusal");
      const { entry, now } = await lab.read("k");
      isTime(now, "the now of a read");
      isTime(entry?.writtenAt, "writtenAt");
      isTime(entry?.expiresAt, "expiresAt");
      check(entry !== undefined, "the entry must be there");
      isTime((await lab.remove("k", entry.stamp)).now, "the now of a removal");
      isTime((await lab.read("k")).now, "the now of a read of a removed key");
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
    law: "every applied write has a writtenAt of its own, removals and touches included",
    async run(lab) {
      let { stamp } = await lab.seed("k");
      await lab.pass(20);
      let before = await lab.now();
      const touch = lab.stampedWrite("k", stamp, { touch: true, ttlMs: 60_000 });
      const touched = applied(await lab.store.write(touch), "the touch");
      check(touched.writtenAt >= before, "a touch's writtenAt is its own", touched);
      stamp = { revision: touched.revision, opId: touch.opId };
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
      check(passed >= 80_000, `100 ms passed and the clock moved by ${passed}`);
      check(passed <= 60_000_000, `100 ms passed and the clock moved by ${passed}`);
    },
  },
];
