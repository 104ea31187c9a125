// Dedup: one outcome per key, for concurrent and for later callers.
import { failsWith, holds, same } from "../expect.mjs";

const payments = (core) =>
  core.createDedup({ store: core.createMemoryStore(), name: "pay", onCrash: "park" });

export const dedupCases = [
  {
    title: "dedup: concurrent callers of one key run once and get one value",
    async run(core) {
      const dedup = payments(core);
      let runs = 0;
      const charge = async () => ({ charge: ++runs });
      const values = await Promise.all([1, 2, 3, 4, 5].map(() => dedup.run("order-1", charge)));
      same(runs, 1, "runs");
      for (const value of values) same(value, { charge: 1 });
    },
  },
  {
    title: "dedup: a later caller gets a value deep-equal to the first",
    async run(core) {
      const dedup = payments(core);
      await dedup.run("order-2", () => ({
        at: new Date(1234),
        big: 2n ** 70n,
        bytes: new Uint8Array([0, 255]),
        map: new Map([["a", new Set([Number.NaN, -0])]]),
        nothing: undefined,
      }));
      const value = await dedup.run("order-2", () => "never");
      same([value.at.getTime(), String(value.big)], [1234, String(2n ** 70n)]);
      same(Array.from(value.bytes), [0, 255]);
      holds(value.map.get("a").has(Number.NaN), "NaN in a set in a map");
      holds("nothing" in value && value.nothing === undefined, "a field that is undefined");
    },
  },
  {
    title: "dedup: another payload under the same key is a mismatch, whatever the field order",
    async run(core) {
      const dedup = payments(core);
      const call = (fingerprint) => dedup.run("order-3", () => "charged", { fingerprint });
      await call({ amount: 100, currency: "EUR" });
      same(await call({ currency: "EUR", amount: 100 }), "charged");
      await failsWith("mismatch", () => call({ amount: 200, currency: "EUR" }));
    },
  },
  {
    title: "dedup: a bad key is refused with a code, and nothing runs",
    async run(core) {
      const dedup = payments(core);
      let runs = 0;
      const handler = () => ++runs;
      await failsWith("keyEmpty", () => dedup.run("", handler));
      await failsWith("keyNotWellFormed", () => dedup.run("\ud800", handler));
      same(runs, 0, "runs");
    },
  },
];
