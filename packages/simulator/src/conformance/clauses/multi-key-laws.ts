// MultiKeyStore: what holds of a single write holds of each of several. A store may carry out the two
// by code of their own, so the laws of S0, S2, S8, S9 and S10 are asked again of `writeAll`.

import type {
  MultiKeyStore,
  Stamp,
  WriteAllResult,
  WriteWithoutOpId,
} from "@onceproof/core/advanced";
import { check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";
import { create, writeAll } from "./multi-key-calls.js";
import { KEYS } from "./s8-keys.js";
import { VALUES } from "./s9-values.js";
import { honours } from "./s10-ttl.js";

type Single = WriteWithoutOpId;

const OTHER_OP_ID = "anotherOperationThanTA";
const TTLS_MS = [0.4, 1, 999.9, 1_000.001, 1_499, 60_001, 86_400_001];

/** Sends the write behind one that has no conflict, and fails unless all are refused by it. */
async function refusedAmong(lab: Lab, write: Single, what: string): Promise<void> {
  const result = await among(lab, write);
  check(result.outcome === "refused", `${what}, among others, must be refused`, result);
  same(result.index, 1, `the index of ${what}`);
}

async function appliedAmong(lab: Lab, write: Single, what: string): Promise<void> {
  const result = await among(lab, write);
  check(result.outcome === "applied", `${what}, among others, must be applied`, result);
}

function among(lab: Lab, write: Single): Promise<WriteAllResult> {
  const opId = lab.opId();
  return lab.multiKey.writeAll({ opId, writes: [create(`beside ${opId}`), write] });
}

/** Every kind of write under a stamp. */
function underStamp(key: string, expect: Stamp): [what: string, Single][] {
  return [
    ["a compare-and-set", { key, expect, next: { value: "second", ttlMs: "never" } }],
    ["a touch", { key, expect, next: { touch: true, ttlMs: 1_000 } }],
    ["a removal", { key, expect, next: "removed" }],
  ];
}

export const multiKeyLaws: readonly CaseDefinition[] = [
  {
    id: "multiKey.12-stamps",
    law: "a stamp among several writes is judged by revision and opId (S0)",
    needs: ["writeAll"],
    async run(lab) {
      const { stamp } = await lab.seed("k", "first");
      const { revision } = stamp;
      for (const [how, wrong] of [
        ["another opId", { revision, opId: OTHER_OP_ID }],
        ["a lower revision", { ...stamp, revision: revision - 1 }],
        ["a higher revision", { ...stamp, revision: revision + 1 }],
      ] as const) {
        for (const [what, write] of underStamp("k", wrong)) {
          await refusedAmong(lab, write, `${what} under ${how}`);
        }
      }
      for (const [what, write] of underStamp("unused", stamp)) {
        await refusedAmong(lab, write, `${what} of an unused key`);
      }
      same((await lab.read("k")).entry?.stamp, stamp, "the stamp");
    },
  },
  {
    id: "multiKey.13-absent-since",
    law: "absentSince among several writes is judged by the key's latest revision (S0)",
    needs: ["writeAll"],
    async run(lab) {
      const { stamp } = await lab.seed("k");
      const live = create("k", "second", { absentSince: Number.MAX_SAFE_INTEGER });
      await refusedAmong(lab, live, "absentSince on a live entry");
      const { revision } = await lab.remove("k", stamp);
      for (const [what, absentSince] of [
        ["absentSince 0 after a removal", 0],
        ["absentSince just below a removal", revision - 1],
      ] as const) {
        await refusedAmong(lab, create("k", "second", { absentSince }), what);
      }
      const at = create("k", "second", { absentSince: revision });
      await appliedAmong(lab, at, "absentSince at a removal");
    },
  },
  {
    id: "multiKey.14-expired",
    law: "an expired entry among several is none, and its revision is known (S0, S2)",
    needs: ["writeAll"],
    async run(lab) {
      const created = await lab.seed("created", "first", 50);
      const since = await lab.seed("since", "first", 50);
      const stamped = await lab.seed("stamped", "first", 50);
      const ends = [created, since, stamped].map(({ expiresAt = 0 }) => expiresAt);
      await lab.passUntil(Math.max(...ends));
      await appliedAmong(lab, create("created", "second"), "a create after expiry");
      const below = create("since", "second", { absentSince: since.revision - 1 });
      await refusedAmong(lab, below, "absentSince below an expired revision");
      const at = create("since", "second", { absentSince: since.revision });
      await appliedAmong(lab, at, "absentSince at an expired revision");
      for (const [what, write] of underStamp("stamped", stamped.stamp)) {
        await refusedAmong(lab, write, `${what} of an expired entry`);
      }
    },
  },
  {
    id: "multiKey.15-ttl",
    law: "times to live among several writes are honoured and never rounded down (S10)",
    needs: ["writeAll"],
    async run(lab) {
      for (const ttlMs of TTLS_MS) {
        const before = await lab.now();
        const set = await lab.seed(`set ${ttlMs}`);
        const touched = await lab.seed(`touched ${ttlMs}`);
        const writes: Single[] = [
          { key: `created ${ttlMs}`, expect: "absent", next: { value: "value", ttlMs } },
          { key: `set ${ttlMs}`, expect: set.stamp, next: { value: "second", ttlMs } },
          { key: `touched ${ttlMs}`, expect: touched.stamp, next: { touch: true, ttlMs } },
        ];
        await writeAll(lab, writes);
        for (const { key } of writes) {
          const { entry, now } = await lab.read(key);
          if (entry !== undefined) {
            honours(lab, entry, ttlMs, `"${key}"`);
          }
          const over = now >= before + ttlMs * 1_000;
          check(entry !== undefined || over, `"${key}" is gone before its ttl of ${ttlMs} ms`);
        }
      }
    },
  },
  {
    id: "multiKey.16-kept",
    law: '"keep" among several writes leaves the expiry as it was, and "never" ends it (S0, S10)',
    needs: ["writeAll"],
    async run(lab) {
      const kept = await lab.seed("kept", "first", 60_000);
      const forever = await lab.seed("forever", "first");
      const freed = await lab.seed("freed", "first", 60_000);
      await writeAll(lab, [
        { key: "kept", expect: kept.stamp, next: { value: "second", ttlMs: "keep" } },
        { key: "forever", expect: forever.stamp, next: { value: "second", ttlMs: "keep" } },
        { key: "freed", expect: freed.stamp, next: { touch: true, ttlMs: "never" } },
      ]);
      same((await lab.read("kept")).entry?.expiresAt, kept.expiresAt, "the kept expiry");
      same((await lab.read("forever")).entry?.expiresAt, undefined, "the kept lack of one");
      same((await lab.read("freed")).entry?.expiresAt, undefined, "an expiry that was ended");
    },
  },
  {
    id: "multiKey.17-values",
    law: "values among several writes return exactly as written (S9)",
    needs: ["writeAll"],
    async run(lab) {
      const names = Object.keys(VALUES);
      const stamps = new Map<string, Stamp>();
      for (const name of names) {
        stamps.set(name, (await lab.seed(`set ${name}`, "first")).stamp);
      }
      await writeAll(
        lab,
        Object.entries(VALUES).flatMap(([name, value]): Single[] => {
          const expect = stamps.get(name) ?? { revision: 0, opId: OTHER_OP_ID };
          const next = { value, ttlMs: "never" } as const;
          return [create(`created ${name}`, value), { key: `set ${name}`, expect, next }];
        }),
      );
      for (const key of names.flatMap((name) => [`created ${name}`, `set ${name}`])) {
        const wanted = VALUES[key.slice(key.indexOf(" ") + 1)];
        const value = (await lab.peer.read(key)).entry?.value;
        check(value === wanted, `the value "${key}" came back altered`, value);
      }
    },
  },
  {
    id: "multiKey.18-keys",
    law: "keys among several writes are the keys of single ones, byte for byte (S8)",
    needs: ["writeAll"],
    async run(lab) {
      const taken = new Set<string>();
      for (const alike of Object.values<readonly string[]>(KEYS)) {
        const keys = alike.filter((key) => !taken.has(key));
        await writeAll(
          lab,
          keys.map((key) => create(key, `value of ${key}`)),
        );
        for (const key of keys) {
          taken.add(key);
          const { entry } = await lab.peer.read(key);
          same(entry?.value, `value of ${key}`, `the value of key ${JSON.stringify(key)}`);
          refused(await lab.create(key), `a single create of key ${JSON.stringify(key)}`);
        }
      }
    },
  },
  {
    id: "multiKey.19-restart",
    law: "what several writes wrote in one step is there after a restart, and replayed",
    needs: ["writeAll", "restart", "durable"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const writes: Single[] = [
        { key: "a", expect: "absent", next: { value: "value", ttlMs: 600_000 } },
        create("b"),
        { key: "removed", expect: stamp, next: "removed" },
      ];
      const { revisions, opId } = await writeAll(lab, writes);
      const before = [await lab.read("a"), await lab.read("b"), await lab.read("removed")];
      const { writeAll: again } = (await lab.restart()) as Partial<MultiKeyStore>;
      for (const [index, { key }] of writes.entries()) {
        const { entry, revision } = await lab.read(key);
        const { [index]: told } = before;
        same([entry, revision], [told?.entry, told?.revision], `"${key}" after a restart`);
      }
      // The new client may be of another kind.
      const sent = await again?.({ opId, writes });
      if (sent !== undefined) {
        check(sent.outcome === "applied" && sent.replayed, "sent again it is a replay", sent);
        same(sent.revisions, revisions, "its revisions");
      }
    },
  },
];
