// What a node of the contract's scenario does with a request: it makes the write of it at its first
// send, and sends the same again whenever it is asked again.

import type { MultiKeyStore, Stamp, Write, WriteWithoutOpId } from "@onceproof/core/advanced";
import type { Node, World } from "../world/world.js";
import type { Serve } from "./clients.js";
import type { Expected, StoreAsk, Wish } from "./contract-workloads.js";
import { looked, record, type Verdict } from "./questions.js";
import type { Recorded } from "./recorded.js";

/** What clients remember, whatever becomes of the nodes. */
export interface Memory {
  /** By opId and key: what the applied writes were told. */
  readonly stamps: Map<string, Stamp>;
  /** By opId: a write stays what it was at its first send. */
  readonly intents: Map<string, readonly WriteWithoutOpId[]>;
}

export function createMemory(): Memory {
  return { stamps: new Map(), intents: new Map() };
}

/** Whether a write was ever sent. */
export function isIntended({ intents }: Memory, id: string): boolean {
  return intents.has(opIdOf(id));
}

/** 22 characters of base64url, as the contract asks for. */
function opIdOf(id: string): string {
  return id.padEnd(22, "-");
}

/** What one node offers in one life. */
export interface Desk {
  readonly serve: Serve<StoreAsk>;
  lookUp(key: string): Promise<Recorded["store.read"]["returned"]>;
}

export function createDesk(world: World, node: Node, memory: Memory): Desk {
  const lookUp: Desk["lookUp"] = (key) =>
    record(world, node, { method: "store.read", key, input: {} }, () => node.store.read(key));
  const send = createSend(world, node, memory);
  return {
    lookUp,
    async serve(ask) {
      if (ask.act === "read") {
        return looked(lookUp(ask.key));
      }
      const { key, reads } = ask.act === "write" ? ask : { key: "", reads: 0 };
      const beside = Array.from({ length: reads ?? 0 }, () => looked(lookUp(key)));
      try {
        const steps = await intentOf(ask, memory, lookUp);
        return steps === undefined ? "settled" : await send(ask, steps);
      } catch {
        return "again";
      } finally {
        await Promise.all(beside);
      }
    },
  };
}

type WriteAsk = Exclude<StoreAsk, { act: "read" }>;

/** What a request writes: made at its first send; undefined if there is nothing to write over. */
async function intentOf(
  ask: WriteAsk,
  memory: Memory,
  lookUp: Desk["lookUp"],
): Promise<readonly WriteWithoutOpId[] | undefined> {
  const opId = opIdOf(ask.id);
  const known = memory.intents.get(opId);
  if (known !== undefined) {
    return known;
  }
  const wishes = ask.act === "write" ? { [ask.key]: ask.wish } : ask.wishes;
  const steps: WriteWithoutOpId[] = [];
  for (const [key, wish] of Object.entries(wishes)) {
    const expect = await expectationOf(key, wish.expect, memory, lookUp);
    if (expect === undefined) {
      return undefined;
    }
    steps.push({ key, expect, next: nextOf(ask.id, wish) } as WriteWithoutOpId);
  }
  // The other node may have served the same request meanwhile.
  const made = memory.intents.get(opId) ?? steps;
  memory.intents.set(opId, made);
  return made;
}

async function expectationOf(
  key: string,
  expected: Expected,
  { stamps }: Memory,
  lookUp: Desk["lookUp"],
): Promise<Write["expect"] | undefined> {
  if (expected === "absent") {
    return expected;
  }
  const id = "since" in expected ? expected.since : expected.over;
  if (id === 0) {
    return { absentSince: 0 };
  }
  const stamp = stamps.get(`${opIdOf(id)} ${key}`);
  const found = stamp === undefined ? await lookUp(key) : undefined;
  return "since" in expected
    ? { absentSince: stamp?.revision ?? found?.revision ?? 0 }
    : (stamp ?? found?.entry?.stamp);
}

function nextOf(id: string, { next }: Wish): WriteWithoutOpId["next"] {
  if (next === "removed") {
    return next;
  }
  return "touchMs" in next
    ? { touch: true, ttlMs: next.touchMs }
    : ({ value: id, ttlMs: next.ttlMs } as WriteWithoutOpId["next"]);
}

type Send = (ask: WriteAsk, steps: readonly WriteWithoutOpId[]) => Promise<Verdict>;

function createSend(world: World, node: Node, { stamps }: Memory): Send {
  const learn = (key: string, opId: string, revision: number): void => {
    // Revision 0 is that of a part which others have written over since.
    if (revision > 0) {
      stamps.set(`${opId} ${key}`, { revision, opId });
    }
  };

  const sendOne = async (client: string, write: Write): Promise<Verdict> => {
    const { key, opId } = write;
    const question = { method: "store.write", key, input: { client, write } } as const;
    const answer = await record(world, node, question, async () => {
      const result = await node.store.write(write);
      return result.outcome === "unknown" ? { outcome: "unknown" } : result;
    });
    if (answer.outcome === "applied") {
      learn(key, opId, answer.revision);
    }
    return answer.outcome === "unknown" ? "again" : "settled";
  };

  const sendAll = async (
    client: string,
    opId: string,
    writes: readonly WriteWithoutOpId[],
  ): Promise<Verdict> => {
    const keys = writes.map(({ key }) => key);
    const input = { client, opId, writes };
    const question = { method: "store.writeAll", key: keys.join(" "), input } as const;
    // Asked only where the store has it.
    const store = node.store as Node["store"] & MultiKeyStore;
    const answer = await record(world, node, question, async () => {
      const result = await store.writeAll({ opId, writes });
      return result.outcome === "unknown" ? { outcome: "unknown" } : result;
    });
    if (answer.outcome === "applied") {
      for (const [at, key] of keys.entries()) {
        learn(key, opId, answer.revisions[at] ?? 0);
      }
    }
    return answer.outcome === "unknown" ? "again" : "settled";
  };

  return async (ask, steps) => {
    const { id, client } = ask;
    const opId = opIdOf(id);
    const [only] = steps;
    return ask.act === "write"
      ? sendOne(client, { ...only, opId } as Write)
      : sendAll(client, opId, steps);
  };
}
