// People resolve keys at any moment, rightly or not, while processes crash, pause and retry.

import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { everyKeySettles, holdsAlways } from "./support/dedup-oracles.ts";
import { scripts } from "./support/dedup-script.ts";
import { play } from "./support/dedup-theatre.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

describe.each([
  { title: "the memory store", direct: true, runs: 40 },
  { title: "the memory store behind a bad network", direct: false, runs: 120 },
])("over $title", ({ direct, runs }) => {
  test.each(["park", "rerun"] as const)(
    "%s: resolving never overwrites an outcome or a live attempt",
    (policy) =>
      fc.assert(
        fc.asyncProperty(scripts({ faulty: !direct, people: true }), async (script) => {
          const played = await play(script, { policy, sink: "naive", direct });
          holdsAlways(played);
          everyKeySettles(played, { park: policy === "park" });
        }),
        propertyRuns(runs),
      ),
  );
});
