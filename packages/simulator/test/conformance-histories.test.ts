// The recorded workloads: that they do what they are for, that a violation is shown with its seed
// and the smallest part that shows it, and that the model of several keys accepts and rejects.
import { createMemoryStore } from "@onceproof/core";
import type { MultiKeyStore, WriteAll } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import { atomicStoreModel, checkHistory } from "@onceproof/simulator/checker";
import {
  brokenStores,
  type ConformanceFixture,
  type ConformanceHarness,
  runStoreConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import {
  type MultiKeyInput,
  type MultiKeyOutput,
  multiKeyModel,
} from "../src/conformance/histories/multi-key-model.js";
import { recordMultiKeyWorkload } from "../src/conformance/histories/multi-key-workload.js";
import { mustBeLinearizable } from "../src/conformance/histories/verdict.js";
import { recordWorkload } from "../src/conformance/histories/workload.js";
import { Lab } from "../src/conformance/lab.js";
import { faultyMemory } from "./support/memory-harness.js";

const WORKLOAD = { clients: 6, stepsPerClient: 50, keys: ["a", "b", "c"] } as const;

/** Records on a fresh memory store behind a network, and on its virtual time. */
async function record<T>(
  seed: number,
  recording: (lab: Lab) => Promise<T>,
  latencyMs = 3,
): Promise<T> {
  const harness = faultyMemory(undefined, latencyMs);
  const { drive = (promise) => promise, runtime = createVirtualRuntime() } = harness;
  const fixture: ConformanceFixture = await harness.create();
  return drive(recording(new Lab(fixture, { ...harness, seed }, runtime)));
}

describe("a recorded workload", () => {
  test("has every kind of write, applied, refused and replayed, and lives that end", async () => {
    const tally = new Set<string>();
    for (let seed = 1; seed <= 4; seed += 1) {
      for (const { input, output } of await record(seed, (lab) =>
        recordWorkload(lab, { ...WORKLOAD, losses: 0 }),
      )) {
        if (input.kind === "read") {
          const { entry, revision } = output as { entry?: object; revision?: number };
          tally.add(`read ${entry ? "entry" : revision ? "ended" : "nothing"}`);
        } else if (output !== undefined && "outcome" in output) {
          const { next, expect: expected } = input.write;
          const create = expected === "absent" ? "create" : "absentSince" in expected && "since";
          const kind = create || (next === "removed" ? next : "touch" in next ? "touch" : "set");
          const replayed = output.outcome === "applied" && output.replayed;
          tally.add(`${kind} ${replayed ? "replayed" : output.outcome}`);
        }
      }
    }
    const kinds = ["create", "since", "set", "touch", "removed"];
    const outcomes = ["applied", "refused", "replayed"];
    const writes = kinds.flatMap((kind) => outcomes.map((outcome) => `${kind} ${outcome}`));
    const all = [...writes, "read entry", "read ended", "read nothing"];
    expect([...tally].sort()).toEqual(all.sort());
  });

  test("is the same again for the same seed, and another for another", async () => {
    const run = async (seed: number): Promise<string> =>
      JSON.stringify(
        await record(seed, (lab) => recordWorkload(lab, { ...WORKLOAD, losses: 0.1 })),
      );
    expect(await run(5)).toBe(await run(5));
    expect(await run(5)).not.toBe(await run(6));
  });

  test.each([0, 3])("is decided cheaply on any seed (latency %s ms)", async (latencyMs) => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const history = await record(
        seed,
        (lab) => recordWorkload(lab, { ...WORKLOAD, losses: 0.1 }),
        latencyMs,
      );
      const lost = history.filter(({ returnedAt }) => returnedAt === undefined);
      expect(lost.length, `seed ${seed}`).toBeGreaterThan(5);
      const { verdict } = checkHistory(atomicStoreModel(), history, { maxSteps: 100_000 });
      expect(verdict, `seed ${seed}`).toBe("linearizable");
    }
  });

  test("shows a violation with the seed and the smallest part that shows it", async () => {
    const broken = brokenStores.find(({ id }) => id === "stale-refusal");
    const harness = { ...faultyMemory(broken?.create), seed: 17 } satisfies ConformanceHarness;
    const { cases } = await runStoreConformance(harness, { clauses: ["S1"] });
    const { message = "" } = cases.find(({ id }) => id === "S1.8-history") ?? {};
    expect(message).toMatch(/^the history of key "[abc]" is not linearizable \(seed 17\)/);
    expect(message).toContain("(in parentheses the first letters of the opId that wrote)");
    expect(message).toContain("atomic store: no order of these");
    // Whole, as the revision at its end is what decides.
    expect(message).toMatch(/Then none of these is: .* -> refused by .* at \d+$/m);
  });

  test("that cannot be decided fails with advice", () => {
    const operations = [...Array(40).keys()].map((index) => ({
      process: index,
      input: {
        kind: "write",
        write: {
          key: "k",
          opId: `${String(index).padStart(4, "0")}ofSomeRecordHistoA`,
          expect: "absent",
          next: { value: String(index), ttlMs: 5 },
        },
      } as const,
      invokedAt: 0,
    }));
    const read = {
      process: "reader",
      input: { kind: "read", key: "k" } as const,
      output: {
        now: 5,
        revision: 4,
        entry: {
          value: "gone",
          stamp: { revision: 4, opId: "neverWrittenByAnybodyA" },
          writtenAt: 4,
        },
      },
      invokedAt: 1,
      returnedAt: 2,
    };
    expect(() => mustBeLinearizable(atomicStoreModel(), [...operations, read], 9, 5_000)).toThrow(
      /no verdict on 41 operations.*seed 9.*Try other seeds/,
    );
  });
});

describe("a recorded workload over several keys", () => {
  const keys = ["a", "b", "c"];

  test("is linearizable on the memory store on any seed, and does all that it is for", async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) {
      const history = await record(seed, (lab) => recordMultiKeyWorkload(lab, keys));
      mustBeLinearizable(multiKeyModel(keys), history, seed);
      for (const { input, output } of history) {
        const answer = output as { outcome?: string; replayed?: boolean } | undefined;
        seen.add(`${input.kind} ${answer?.replayed ? "replayed" : answer?.outcome}`);
      }
    }
    for (const kind of ["applied", "refused", "replayed"]) {
      expect(seen).toContain(`writeAll ${kind}`);
    }
  });

  /** One client's history on a correct store, its last answer altered. */
  async function altered(
    alter: (output: Extract<MultiKeyOutput, { readonly now: number }>) => object,
  ): Promise<string> {
    const store: MultiKeyStore = createMemoryStore({ runtime: createVirtualRuntime() });
    const all = (opId: string, ...named: string[]): WriteAll => ({
      opId: `${opId}ofSomeRecordHistoA`,
      writes: named.map((key) => ({
        key,
        expect: "absent",
        next: { value: opId, ttlMs: "never" },
      })),
    });
    const sent = [all("0001", "a", "b"), all("0002", "b", "c"), all("0001", "a", "b")];
    const history = [];
    for (const [at, each] of sent.entries()) {
      const output = (await store.writeAll(each)) as MultiKeyOutput;
      const input: MultiKeyInput = { kind: "writeAll", all: each };
      history.push({ process: 1, input, output, invokedAt: 2 * at, returnedAt: 2 * at + 1 });
    }
    const last = history.at(-1) as (typeof history)[number];
    const output = { ...last.output, ...alter(last.output) } as MultiKeyOutput;
    const { verdict } = checkHistory(multiKeyModel(keys), [
      ...history.slice(0, -1),
      { ...last, output },
    ]);
    return verdict;
  }

  test("is judged over all keys: answers that no store can give are violations", async () => {
    expect(await altered(() => ({}))).toBe("linearizable");
    expect(await altered(() => ({ replayed: false }))).toBe("violated");
    expect(await altered(() => ({ revisions: [1, 2] }))).toBe("violated");
    expect(await altered(({ now }) => ({ outcome: "refused", index: 0, now }))).toBe("violated");
  });
});
