// A seeded workload of several clients that write several keys in one step, and single ones
// between, recorded.

import type {
  MultiKeyStore,
  Stamp,
  Ttl,
  Write,
  WriteAll,
  WriteWithoutOpId,
} from "@onceproof/core/advanced";
import type { History } from "../../checker/model.js";
import { createRecorder, type Recorder } from "../../checker/recorder.js";
import { createRandom, type Random } from "../../random.js";
import type { Lab } from "../lab.js";
import type { MultiKeyInput, MultiKeyOutput } from "./multi-key-model.js";

const CLIENTS = 4;
const STEPS_PER_CLIENT = 12;

interface Client {
  readonly lab: Lab;
  readonly store: MultiKeyStore;
  readonly name: string;
  readonly random: Random;
  readonly recorder: Recorder<MultiKeyInput, MultiKeyOutput>;
  readonly keys: readonly string[];
  readonly stamps: Map<string, Stamp | undefined>;
  /** The latest that it was told of each key. */
  readonly revisions: Map<string, number>;
  latest: WriteAll | undefined;
}

/** Runs the workload on the lab's clients and returns what was recorded. */
export async function recordMultiKeyWorkload(
  lab: Lab,
  keys: readonly string[],
): Promise<History<MultiKeyInput, MultiKeyOutput>> {
  const recorder: Recorder<MultiKeyInput, MultiKeyOutput> = createRecorder();
  const clients = [...Array(CLIENTS).keys()].map((index): Client => {
    const random = createRandom(lab.workloadSeed, index + 1);
    // A second client may be of another kind.
    const { writeAll } = lab.client(index) as Partial<MultiKeyStore>;
    const store = (writeAll === undefined ? lab.store : lab.client(index)) as MultiKeyStore;
    const name = `client ${index + 1}`;
    const told = { stamps: new Map(), revisions: new Map(), latest: undefined };
    return { lab, store, name, random, recorder, keys, ...told };
  });
  await Promise.all(clients.map(runClient));
  return recorder.history();
}

async function runClient(client: Client): Promise<void> {
  const { random, keys } = client;
  for (let step = 0; step < STEPS_PER_CLIENT; step += 1) {
    const kind = random.int(0, 9);
    if (kind < 1) {
      await client.lab.passUnseen(random.int(1, 4));
    } else if (kind < 3) {
      await read(client, keys[random.int(0, keys.length - 1)] ?? "");
    } else if (kind < 5) {
      const key = keys[random.int(0, keys.length - 1)] ?? "";
      await write(client, { ...draw(client, key), opId: client.lab.historyOpId() } as Write);
    } else if (kind < 6 && client.latest !== undefined) {
      await writeAll(client, client.latest);
    } else {
      const count = random.int(2, keys.length);
      const from = random.int(0, keys.length - 1);
      const chosen = [...keys, ...keys].slice(from, from + count);
      const writes = chosen.map((key) => draw(client, key));
      await writeAll(client, { opId: client.lab.historyOpId(), writes });
    }
  }
}

function draw({ random, stamps, revisions, lab }: Client, key: string): WriteWithoutOpId {
  const stamp = stamps.get(key);
  const value = `w${lab.historyOpId().slice(0, 4)}`;
  const ttlMs = drawTtl(random);
  if (stamp === undefined) {
    const absentSince = revisions.get(key) ?? 0;
    return random.chance(0.4)
      ? { key, expect: { absentSince }, next: { value, ttlMs } }
      : { key, expect: "absent", next: { value, ttlMs } };
  }
  const kind = random.int(0, 9);
  if (kind < 2) {
    return { key, expect: stamp, next: "removed" };
  }
  return kind < 4
    ? { key, expect: stamp, next: { touch: true, ttlMs } }
    : { key, expect: stamp, next: { value, ttlMs: kind < 7 ? "keep" : ttlMs } };
}

/** Lives that end while the workload runs, and, more of them, such as last. */
function drawTtl(random: Random): Ttl {
  return random.chance(0.2) ? random.int(1, 8) : random.chance(0.5) ? "never" : 60_000;
}

async function read(client: Client, key: string): Promise<void> {
  const { store, recorder, name } = client;
  const invocation = recorder.invoke(name, { kind: "read", key });
  const observation = await store.read(key);
  recorder.return(invocation, observation);
  remember(client, key, observation.entry?.stamp, observation.revision);
}

/** What it was told last of a key. */
function remember(
  { stamps, revisions }: Client,
  key: string,
  stamp: Stamp | undefined,
  revision = 0,
): void {
  stamps.set(key, stamp);
  revisions.set(key, revision);
}

async function write(client: Client, sent: Write): Promise<void> {
  const { store, recorder, name } = client;
  const invocation = recorder.invoke(name, { kind: "write", write: sent });
  const result = await store.write(sent);
  if (result.outcome === "unknown") {
    recorder.unknown(invocation);
    return;
  }
  recorder.return(invocation, result);
  const applied = result.outcome === "applied" && sent.next !== "removed";
  const mine = applied ? { revision: result.revision, opId: sent.opId } : undefined;
  const stamp = result.outcome === "applied" ? mine : result.entry?.stamp;
  remember(client, sent.key, stamp, result.revision);
}

async function writeAll(client: Client, all: WriteAll): Promise<void> {
  const { store, recorder, name } = client;
  client.latest = all;
  const invocation = recorder.invoke(name, { kind: "writeAll", all });
  const result = await store.writeAll(all);
  if (result.outcome === "unknown") {
    recorder.unknown(invocation);
    return;
  }
  recorder.return(invocation, result);
  if (result.outcome === "refused") {
    const key = all.writes[result.index]?.key;
    remember(client, key ?? "", result.entry?.stamp, result.revision);
    return;
  }
  for (const [index, { key, next }] of all.writes.entries()) {
    const revision = result.revisions[index] ?? 0;
    // Of what another write has superseded, nothing is known.
    const stands = next !== "removed" && revision !== 0;
    remember(client, key, stands ? { revision, opId: all.opId } : undefined, revision);
  }
}
