// S1: per key, reads and writes are linearizable. Races across two clients, judged by laws that
// hold in every linear order, and recorded workloads, judged by the checker.

import { atomicStoreModel } from "../../checker/models/atomic-store.js";
import { applied, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import { mustBeLinearizable } from "../histories/verdict.js";
import { recordWorkload } from "../histories/workload.js";
import type { Lab } from "../lab.js";

const RACERS = 64;
/** Of one increment among 40: a store that refuses each of them is not racing. */
const ATTEMPTS = 1_000;

const WORKLOAD = { clients: 6, stepsPerClient: 50, keys: ["a", "b", "c"] } as const;

function range(count: number): number[] {
  return [...Array(count).keys()];
}

/** Adds one to the counter under `k`, as often as it takes. */
async function increment(lab: Lab, client: number): Promise<void> {
  const store = lab.client(client);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { entry } = await store.read("k");
    check(entry !== undefined, "the counter must stay");
    const value = String(Number(entry.value) + 1);
    const next = { value, ttlMs: "never" } as const;
    const result = await store.write(lab.stampedWrite("k", entry.stamp, next));
    if (result.outcome === "applied") {
      return;
    }
    refused(result, "an increment that lost its race");
  }
  check(false, `of ${ATTEMPTS} compare-and-sets under the stamp just read none applied`);
}

export const s1: readonly CaseDefinition[] = [
  {
    id: "S1.1-race-create",
    law: `of ${RACERS} concurrent creates exactly one applies, and no other is told otherwise`,
    async run(lab) {
      const writes = range(RACERS).map((id) => lab.createWrite("k", `value ${id}`));
      const results = await Promise.all(writes.map((write, id) => lab.client(id).write(write)));
      const winners = writes.filter((_, id) => results[id]?.outcome === "applied");
      same(winners.length, 1, "how many applied");
      const { entry } = await lab.read("k");
      same(entry?.stamp.opId, winners[0]?.opId, "whose entry it is");
      for (const result of results) {
        if (result.outcome !== "applied") {
          same(refused(result, "a loser").entry ?? entry, entry, "what a loser is told");
        }
      }
    },
  },
  {
    id: "S1.2-race-set",
    law: `of ${RACERS} concurrent compare-and-sets under one stamp exactly one applies`,
    async run(lab) {
      const { stamp } = await lab.seed("k", "start");
      const writes = range(RACERS).map((id) =>
        lab.stampedWrite("k", stamp, { value: `value ${id}`, ttlMs: "never" }),
      );
      const results = await Promise.all(writes.map((write, id) => lab.client(id).write(write)));
      const winners = writes.filter((_, id) => results[id]?.outcome === "applied");
      same(winners.length, 1, "how many applied");
      same((await lab.read("k")).entry?.stamp.opId, winners[0]?.opId, "whose entry it is");
    },
  },
  {
    id: "S1.3-race-absent-since",
    law: `of ${RACERS} concurrent creates with one absentSince exactly one applies`,
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const { revision } = await lab.remove("k", stamp);
      const results = await Promise.all(
        range(RACERS).map((id) =>
          lab.client(id).write({
            ...lab.createWrite("k", `value ${id}`),
            expect: { absentSince: revision },
          }),
        ),
      );
      same(results.filter(({ outcome }) => outcome === "applied").length, 1, "how many applied");
    },
  },
  {
    id: "S1.4-race-kinds",
    law: "of a concurrent set, touch and removal under one stamp exactly one applies",
    async run(lab) {
      for (const round of range(10)) {
        const key = `k${round}`;
        const { stamp } = await lab.seed(key);
        const results = await Promise.all([
          lab.store.write(lab.stampedWrite(key, stamp, { value: "set", ttlMs: "keep" })),
          lab.peer.write(lab.stampedWrite(key, stamp, { touch: true, ttlMs: 60_000 })),
          lab.store.write(lab.stampedWrite(key, stamp, "removed")),
          lab.peer.write(lab.stampedWrite(key, stamp, "removed")),
        ]);
        same(results.filter(({ outcome }) => outcome === "applied").length, 1, "how many applied");
      }
    },
  },
  {
    id: "S1.5-no-lost-update",
    law: "concurrent increments by compare-and-set are all counted",
    async run(lab) {
      await lab.seed("k", "0");
      await Promise.all(
        range(8).map(async (client) => {
          for (const _ of range(5)) {
            await increment(lab, client);
          }
        }),
      );
      same((await lab.read("k")).entry?.value, "40", "the counter");
    },
  },
  {
    id: "S1.6-read-your-write",
    law: "a write that was answered is seen by every read that starts later, on any client",
    async run(lab) {
      let { stamp } = await lab.seed("k", "0");
      for (const round of range(30)) {
        const writer = round < 15 ? 0 : 1;
        const value = String(round + 1);
        const write = lab.stampedWrite("k", stamp, { value, ttlMs: "never" });
        const result = applied(await lab.client(writer).write(write), "a compare-and-set");
        stamp = { revision: result.revision, opId: write.opId };
        for (const reader of [1 - writer, writer]) {
          const { entry } = await lab.client(reader).read("k");
          same(entry?.value, value, reader === writer ? "its own read" : "another client's read");
        }
      }
    },
  },
  {
    id: "S1.7-reads-never-go-back",
    law: "reads that follow one another never go back in time while others write",
    async run(lab) {
      let { stamp } = await lab.seed("k", "before");
      let writing = true;
      const reader = async (client: number): Promise<void> => {
        for (let latest = 0; writing; ) {
          const { revision = 0 } = await lab.client(client).read("k");
          check(revision >= latest, `a read went back from ${latest} to ${revision}`);
          latest = revision;
          // An embedded store may answer without a turn of the event loop, and starve the writer.
          await lab.sleep(0);
        }
      };
      const writer = async (): Promise<void> => {
        for (const round of range(40)) {
          stamp = (await lab.set("k", stamp, String(round))).stamp;
        }
        writing = false;
      };
      const stop = (error: unknown): never => {
        writing = false;
        throw error;
      };
      await Promise.all([writer().catch(stop), reader(0), reader(1)]);
    },
  },
  {
    id: "S1.8-history",
    law: "the recorded history of a mixed workload by several clients is linearizable",
    async run(lab) {
      const history = await recordWorkload(lab, { ...WORKLOAD, losses: 0 });
      mustBeLinearizable(atomicStoreModel(), history, lab.workloadSeed);
    },
  },
  {
    id: "S1.9-history-lost",
    law: "it is linearizable too where requests and replies get lost and writes are sent again",
    needs: ["loseReply"],
    async run(lab) {
      const history = await recordWorkload(lab, { ...WORKLOAD, losses: 0.1 });
      mustBeLinearizable(atomicStoreModel(), history, lab.workloadSeed);
    },
  },
];
