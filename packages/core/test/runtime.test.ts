import { systemRuntime } from "@onceproof/core/advanced";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

test("the wall clock is the machine's, in milliseconds since the epoch", () => {
  vi.useFakeTimers({ now: 1_800_000_000_123, toFake: ["Date", "performance"] });
  try {
    expect(systemRuntime.wallNow()).toBe(1_800_000_000_123);
    const before = systemRuntime.monotonicNow();
    vi.setSystemTime(1_000);
    expect(systemRuntime.wallNow()).toBe(1_000);
    expect(systemRuntime.monotonicNow()).toBe(before);
    vi.advanceTimersByTime(250);
    expect(systemRuntime.monotonicNow()).toBe(before + 250);
  } finally {
    vi.useRealTimers();
  }
});

test("the monotonic clock never goes back", () => {
  let before = systemRuntime.monotonicNow();
  for (let count = 0; count < 1_000; count += 1) {
    const now = systemRuntime.monotonicNow();
    expect(now).toBeGreaterThanOrEqual(before);
    before = now;
  }
});

describe("a timer", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("calls back once, and not after it was cancelled", () => {
    const called = vi.fn();
    const cancelled = vi.fn();
    systemRuntime.setTimer(called, 10);
    systemRuntime.setTimer(cancelled, 10)();
    vi.advanceTimersByTime(1_000);
    expect(called).toHaveBeenCalledTimes(1);
    expect(cancelled).not.toHaveBeenCalled();
  });

  test("is never rounded down", () => {
    const called = vi.fn();
    systemRuntime.setTimer(called, 10.2);
    vi.advanceTimersByTime(10);
    expect(called).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(called).toHaveBeenCalledTimes(1);
  });

  // Engines keep a delay in 32 bits: beyond them it would fire at once.
  test.each([2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    "of %d ms does not fire at once",
    (delayMs) => {
      const called = vi.fn();
      systemRuntime.setTimer(called, delayMs);
      vi.advanceTimersByTime(86_400_000);
      expect(called).not.toHaveBeenCalled();
    },
  );
});

test("random bytes have the length asked for and are not the same twice", () => {
  const [one, other] = [systemRuntime.randomBytes(1_024), systemRuntime.randomBytes(1_024)];
  expect(one).toHaveLength(1_024);
  expect(Buffer.from(one).equals(Buffer.from(other))).toBe(false);
});
