// The guarantee of `createLock`, sentence by sentence, over a memory store that works and over one
// that drops, delays and doubles calls and whose clock steps.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type Holder, type LockHistory, lockRuns, playLocks } from "./support/lock-script.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const WORKING = { name: "the memory store", faults: false, clockJumps: false };
const FAULTY = { name: "a bad network", faults: true, clockJumps: false };
const STEPPING = {
  name: "a bad network and a store clock that steps",
  faults: true,
  clockJumps: true,
};

/** Asserts what must hold of every run. */
async function always(
  options: { readonly faults: boolean; readonly clockJumps: boolean },
  law: (history: LockHistory) => void,
): Promise<void> {
  const runs = fc.asyncProperty(lockRuns(options), async (run) => {
    law(await playLocks(run));
  });
  await fc.assert(runs, propertyRuns(150));
}

/** What a sink accepts that checks the token in the same step as the effect. */
function accepted(arrivals: readonly Holder[]): Holder[] {
  let newest = 0;
  return arrivals.filter(({ token }) => {
    const fresh = token >= newest;
    newest = Math.max(newest, token);
    return fresh;
  });
}

describe.each([WORKING, FAULTY, STEPPING])("over $name", (options) => {
  test("a sink that checks the token never accepts an older holder after a newer one", async () => {
    await always(options, ({ arrivals }) => {
      let newestAskedMs = 0;
      for (const { askedMs, gotMs } of accepted(arrivals)) {
        expect(
          gotMs,
          "got the lock before the newest accepted holder asked for it",
        ).not.toBeLessThan(newestAskedMs);
        newestAskedMs = Math.max(newestAskedMs, askedMs);
      }
    });
  });

  test("tokens strictly increase from holder to holder", async () => {
    await always(options, ({ holders }) => {
      for (const [index, holder] of holders.entries()) {
        for (const other of holders.slice(0, index)) {
          expect(holder.token).not.toBe(other.token);
          if (other.gotMs < holder.askedMs) {
            expect(holder.token).toBeGreaterThan(other.token);
          }
        }
      }
    });
  });

  test("what a holder is told of its lock is true, and the signal fires", async () => {
    await always(options, ({ broken }) => expect(broken).toEqual([]));
  });

  test("a release that tells of a loss was not a release", async () => {
    await always(options, ({ holders, removed }) => {
      for (const { released, token } of holders) {
        if (released !== undefined && released !== "unknown") {
          expect(released).toBe(removed.has(token) ? "released" : "lost");
        }
      }
    });
  });

  test("once the faults are lifted the lock can be acquired within the lease", async () => {
    await always(options, ({ settledAgain }) => expect(settledAgain).toBe(true));
  });
});

describe.each([WORKING, FAULTY])("while the store's clock keeps time, over $name", (options) => {
  test("nobody believes to hold at the instant when another acquires", async () => {
    await always(options, ({ believers }) =>
      expect(believers.map(({ token }) => token)).toEqual([]),
    );
  });
});
