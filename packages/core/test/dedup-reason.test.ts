// Why nobody knows: the error of `run` says the same as the result of `attempt`.

import type { Handler } from "@onceproof/core";
import { IndeterminateError } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, type DedupWorld, LEASE_MS, never, settled } from "./support/dedup-world.ts";

interface Case {
  readonly reason: string;
  readonly onCrash: "park" | "rerun" | (() => { readonly answer: "unknown" });
  prepare(w: DedupWorld): Promise<Handler<unknown>>;
}

const CASES: readonly Case[] = [
  {
    reason: "parked",
    onCrash: "park",
    async prepare(w) {
      await w.run(w.dedup().attempt("k", () => Promise.reject(new Error("boom"))));
      return never;
    },
  },
  {
    reason: "acquireUnknown",
    onCrash: "park",
    async prepare(w) {
      w.cut({ fault: "dropReply" });
      return never;
    },
  },
  {
    reason: "verifyUnknown",
    onCrash: () => ({ answer: "unknown" }),
    async prepare(w) {
      await w.run(w.claims({ onCrash: never }).begin("k"));
      await w.runtime.advance(LEASE_MS);
      return never;
    },
  },
  {
    reason: "superseded",
    onCrash: "rerun",
    // Its renewals are lost, and somebody who never finishes takes over.
    prepare: async (w) => async () => {
      const restore = w.cut({ fault: "unavailable" });
      await w.runtime.sleep(LEASE_MS + 1);
      await w.claims({ onCrash: "rerun", store: w.faulty.direct }).begin("k");
      restore();
      return "late";
    },
  },
];

describe.each(CASES)("$reason", ({ reason, onCrash, prepare }) => {
  test("is the reason of the result", async () => {
    const w = createWorld();
    const handler = await prepare(w);
    const result = await w.run(w.dedup({ onCrash, waitMs: 100 }).attempt("k", handler));
    expect(result).toMatchObject({ outcome: "indeterminate", reason });
  });

  test("is the reason of the error", async () => {
    const w = createWorld();
    const handler = await prepare(w);
    const run = settled(w.dedup({ onCrash, waitMs: 100 }).run("k", handler));
    const { error } = await w.run(run);
    expect(error).toBeInstanceOf(IndeterminateError);
    expect(error).toMatchObject({ code: "indeterminate", reason });
  });
});
