// Many callers of one key, with effects at a sink: one that checks nothing, where an attempt whose
// outcome is not known is parked; and one that answers and raises its fence, where it is verified.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createDedup,
  type Dedup,
  Final,
  type Handler,
  type OnCrash,
  Retryable,
} from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import type { SinkClient } from "../sink/client.js";
import { type Lane, LEASE_MS, SETTLE_MS, WAIT_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 1_500;
const KEYS = 4;
const LONG_WORK_MS = 2 * LEASE_MS;

export type DedupMode = "park" | "verify";

/** What a client asks of dedup. */
export interface DedupAsk {
  readonly mode: DedupMode;
  readonly key: string;
}

/** The dedup of a mode, the same in clients and in the last look. */
export function createChaosDedup(store: AtomicStore, mode: DedupMode, sink: SinkClient): Dedup {
  const verify: OnCrash = async ({ key, fencingToken }) => {
    const { value } = await sink.ask({ op: "verify", key: `verify ${key}`, token: fencingToken });
    return value === undefined ? { answer: "notDone" } : { answer: "done", value };
  };
  return createDedup({
    store,
    name: mode,
    onCrash: mode === "park" ? "park" : verify,
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
  });
}

export const dedup =
  (mode: DedupMode): Workload =>
  (lane) => {
    const instance = createChaosDedup(lane.store, mode, lane.sink);
    return async () => {
      const key = `${lane.epoch(EPOCH_MS)}/${lane.random.int(1, KEYS)}`;
      const ask: DedupAsk = { mode, key };
      await lane.ask("dedup", ask, () => instance.attempt(key, handlerOf(lane, mode)));
      await lane.pause(80);
    };
  };

function handlerOf(lane: Lane, mode: DedupMode): Handler<string> {
  const { random, sink, by } = lane;
  const fate = random.int(0, 99);
  const value = `${by} ${lane.next()}`;
  return async ({ key, fencingToken: token }) => {
    if (fate < 4) throw new Retryable("the sink was not asked");
    await sleep(random.int(0, 20));
    if (mode === "park") {
      await sink.ask({ op: "effect", key: `park ${key}`, token, by });
    } else {
      const asked = { key: `verify ${key}`, token, by, value };
      const { accepted } = await sink.ask({ op: "fencedEffect", ...asked });
      if (!accepted) throw new Error("the sink knows a newer owner");
    }
    // Longer than a lease now and then, so that it has to be renewed under faults.
    await sleep(fate > 95 ? LONG_WORK_MS : random.int(0, 20));
    if (fate < 8) throw new Error("nobody knows what this means");
    if (fate < 11) throw new Final("declined", `declined by ${value}`);
    return value;
  };
}
