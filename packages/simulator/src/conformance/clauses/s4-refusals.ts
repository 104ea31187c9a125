// S4: a refusal carries a state observed at one instant within the call, which itself refuses the
// write.

import type { Refused, Write } from "@onceproof/core/advanced";
import { check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

/** Fails if the state that a refusal tells would have admitted the write. */
function mustRefuse(write: Write, { entry, revision, now }: Refused): void {
  const live = entry !== undefined && (entry.expiresAt === undefined || now < entry.expiresAt);
  if (entry !== undefined) {
    check(live, "a refusal's entry must be live at its now", { entry, now });
    check(revision === undefined || revision >= entry.stamp.revision, "a mixed answer", revision);
  }
  if (write.expect === "absent") {
    check(live, "a create was refused by an answer without an entry", { entry, revision });
  } else if ("absentSince" in write.expect) {
    const later = revision !== undefined && revision > write.expect.absentSince;
    check(live || later, "absentSince was refused by an answer that admits it", revision);
  } else {
    const { stamp } = entry ?? {};
    const { revision: expected, opId } = write.expect;
    const bears = stamp?.revision === expected && stamp.opId === opId;
    check(!bears, "a stamp was refused by an answer that bears it", { entry });
  }
}

/** One of many workers that create, replace and remove one key; each value names its opId. */
async function churn(lab: Lab, worker: number): Promise<void> {
  const store = lab.client(worker);
  let told: Refused["entry"];
  for (let round = 0; round < 20; round += 1) {
    const kind = (worker + round) % 3;
    const opId = lab.opId();
    const next = { value: opId, ttlMs: "never" } as const;
    const write: Write =
      told === undefined || kind === 0
        ? { key: "k", opId, expect: "absent", next }
        : { key: "k", opId, expect: told.stamp, next: kind === 1 ? next : "removed" };
    const result = await store.write(write);
    if (result.outcome === "refused") {
      mustRefuse(write, result);
      told = result.entry;
    } else {
      told = (await store.read("k")).entry;
    }
    if (told !== undefined) {
      same(told.value, told.stamp.opId, "the value and the stamp of one write");
    }
  }
}

export const s4: readonly CaseDefinition[] = [
  {
    id: "S4.1-create-incumbent",
    law: "a refused create carries the whole incumbent",
    async run(lab) {
      const { stamp, writtenAt, expiresAt } = await lab.seed("k", "first", 60_000);
      const incumbent = { value: "first", stamp, writtenAt, expiresAt };
      const result = refused(await lab.create("k", "second"), "the create");
      same(result.entry, incumbent, "the incumbent");
      same(result.revision ?? stamp.revision, stamp.revision, "its revision");
      const since = refused(await lab.createSince("k", stamp.revision), "absentSince");
      same(since.entry, incumbent, "the incumbent that refuses absentSince");
    },
  },
  {
    id: "S4.2-stamp-incumbent",
    law: "a write refused under a stale stamp carries the incumbent",
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      const second = await lab.set("k", stamp, "second");
      const next = { value: "third", ttlMs: "never" } as const;
      for (const [what, write] of [
        ["a compare-and-set", lab.stampedWrite("k", stamp, next)],
        ["a touch", lab.stampedWrite("k", stamp, { touch: true, ttlMs: 1_000 })],
        ["a removal", lab.stampedWrite("k", stamp, "removed")],
      ] as const) {
        const result = await lab.store.write(write);
        // Whether it is refused is what S0 says.
        if (result.outcome === "refused") {
          same(result.entry?.value, "second", `the value that refuses ${what}`);
          same(result.entry?.stamp, second.stamp, `the stamp that refuses ${what}`);
        }
      }
    },
  },
  {
    id: "S4.3-nothing-there",
    law: "a write refused by an unused key carries neither entry nor revision",
    async run(lab) {
      const { stamp } = await lab.seed("other");
      const result = refused(await lab.stamped("k", stamp, "removed"), "a removal");
      same([result.entry, result.revision], [undefined, undefined], "entry and revision");
    },
  },
  {
    id: "S4.4-removed",
    law: "a write refused by a removed key carries the removal's revision and no entry",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const { revision } = await lab.remove("k", stamp);
      const result = refused(await lab.stamped("k", stamp, "removed"), "a second removal");
      same([result.entry, result.revision], [undefined, revision], "entry and revision");
      const since = await lab.createSince("k", revision - 1);
      if (since.outcome === "refused") {
        same([since.entry, since.revision], [undefined, revision], "what refuses absentSince");
      }
    },
  },
  {
    id: "S4.5-not-stale",
    law: "a refusal shows at least what was answered before it was sent",
    async run(lab) {
      let { stamp } = await lab.seed("k", "0");
      for (let round = 1; round <= 20; round += 1) {
        stamp = (await lab.set("k", stamp, String(round))).stamp;
        const result = refused(await lab.peer.write(lab.createWrite("k")), "a create");
        same(result.entry?.value, String(round), "the incumbent that the other client is told");
        same(result.entry?.stamp, stamp, "its stamp");
      }
    },
  },
  {
    id: "S4.6-under-races",
    law: "under races a refusal still carries one state, and one that refuses the write",
    async run(lab) {
      await Promise.all([...Array(8).keys()].map((worker) => churn(lab, worker)));
    },
  },
  {
    id: "S4.7-removed-meanwhile",
    law: "a refusal still shows what refused it where the incumbent is removed meanwhile",
    async run(lab) {
      const worker = async (index: number): Promise<void> => {
        const store = lab.client(index);
        for (let round = 0; round < 25; round += 1) {
          const write = lab.createWrite("k");
          const result = await store.write(write);
          if (result.outcome === "refused") {
            mustRefuse(write, result);
          } else if (result.outcome === "applied") {
            const stamp = { revision: result.revision, opId: write.opId };
            await store.write(lab.stampedWrite("k", stamp, "removed"));
          }
        }
      };
      await Promise.all([...Array(8).keys()].map(worker));
    },
  },
];
