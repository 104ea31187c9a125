// A store in front of another that records what is asked and answered, for the checker.

import type { AtomicStore, Observation, WriteResult } from "@onceproof/core/advanced";
import type { StoreInput, StoreOutput } from "./models/atomic-store.js";
import { createRecorder, type Recorder } from "./recorder.js";

/** Options of `createRecordingStore`. */
export interface RecordingStoreOptions {
  /** Give one to several stores of one history. @defaultValue a recorder of its own */
  readonly recorder?: Recorder<StoreInput, StoreOutput>;
  /** Who asks; one recording store for each. @defaultValue "client" */
  readonly process?: string | number;
  /**
   * Whether the network below may deliver a request once more, after its answer: then each create
   * is also recorded as one of unknown outcome. Without it such a late duplicate is a violation.
   * @defaultValue false
   */
  readonly lateDuplicates?: boolean;
}

/** A store that records, and what it records with. */
export interface RecordingStore extends AtomicStore {
  readonly recorder: Recorder<StoreInput, StoreOutput>;
}

/**
 * Creates a store that records each call to `store` as an operation of `atomicStoreModel`.
 *
 * Guarantee: what `store` answers is passed on unchanged. A write of unknown outcome, and a read
 * that throws, are of unknown outcome; a write that throws is recorded as having done nothing (S6).
 * Cost: no store call of its own.
 */
export function createRecordingStore(
  store: AtomicStore,
  options: RecordingStoreOptions = {},
): RecordingStore {
  const { recorder = createRecorder(), process = "client", lateDuplicates = false } = options;
  return {
    recorder,
    capabilities: store.capabilities,
    async read(key): Promise<Observation> {
      const invocation = recorder.invoke(process, { kind: "read", key });
      try {
        const observation = await store.read(key);
        recorder.return(invocation, observation);
        return observation;
      } catch (error) {
        recorder.unknown(invocation);
        throw error;
      }
    },
    async write(write): Promise<WriteResult> {
      const input: StoreInput = { kind: "write", write };
      const invocation = recorder.invoke(process, input);
      // Under a stamp a duplicate can't apply again (S5).
      if (lateDuplicates && (write.expect === "absent" || "absentSince" in write.expect)) {
        recorder.invoke(process, input);
      }
      try {
        const result = await store.write(write);
        if (result.outcome === "unknown") {
          recorder.unknown(invocation);
        } else {
          recorder.return(invocation, result);
        }
        return result;
      } catch (error) {
        recorder.withdraw(invocation);
        throw error;
      }
    },
    close: () => store.close(),
  };
}
