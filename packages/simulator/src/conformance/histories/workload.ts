// A seeded workload of several clients over few keys, recorded: every kind of write, lives that
// end within it, writes sent again, and answers that get lost. What the clients ask is drawn; how
// their calls overlap is the store's affair, and what the recording is for.

import type { Observation, Stamp, Ttl, Write, WriteResult } from "@onceproof/core/advanced";
import type { History } from "../../checker/model.js";
import type { StoreInput, StoreOutput } from "../../checker/models/atomic-store.js";
import { createRecorder, type Recorder } from "../../checker/recorder.js";
import { createRecordingStore } from "../../checker/recording-store.js";
import { createRandom, type Random } from "../../random.js";
import { codeIs } from "../checks.js";
import type { Lab } from "../lab.js";
import { createLosses, type Losses } from "./losses.js";

/** What is done, and how much of it. */
export interface WorkloadOptions {
  readonly clients: number;
  readonly stepsPerClient: number;
  readonly keys: readonly string[];
  /** How often a call of the client under test loses its reply or its request, from 0 to 1. */
  readonly losses: number;
}

type StoreHistory = History<StoreInput, StoreOutput>;

/** What one client remembers of a key: what it was told last. */
interface Told {
  readonly stamp?: Stamp;
  readonly revision: number;
}

interface Client {
  readonly lab: Lab;
  readonly random: Random;
  readonly options: WorkloadOptions;
  readonly losses: Losses;
  /** Whether its calls are those that the harness can lose. */
  readonly underTest: boolean;
  readonly told: Map<string, Told>;
  /** Its last writes, to be sent again. */
  readonly sent: Write[];
  read(key: string): Promise<Observation>;
  write(write: Write): Promise<WriteResult>;
}

/** Runs the workload on the lab's clients and returns what was recorded. */
export async function recordWorkload(lab: Lab, options: WorkloadOptions): Promise<StoreHistory> {
  const recorder: Recorder<StoreInput, StoreOutput> = createRecorder();
  const losses = createLosses(lab, recorder);
  const clients = [...Array(options.clients).keys()].map((index): Client => {
    const process = `client ${index + 1}`;
    const store = createRecordingStore(lab.client(index), { recorder, process });
    const underTest = lab.client(index) === lab.store;
    return {
      lab,
      random: createRandom(lab.workloadSeed, index + 1),
      options,
      losses,
      underTest,
      told: new Map(),
      sent: [],
      read: (key) => {
        const call = (): Promise<Observation> =>
          lab.settles(store.read(key), "a read of the workload");
        return underTest ? losses.read(call) : call();
      },
      write: (write) => {
        const call = (): Promise<WriteResult> =>
          lab.settles(store.write(write), "a write of the workload");
        return underTest ? losses.write(process, write, call) : call();
      },
    };
  });
  await Promise.all(clients.map(runClient));
  return options.losses > 0 ? withEarlierSends(recorder.history()) : recorder.history();
}

async function runClient(client: Client): Promise<void> {
  for (let step = 0; step < client.options.stepsPerClient; step += 1) {
    try {
      await oneStep(client);
    } catch (error) {
      // Where messages get lost, connections do, and a call may find none (S6).
      if (client.options.losses === 0 || !codeIs(error, "unavailable")) {
        throw error;
      }
      await client.lab.sleep(10);
    }
  }
}

async function oneStep(client: Client): Promise<void> {
  const { random, options, lab } = client;
  const key = options.keys[random.int(0, options.keys.length - 1)] ?? "";
  const kind = random.int(0, 99);
  if (kind < 4) {
    await lab.passUnseen(random.int(1, 4));
    return;
  }
  if (client.underTest && random.chance(options.losses)) {
    await client.losses.next(random);
  }
  if (kind < 16) {
    const { entry, revision = 0 } = await client.read(key);
    client.told.set(key, { revision, ...(entry && { stamp: entry.stamp }) });
    return;
  }
  const again = client.sent[random.int(0, Math.max(0, client.sent.length - 1))];
  const write = kind < 26 && again !== undefined ? again : draw(client, key);
  remember(client, write, await client.write(write));
}

function draw({ lab, random, told }: Client, key: string): Write {
  const { stamp, revision } = told.get(key) ?? { revision: 0 };
  const opId = lab.historyOpId();
  const value = `v${opId.slice(0, 4)}`;
  const kind = random.int(0, 99);
  if (stamp === undefined || kind < 15) {
    const ttlMs = drawTtl(random);
    const expect = random.chance(0.4) ? ({ absentSince: revision } as const) : "absent";
    return { key, opId, expect, next: { value, ttlMs } };
  }
  if (kind < 55) {
    const ttlMs = random.chance(0.3) ? "keep" : drawTtl(random);
    return { key, opId, expect: stamp, next: { value, ttlMs } };
  }
  const touch = { touch: true, ttlMs: drawTtl(random) } as const;
  return { key, opId, expect: stamp, next: kind < 75 ? touch : "removed" };
}

/** Lives that end while the workload runs, and others. */
function drawTtl(random: Random): Ttl {
  return random.chance(0.4) ? random.int(1, 8) : random.chance(0.5) ? "never" : 60_000;
}

const KEPT_TO_SEND_AGAIN = 4;

function remember({ told, sent }: Client, write: Write, result: WriteResult): void {
  const { key, opId, next } = write;
  if (!sent.includes(write)) {
    sent.push(write);
    sent.splice(0, sent.length - KEPT_TO_SEND_AGAIN);
  }
  if (result.outcome === "unknown") {
    return;
  }
  if (result.outcome === "applied") {
    const { revision } = result;
    told.set(key, { revision, ...(next !== "removed" && { stamp: { revision, opId } }) });
  } else {
    const { entry, revision = 0 } = result;
    told.set(key, { revision, ...(entry && { stamp: entry.stamp }) });
  }
}

/**
 * A driver that sends again by itself can be answered as a replay at the caller's first send. Then
 * an earlier send did happen, of which the caller knows nothing.
 */
function withEarlierSends(history: StoreHistory): StoreHistory {
  const seen = new Set<string>();
  return history.flatMap((operation) => {
    const { process, input, output, invokedAt } = operation;
    if (input.kind === "read") {
      return [operation];
    }
    const { opId } = input.write;
    const first = !seen.has(opId);
    seen.add(opId);
    const replayed = output !== undefined && "replayed" in output && output.replayed;
    return first && replayed ? [{ process, input, invokedAt }, operation] : [operation];
  });
}
