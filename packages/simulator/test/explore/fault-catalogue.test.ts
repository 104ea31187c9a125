// docs/fault-catalogue.md and the code name the same faults.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultMenu } from "../../src/explore/fault-menu.ts";
import { PROFILES } from "../../src/world/profile.ts";

test("the catalogue has a row for every fault that some menu holds, and for no other", () => {
  const times = { operationTimeoutMs: 100, tombstoneMs: 1_000, leaseMs: 500, retentionMs: 5_000 };
  const menus = PROFILES.flatMap((profile) => faultMenu({ profile, times, toStore: true }));
  const text = readFileSync(
    new URL("../../../../docs/fault-catalogue.md", import.meta.url),
    "utf8",
  );
  const rows = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual([...new Set(menus.map(({ fault }) => fault))].sort());
});
