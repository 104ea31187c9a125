// The properties that run on real stores: they hold on the memory store, and reject a store that
// reads before it writes, and a mistake in each algorithm.

import { createMemoryStore } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import type { Break } from "../../src/conformance/broken/breakage.ts";
import { brokenStores } from "../../src/conformance/broken/broken-stores.ts";
import { loadCore } from "../../src/mutants/index.ts";
import { type Place, unreliable } from "../support/live/place.ts";
import { PROGRAMS } from "../support/live/programs.ts";
import { assertProperty, registerProperties } from "../support/live/register-properties.ts";
import { plainly } from "../support/memory-harness.ts";

const CLIENTS = 3;
/** The search ends with the first program that goes wrong; most need less than ten. */
const UNTIL_FOUND = { numRuns: 300, shrinks: false } as const;
const SEARCH_MS = 120_000;
/** It names a guarantee, so that nothing else that fails passes for it. */
const VIOLATED = { cause: { message: expect.stringMatching(/^[a-z-]+\/[a-z-]+: /) } };

async function memoryPlace(breaks: Break = plainly): Promise<Place> {
  const memory = createMemoryStore();
  const peers = Array.from({ length: CLIENTS }, () => memory.peer());
  const { stores, lose } = unreliable(peers, { latencyMs: 2, operationTimeoutMs: 200 });
  return {
    stores: stores.map((store) => breaks(store)),
    lose,
    close: () => memory.close(),
  };
}

registerProperties(() => memoryPlace());

const readsThenWrites = (): Break => {
  const broken = brokenStores.find(({ id }) => id === "read-then-write");
  if (broken === undefined) throw new Error("there is such a store");
  return broken.create();
};

describe.concurrent("a property rejects", () => {
  test.each(Object.keys(PROGRAMS))(
    "a store that reads, judges and then writes: %s",
    async (algorithm) => {
      const place = await memoryPlace(readsThenWrites());
      await expect(assertProperty(algorithm, place, UNTIL_FOUND)).rejects.toMatchObject(VIOLATED);
      await place.close();
    },
    SEARCH_MS,
  );

  test.each([
    ["dedup", "dedup/deleted-on-any-error"],
    ["lock", "lock/token-follows-renewals"],
    ["fence", "fence/read-then-accept"],
    ["unique insert", "unique-insert/query-then-insert"],
    ["tokens", "tokens/request-id-ignored"],
    ["register", "register/lost-update"],
    ["state machine", "state-machine/update-without-the-old-state"],
  ])(
    "a mistake: %s, %s",
    async (algorithm, mutant) => {
      const place = await memoryPlace();
      const search = { ...UNTIL_FOUND, core: await loadCore(mutant) };
      await expect(assertProperty(algorithm, place, search)).rejects.toMatchObject(VIOLATED);
      await place.close();
    },
    SEARCH_MS,
  );
});
