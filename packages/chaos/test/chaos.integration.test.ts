// Chaos on real servers, for as long as CI has time; `npm run chaos` goes on for as long as asked.
import { missing } from "@onceproof/test-servers";
import { describe, expect, test } from "vitest";
import { LOST_COMMIT, LOST_UPDATE, OUTSIDE } from "../src/broken-transactions.js";
import { type ChaosOptions, type ChaosReport, defaultFaults, runChaos } from "../src/index.js";
import { storeKind } from "../src/stores/store-kinds.js";

const SEED = 1;
const RUNS = 8;
const MINUTE_MS = 60_000;

function run(store: string, options: Partial<ChaosOptions>): Promise<ChaosReport> {
  const kind = storeKind(store);
  const faults = defaultFaults(kind);
  return runChaos({ kind, faults, seed: SEED, processes: 4, calls: 0, forMs: 0, ...options });
}

/**
 * What is broken shows only where a fault meets it, which a run of seconds on a busy machine may
 * miss: so one of some runs must show it.
 */
async function expectNoticed(store: string, guarantee: string, options: Partial<ChaosOptions>) {
  const seen: string[] = [];
  for (let seed = SEED; seed < SEED + RUNS && !seen.includes(guarantee); seed += 1) {
    const { violations } = await run(store, { ...options, seed });
    seen.push(...violations.map((violation) => violation.guarantee));
  }
  expect(seen, `seeds ${SEED} to ${SEED + RUNS - 1}`).toContain(guarantee);
}

/** Nothing was violated, and the run was no idle one. */
function expectHeld({ violations, tallies, struck }: ChaosReport, least: number): void {
  expect(violations, `seed ${SEED}: struck ${JSON.stringify(struck)}`).toEqual([]);
  expect(tallies.storeCalls).toBeGreaterThanOrEqual(least);
  for (const name of ["effects", "replayed", "locksAcquired", "tokensConsumed", "updatesAsked"]) {
    expect(tallies[name], name).toBeGreaterThan(0);
  }
}

describe.skipIf(missing("redis"))("a real Redis", () => {
  test(
    "keeps every guarantee through 20,000 calls and every fault",
    async () => {
      const report = await run("redis", { calls: 20_000, forMs: 10_000 });
      expectHeld(report, 20_000);
      expect(report.tallies.unknownWrites).toBeGreaterThan(0);
    },
    4 * MINUTE_MS,
  );

  test.skipIf(missing("clock-shim"))(
    "keeps them while its clock jumps by an hour",
    async () => {
      const report = await run("redis", { calls: 4_000, faults: ["jump", "cut", "freeze"] });
      expectHeld(report, 4_000);
      expect(report.struck.jump).toBeGreaterThan(0);
    },
    4 * MINUTE_MS,
  );

  test(
    "and an adapter that tells a lost write as refused is noticed",
    async () => {
      const options = { calls: 2_000, faults: ["lose", "cut"], broken: "unknown-as-refused" };
      await expectNoticed("redis", "S1: Per key, reads and writes are linearizable.", options);
    },
    4 * MINUTE_MS,
  );
});

const ONCE_IN_TRANSACTION =
  "Dedup: what the handler writes through tx takes effect exactly once per key until retention ends, whatever crashes or gets lost.";
const ADDS_UP = "Payments: balances and stock add up exactly.";

describe.each([
  {
    ...{ store: "postgres", calls: 2_000, broken: LOST_COMMIT, faults: ["commit"] },
    says: ONCE_IN_TRANSACTION,
  },
  { store: "mariadb", calls: 3_000, broken: LOST_UPDATE, faults: [], says: ADDS_UP },
  {
    ...{ store: "sqlite", calls: 600, broken: OUTSIDE, faults: ["crash", "freeze"] },
    says: ONCE_IN_TRANSACTION,
  },
])("a real $store", ({ store, calls, broken, faults, says }) => {
  const reason = storeKind(store).missing();

  test.skipIf(reason)(
    `keeps every guarantee through ${calls} calls, payments in its transactions and every fault`,
    async () => {
      // Long enough that each workload has met itself again.
      const report = await run(store, { calls, forMs: 5_000 });
      expectHeld(report, calls);
      for (const name of ["payments", "paymentsReplayed"]) {
        expect(report.tallies[name], name).toBeGreaterThan(0);
      }
    },
    3 * MINUTE_MS,
  );

  test.skipIf(reason)(
    `and ${broken} is noticed`,
    async () => {
      const options = { forMs: 4_000, workloads: ["payments"], faults, broken };
      await expectNoticed(store, says, options);
    },
    4 * MINUTE_MS,
  );
});
