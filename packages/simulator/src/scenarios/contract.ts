// The scenario of the contract: clients write and read through two nodes that use the store itself,
// and send a write without an answer again under the same opId.

import type { MultiKeyStore, Stamp, Write, WriteWithoutOpId } from "@onceproof/core/advanced";
import * as oracle from "../oracles/index.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import {
  CONTRACT_WORKLOADS,
  type Expected,
  type StoreAsk,
  type StoreWorkload,
  type Wish,
} from "./contract-workloads.js";
import { LOSSY } from "./losses.js";
import { askLast, looked, record, type Verdict } from "./questions.js";
import type { Recorded } from "./recorded.js";
import type { Acts, Scenario, Stage, Times } from "./scenario.js";
import { ALL_PROFILES, NODES, TIMES as SHORT, targetsOf } from "./two-nodes.js";

/** A tombstone outlasts a run, so that no key may be forgotten in one. */
const TIMES: Times = { ...SHORT, tombstoneMs: 300_000 };

const store: Scenario<StoreWorkload> = {
  id: "contract/store",
  algorithm: "contract",
  title: "the store itself: writes that expect a state, sent again under the same opId",
  times: TIMES,
  profiles: ALL_PROFILES,
  targets: targetsOf(CONTRACT_WORKLOADS),
  workloads: CONTRACT_WORKLOADS,
  states: [
    { guarantee: oracle.contractExpiry, losses: LOSSY },
    { guarantee: oracle.contractRevisionsIncrease, losses: LOSSY },
    { guarantee: oracle.contractTombstoneKept, losses: LOSSY },
    { guarantee: oracle.contractRefusalShows },
    { guarantee: oracle.contractReplays, losses: LOSSY },
    { guarantee: oracle.contractAppliesOnce, losses: LOSSY },
    { guarantee: oracle.contractWrittenBetween },
    { guarantee: oracle.contractAllOrNone, losses: LOSSY },
    { guarantee: oracle.contractLinearizable, losses: LOSSY },
    { guarantee: oracle.generalEveryCallSettles },
  ],
  play,
};

export const contractScenarios: readonly Scenario[] = [store as unknown as Scenario];

function play(stage: Stage<StoreWorkload>): Acts {
  const { world, workload, profile } = stage;
  const asks = workload.asks.filter(({ act }) => profile.multiKey || act !== "writeAll");
  const services = new Map<string, Serve<StoreAsk>>();
  const memory: Memory = { stamps: new Map(), intents: new Map() };
  const desk = (node: Node): Desk => createDesk(stage, memory, node);
  for (const name of NODES) {
    world.addNode(name, (node) => services.set(name, desk(node).serve));
  }
  return {
    main: askAll(world, asks, services),
    settle: () =>
      askLast(world, (node) => {
        const { serve, lookUp } = desk(node);
        const look = [...new Set(asks.flatMap(keysOf))].map((key) => () => looked(lookUp(key)));
        const known = new Map(asks.flatMap((ask) => ("id" in ask ? [[ask.id, ask] as const] : [])));
        const again = [...known].filter(([id]) => memory.intents.has(opIdOf(id)));
        return [
          ...look,
          ...again.map(
            ([, ask]) =>
              () =>
                serve(ask),
          ),
          ...look,
        ];
      }),
  };
}

function keysOf(ask: StoreAsk): readonly string[] {
  return ask.act === "writeAll" ? Object.keys(ask.wishes) : [ask.key];
}

/** 22 characters of base64url, as the contract asks for. */
function opIdOf(id: string): string {
  return id.padEnd(22, "-");
}

/** What clients remember, whatever becomes of the nodes. */
interface Memory {
  /** By opId and key: what the applied writes were told. */
  readonly stamps: Map<string, Stamp>;
  /** By opId: a write stays what it was at its first send. */
  readonly intents: Map<string, readonly WriteWithoutOpId[]>;
}

/** What one node offers in one life. */
interface Desk {
  readonly serve: Serve<StoreAsk>;
  lookUp(key: string): Promise<Recorded["store.read"]["returned"]>;
}

function createDesk({ world }: Stage<StoreWorkload>, memory: Memory, node: Node): Desk {
  const { stamps, intents } = memory;

  const lookUp: Desk["lookUp"] = (key) =>
    record(world, node, { method: "store.read", key, input: {} }, () => node.store.read(key));

  /** The expectation of a new write; undefined if there is nothing that it could be over. */
  const expectationOf = async (
    key: string,
    expected: Expected,
  ): Promise<Write["expect"] | null> => {
    if (expected === "absent" || ("since" in expected && expected.since === 0)) {
      return expected === "absent" ? "absent" : { absentSince: 0 };
    }
    const id = "since" in expected ? expected.since : expected.over;
    const stamp = stamps.get(`${opIdOf(String(id))} ${key}`);
    const found = stamp === undefined ? await lookUp(key) : undefined;
    if ("since" in expected) {
      return { absentSince: stamp?.revision ?? found?.revision ?? 0 };
    }
    return stamp ?? found?.entry?.stamp ?? null;
  };

  const intentOf = async (
    id: string,
    wishes: Readonly<Record<string, Wish>>,
  ): Promise<readonly WriteWithoutOpId[] | undefined> => {
    const steps: WriteWithoutOpId[] = [];
    for (const [key, wish] of Object.entries(wishes)) {
      const expect = await expectationOf(key, wish.expect);
      if (expect === null) {
        return undefined;
      }
      steps.push({ key, expect, next: nextOf(id, wish) } as WriteWithoutOpId);
    }
    return steps;
  };

  const learn = (key: string, opId: string, revision: number | undefined): void => {
    if (revision !== undefined && revision > 0) {
      stamps.set(`${opId} ${key}`, { revision, opId });
    }
  };

  const writeOne = async (client: string, write: Write): Promise<Verdict> => {
    const { key, opId } = write;
    const question = { method: "store.write", key, input: { client, write } } as const;
    const answer = await record(world, node, question, async () => {
      const result = await node.store.write(write);
      return result.outcome === "unknown" ? { outcome: "unknown" } : result;
    });
    learn(key, opId, answer.outcome === "applied" ? answer.revision : undefined);
    return answer.outcome === "unknown" ? "again" : "settled";
  };

  const writeAll = async (
    client: string,
    opId: string,
    writes: readonly WriteWithoutOpId[],
  ): Promise<Verdict> => {
    const keys = writes.map(({ key }) => key);
    const input = { client, opId, writes };
    const question = { method: "store.writeAll", key: keys.join(" "), input } as const;
    // Left out where the store does not have it.
    const several = node.store as Node["store"] & MultiKeyStore;
    const answer = await record(world, node, question, async () => {
      const result = await several.writeAll({ opId, writes });
      return result.outcome === "unknown" ? { outcome: "unknown" } : result;
    });
    for (const [at, key] of keys.entries()) {
      learn(key, opId, answer.outcome === "applied" ? answer.revisions[at] : undefined);
    }
    return answer.outcome === "unknown" ? "again" : "settled";
  };

  const send = async (ask: Exclude<StoreAsk, { act: "read" }>): Promise<Verdict> => {
    const { id, client } = ask;
    const opId = opIdOf(id);
    const wishes = ask.act === "write" ? { [ask.key]: ask.wish } : ask.wishes;
    const made = intents.get(opId) ?? (await intentOf(id, wishes));
    // Another node may have served the same request meanwhile.
    const steps = intents.get(opId) ?? made;
    const [only] = steps ?? [];
    if (steps === undefined || only === undefined) {
      return "settled";
    }
    intents.set(opId, steps);
    return ask.act === "write"
      ? writeOne(client, { ...only, opId } as Write)
      : writeAll(client, opId, steps);
  };

  return {
    lookUp,
    async serve(ask) {
      if (ask.act === "read") {
        return looked(lookUp(ask.key));
      }
      const reads = ask.act === "write" ? (ask.reads ?? 0) : 0;
      const beside = Array.from({ length: reads }, () =>
        ask.act === "write" ? looked(lookUp(ask.key)) : undefined,
      );
      try {
        return await send(ask);
      } catch {
        return "again";
      } finally {
        await Promise.all(beside);
      }
    },
  };
}

function nextOf(id: string, { next }: Wish): WriteWithoutOpId["next"] {
  if (next === "removed") {
    return next;
  }
  return "touchMs" in next
    ? { touch: true, ttlMs: next.touchMs }
    : ({ value: id, ttlMs: next.ttlMs } as WriteWithoutOpId["next"]);
}
