// One write under one opId, sent until its answer is known.

import { StoreError } from "@onceproof/core";
import type { Applied, Refused, Unknown } from "@onceproof/core/advanced";
import { createVirtualRuntime, type VirtualRuntime } from "@onceproof/simulator";
import { describe, expect, test, vi } from "vitest";
import { type SettleOptions, settle } from "../src/shared/settle.js";
import { errorOf } from "./support/store-world.ts";

const APPLIED: Applied = { outcome: "applied", revision: 1, writtenAt: 1, now: 1, replayed: false };
const REFUSED: Refused = { outcome: "refused", now: 1 };
const unknown = (cause: unknown = "lost"): Unknown => ({ outcome: "unknown", cause });
const unavailable = new StoreError("unavailable", "no connection");

type Step = Applied | Refused | Unknown | Error;

/** Sends answered one after another as the steps say, the last one for ever. */
function sends(...steps: Step[]): () => Promise<Applied | Refused | Unknown> {
  let sent = 0;
  return vi.fn(async () => {
    const step = steps[Math.min(sent, steps.length - 1)]!;
    sent += 1;
    if (step instanceof Error) {
      throw step;
    }
    return step;
  });
}

function options(runtime: VirtualRuntime, more: Partial<SettleOptions> = {}): SettleOptions {
  return { runtime, deadline: 1_000, ...more };
}

describe("an answer", () => {
  test.each([APPLIED, REFUSED])("of one send is given on ($outcome)", async (answer) => {
    const runtime = createVirtualRuntime();
    const send = sends(answer);
    const settled = await settle(send, options(runtime));
    expect(settled).toMatchObject(answer);
    expect("afterUnknown" in settled && settled.afterUnknown).toBe(false);
    expect(send).toHaveBeenCalledTimes(1);
    expect(runtime.monotonicNow()).toBe(0);
  });

  test("after lost ones says so, since a refused create may have applied before", async () => {
    const runtime = createVirtualRuntime();
    const onUnknown = vi.fn();
    const send = sends(unknown("first"), unknown("second"), REFUSED);
    const answer = await runtime.run(settle(send, options(runtime, { onUnknown })));
    expect(answer).toEqual({ ...REFUSED, afterUnknown: true });
    expect(send).toHaveBeenCalledTimes(3);
    expect(onUnknown.mock.calls).toEqual([
      [false, "first"],
      [true, "second"],
    ]);
  });

  test("that never comes is unknown at the deadline, with the last cause", async () => {
    const runtime = createVirtualRuntime();
    const send = vi.fn(async () => unknown(runtime.monotonicNow()));
    const answer = await runtime.run(settle(send, options(runtime)));
    expect(answer.outcome).toBe("unknown");
    expect(runtime.monotonicNow()).toBe(1_000);
    expect(send.mock.calls.length).toBeGreaterThan(3);
    expect(send.mock.calls.length).toBeLessThan(60);
  });
});

describe("a store that certainly did nothing", () => {
  test("is an error at once when nothing was sent that may have happened", async () => {
    const runtime = createVirtualRuntime();
    const send = sends(unavailable);
    expect(await errorOf(settle(send, options(runtime)))).toBe(unavailable);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test("is no answer about an earlier send that may have happened", async () => {
    const runtime = createVirtualRuntime();
    const send = sends(unknown(), unavailable, unavailable, APPLIED);
    const answer = await runtime.run(settle(send, options(runtime)));
    expect(answer).toEqual({ ...APPLIED, afterUnknown: true });
    const never = sends(unknown("first"), unavailable);
    expect(await runtime.run(settle(never, options(runtime, { deadline: 5_000 })))).toEqual(
      unknown("first"),
    );
  });

  test("is asked again where the caller persists, and is the error at the deadline", async () => {
    const runtime = createVirtualRuntime();
    const persist = { persist: true };
    const send = sends(unavailable, APPLIED);
    expect(await runtime.run(settle(send, options(runtime, persist)))).toMatchObject(APPLIED);
    const error = errorOf(settle(sends(unavailable), options(runtime, persist)));
    expect(await runtime.run(error)).toBe(unavailable);
    expect(runtime.monotonicNow()).toBe(1_000);
  });

  test("and will do nothing, as it is closed, is not asked again", async () => {
    const runtime = createVirtualRuntime();
    const closed = new StoreError("closed", "closed");
    const send = sends(closed);
    expect(await errorOf(settle(send, options(runtime, { persist: true })))).toBe(closed);
    expect(send).toHaveBeenCalledTimes(1);
    const after = sends(unknown("first"), closed);
    expect(await runtime.run(settle(after, options(runtime)))).toEqual(unknown("first"));
    expect(after).toHaveBeenCalledTimes(2);
  });
});

describe("re-sending", () => {
  test("has full jitter: other pauses with another seed, none longer than half a second", async () => {
    const gapsOf = async (seed: number): Promise<number[]> => {
      const runtime = createVirtualRuntime({ seed });
      const at: number[] = [];
      const send = async (): Promise<Unknown> => {
        at.push(runtime.monotonicNow());
        return unknown();
      };
      await runtime.run(settle(send, options(runtime, { deadline: 20_000 })));
      return at.slice(1).map((ms, index) => ms - at[index]!);
    };
    const [one, other] = [await gapsOf(1), await gapsOf(2)];
    expect(one).not.toEqual(other);
    expect(one[0]).toBeLessThanOrEqual(10);
    expect(Math.max(...one)).toBeLessThanOrEqual(500);
    expect(Math.max(...one)).toBeGreaterThan(300);
    expect(Math.min(...one)).toBeGreaterThan(0);
  });

  test("ends with the caller's signal, at once and with what is known", async () => {
    const runtime = createVirtualRuntime();
    const controller = new AbortController();
    const { signal } = controller;
    const send = sends(unknown("first"));
    const settling = settle(send, options(runtime, { deadline: 60_000, signal }));
    await runtime.advance(3_000);
    controller.abort();
    expect(await runtime.run(settling)).toEqual(unknown("first"));
    expect(runtime.monotonicNow()).toBe(3_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  test("sends once even if the deadline has passed", async () => {
    const runtime = createVirtualRuntime();
    const send = sends(APPLIED);
    expect(await settle(send, options(runtime, { deadline: -1 }))).toMatchObject(APPLIED);
    expect(send).toHaveBeenCalledTimes(1);
  });
});
