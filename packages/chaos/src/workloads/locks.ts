// Contenders for a few locks, each a careless holder: it goes on with its token without asking
// whether it still holds the lock. The sink refuses what is stale.
import { createLock } from "@onceproof/core";
import { LEASE_MS, SETTLE_MS, WAIT_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 2_500;
const RESOURCES = 3;

export interface LockAsk {
  readonly resource: string;
}

export const locks: Workload = (lane) => {
  const { random, sink, by } = lane;
  const lock = createLock({
    store: lane.store,
    name: "lock",
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
  });
  return async () => {
    const resource = `${lane.epoch(EPOCH_MS)}/${random.int(1, RESOURCES)}`;
    const ask: LockAsk = { resource };
    const got = await lane.ask("lock", ask, () => lock.tryAcquire(resource));
    if (got?.outcome !== "acquired") {
      await lane.pause(120);
      return;
    }
    const { token } = got.lock;
    for (let use = random.int(1, 6); use > 0; use -= 1) {
      await lane.pause(60);
      await sink.ask({ op: "fenced", resource, token, by });
    }
    // One that is not given back ends with its lease, or is renewed: both must come to an end.
    if (random.chance(0.95)) await got.lock.release();
    else setTimeout(() => void got.lock.release(), 2 * LEASE_MS);
    await lane.pause(20);
  };
};
