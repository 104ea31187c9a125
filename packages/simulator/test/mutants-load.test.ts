// Core as the simulator loads it: as it is it behaves like core itself, and each mutant loads, with
// the same exports, and behaves otherwise.

import * as mainEntry from "@onceproof/core";
import * as advancedEntry from "@onceproof/core/advanced";
import { beforeAll, expect, test } from "vitest";
import { type CoreModule, loadCore, loadMutants } from "../src/mutants/index.ts";
import { createVirtualRuntime } from "../src/virtual-runtime.ts";

const real = { ...mainEntry, ...advancedEntry } as CoreModule;

// Where the sources have changed, the first call bundles every mutant.
beforeAll(async () => {
  await loadMutants();
});

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

/** What a few calls of dedup and lock tell, on a store and a clock of their own. */
async function play(core: CoreModule): Promise<readonly unknown[]> {
  const runtime = createVirtualRuntime({ seed: 5 });
  const store = core.createMemoryStore({ runtime });
  const dedup = core.createDedup({ store, name: "pay", onCrash: "park", runtime });
  const locks = core.createLock({ store, name: "stock", runtime });
  const told: unknown[] = [];
  let charged = 0;
  const charge = (): number => {
    charged += 1;
    return charged;
  };
  const script = async (): Promise<void> => {
    for (const fingerprint of [{ amount: 1 }, { amount: 1 }, { amount: 2 }]) {
      told.push(await dedup.run("order-17", charge, { fingerprint }).catch(codeOf));
    }
    told.push(await dedup.attempt("order-18", () => ({ at: new Date(0), n: 1n })));
    told.push(await dedup.attempt("order-18", charge));
    const first = await locks.acquire("shelf");
    told.push(first.token, (await locks.tryAcquire("shelf")).outcome, await first.release());
    told.push((await locks.acquire("shelf")).token > first.token);
  };
  await runtime.run(script());
  return [...told, charged];
}

test("without a mutant it does what core does", async () => {
  const told = await play(await loadCore(undefined));
  expect(told).toEqual(await play(real));
  expect(told.slice(0, 3)).toEqual([1, 1, "mismatch"]);
});

test.each(["dedup/replay-recomputed", "dedup/mismatch-ignored", "contract/stamp-ignored"])(
  "%s loads beside it and leaves it as it was",
  async (id) => {
    const before = await play(await loadCore(undefined));
    const broken = await loadCore(id);
    expect(broken.createDedup).not.toBe((await loadCore(undefined)).createDedup);
    expect(await loadCore(id)).toBe(broken);
    expect(await play(await loadCore(undefined))).toEqual(before);
  },
);

test("a replay that is recomputed charges twice", async () => {
  const told = await play(await loadCore("dedup/replay-recomputed"));
  expect(told.at(-1)).toBeGreaterThan(1);
});

test("every mutant loads and exports what core exports", async () => {
  const names = Object.keys(await loadCore(undefined)).sort();
  expect(names).toEqual(Object.keys(real).sort());
  for (const { id } of await loadMutants()) {
    expect(Object.keys(await loadCore(id)).sort(), id).toEqual(names);
  }
});

test("an error's stack names the mutant and does not hold the code", async () => {
  const broken = await loadCore("lock/no-end-of-the-entry");
  const thrown = (() => {
    try {
      broken.createLock({} as never);
    } catch (error) {
      return error as Error;
    }
    throw new Error("it was not refused");
  })();
  expect(thrown.stack).toContain("onceproof-core/lock/no-end-of-the-entry.js:");
  expect(thrown.stack).not.toContain("data:text");
});

test("an id that no mutant has is refused", async () => {
  await expect(loadCore("lock/no-such")).rejects.toMatchObject({ code: "optionInvalid" });
});
