// A failover that loses acknowledged writes, on a real primary and a real replica: exactly what the
// guarantees declare lost is lost.
import { missing } from "@onceproof/test-servers";
import { describe, expect, test } from "vitest";
import { lossyFailover } from "../src/failover/lossy-failover.js";

const byName = (observations: Awaited<ReturnType<typeof lossyFailover>>) =>
  Object.fromEntries(observations.map(({ what, seen, detail }) => [what, { seen, detail }]));

const wanted = (observations: Awaited<ReturnType<typeof lossyFailover>>) =>
  Object.fromEntries(
    observations.map(({ what, declared, detail }) => [
      what,
      { seen: declared === "lost" ? "lost" : "held", detail },
    ]),
  );

describe.skipIf(missing("redis"))("a lossy failover of a real Redis", () => {
  test("takes away what is declared, and nothing else", async () => {
    const seen = await lossyFailover({ behindMs: 0 });
    expect(byName(seen)).toEqual(wanted(seen));
    expect(seen.filter(({ declared }) => declared === "lost")).toHaveLength(6);
  });

  test.skipIf(missing("clock-shim"))(
    "to a clock that is behind, also the order of tokens",
    async () => {
      const seen = await lossyFailover({ behindMs: 60_000 });
      expect(byName(seen)).toEqual(wanted(seen));
      expect(seen.filter(({ declared }) => declared === "lost")).toHaveLength(7);
    },
  );
});
