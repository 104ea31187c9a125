// A verify function is somebody's code: what it answers may be anything.

import type { Verify } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, type DedupWorld, LEASE_MS, never } from "./support/dedup-world.ts";

/** A world where the first attempt at "k" crashed and its lease has lapsed. */
async function crashed(): Promise<DedupWorld> {
  const w = createWorld();
  await w.run(w.claims({ onCrash: never }).begin("k"));
  await w.runtime.advance(LEASE_MS);
  expect(w.runtime.pendingTimers).toBe(0);
  return w;
}

function spiky(shape: object, name: string): object {
  return Object.defineProperty({ ...shape }, name, { enumerable: true, get: never });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const failed = { answer: "failed", code: "declined", message: "no funds" };

const MALFORMED: readonly (readonly [what: string, answer: () => unknown])[] = [
  ["a message without a prototype", () => ({ ...failed, message: Object.create(null) })],
  ["a code without a prototype", () => ({ ...failed, code: Object.create(null) })],
  ["a symbol as message", () => ({ ...failed, message: Symbol("s") })],
  ["a symbol as code", () => ({ ...failed, code: Symbol("s") })],
  ["numbers as code and message", () => ({ ...failed, code: 1, message: 2 })],
  ["a failure without code and message", () => ({ answer: "failed" })],
  ["a failure without message", () => ({ answer: "failed", code: "x" })],
  ["a failure without code", () => ({ answer: "failed", message: "x" })],
  ["a word that is none", () => ({ answer: "nonsense" })],
  ["an inherited name", () => ({ answer: "constructor" })],
  ["a symbol as answer", () => ({ answer: Symbol("s") })],
  ["a symbol", () => Symbol("s")],
  ["nothing", () => undefined],
  ["null", () => null],
  ["a throwing answer", () => spiky(failed, "answer")],
  ["a throwing code", () => spiky(failed, "code")],
  ["a throwing message", () => spiky(failed, "message")],
  ["a throwing value", () => spiky({ answer: "done" }, "value")],
  ["a revoked proxy", revoked],
];

describe.each(MALFORMED)("a verify that answers %s", (_, answer) => {
  test.each([
    ["at once", () => answer()],
    ["later", async () => answer()],
  ])("%s leaves the key unresolved, at once, and no timer", async (_, verify) => {
    const w = await crashed();
    const dedup = w.dedup({ onCrash: verify as Verify });
    expect(await w.run(dedup.attempt("k", never))).toMatchObject({
      outcome: "indeterminate",
      reason: "verifyUnknown",
    });
    expect(w.runtime.pendingTimers).toBe(0);
    expect(await w.run(dedup.inspect("k"))).toMatchObject({ state: "open", unresolved: true });
    expect(w.runtime.monotonicNow()).toBe(LEASE_MS);
  });

  test("does not keep the next caller from asking again", async () => {
    const w = await crashed();
    await w.run(w.dedup({ onCrash: answer as Verify }).attempt("k", never));
    const next = w.dedup({ onCrash: () => ({ answer: "notDone" }) });
    expect(await w.run(next.run("k", () => "ran"))).toBe("ran");
  });
});
