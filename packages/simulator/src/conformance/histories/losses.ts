// Lost messages of a recorded workload, and what they leave in its history: a driver may send again
// by itself what was in flight when its connection was lost, and such a copy may arrive late.

import type { Observation, Write, WriteResult } from "@onceproof/core/advanced";
import type { StoreInput, StoreOutput } from "../../checker/models/atomic-store.js";
import type { Recorder } from "../../checker/recorder.js";
import type { Random } from "../../random.js";
import type { Lab } from "../lab.js";

export interface Losses {
  /** Loses the reply or the request of the next call on the lab's store. */
  next(random: Random): Promise<void>;
  /** Makes a read of a client whose calls get lost. */
  read(call: () => Promise<Observation>): Promise<Observation>;
  /** Makes a write of such a client, and records that a copy of it may come late. */
  write(process: string, write: Write, call: () => Promise<WriteResult>): Promise<WriteResult>;
}

/** Creates what loses the messages of one workload. */
export function createLosses(lab: Lab, recorder: Recorder<StoreInput, StoreOutput>): Losses {
  let asked = 0;
  let struck = 0;
  // What was asked for before a call that got lost has struck it, or one before it.
  const strikes = (askedBefore: number): void => {
    struck = Math.max(struck, askedBefore);
  };
  return {
    async next(random) {
      const { loseReply, loseRequest = loseReply } = lab.fixture;
      asked += 1;
      await (random.chance(0.6) ? loseReply : loseRequest)?.();
    },
    async read(call) {
      const askedBefore = asked;
      try {
        return await call();
      } catch (error) {
        strikes(askedBefore);
        throw error;
      }
    },
    async write(process, write, call) {
      const [askedBefore, struckBefore] = [asked, struck];
      let lost = true;
      try {
        const result = await call();
        lost = result.outcome === "unknown";
        return result;
      } finally {
        const inFlight = asked > struckBefore;
        if (lost) {
          strikes(askedBefore);
        }
        // Under a stamp a copy can't apply again (S5).
        const create = write.expect === "absent" || "absentSince" in write.expect;
        if (create && inFlight) {
          recorder.invoke(process, { kind: "write", write });
        }
      }
    },
  };
}
