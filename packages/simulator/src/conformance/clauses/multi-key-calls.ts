// Short forms of `writeAll` for the cases that judge it.

import type { CreateWrite, WriteAllResult, WriteWithoutOpId } from "@onceproof/core/advanced";
import { check } from "../checks.js";
import type { Lab } from "../lab.js";

type AllApplied = Extract<WriteAllResult, { outcome: "applied" }>;

/** A create among several writes. */
export function create(
  key: string,
  value = "value",
  expect: CreateWrite["expect"] = "absent",
): WriteWithoutOpId {
  return { key, expect, next: { value, ttlMs: "never" } };
}

/** Writes several keys; fails unless that applies. */
export async function writeAll(
  lab: Lab,
  writes: readonly WriteWithoutOpId[],
  opId: string = lab.opId(),
): Promise<AllApplied & { opId: string }> {
  const result = await lab.multiKey.writeAll({ opId, writes });
  check(result.outcome === "applied", "a writeAll without a conflict must be applied", result);
  return { ...result, opId };
}
