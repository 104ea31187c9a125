import { createVirtualRuntime, SimulationError } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";

describe("a virtual runtime", () => {
  test("fires timers in order of time, and of setting where times are equal", async () => {
    const runtime = createVirtualRuntime();
    const fired: string[] = [];
    runtime.setTimer(() => fired.push("late"), 30);
    runtime.setTimer(() => fired.push("first of two"), 10);
    runtime.setTimer(() => fired.push("second of two"), 10);
    const cancel = runtime.setTimer(() => fired.push("cancelled"), 5);
    cancel();
    expect(runtime.pendingTimers).toBe(3);
    await runtime.advance(29.9);
    expect(fired).toEqual(["first of two", "second of two"]);
    await runtime.advance(0.1);
    expect(fired).toEqual(["first of two", "second of two", "late"]);
  });

  test("keeps a thousand random timers in order, through cancellations", async () => {
    const runtime = createVirtualRuntime({ seed: 7 });
    const fired: number[] = [];
    const bytes = runtime.randomBytes(1000);
    const cancels = [...bytes].map((byte) => runtime.setTimer(() => fired.push(byte), byte));
    cancels.forEach((cancel, index) => {
      if (index % 3 === 0) {
        cancel();
      }
    });
    await runtime.advance(256);
    expect(fired).toEqual([...bytes].filter((_, index) => index % 3 !== 0).sort((a, b) => a - b));
  });

  test("drives a day of waiting in an instant and settles with the promise", async () => {
    const runtime = createVirtualRuntime();
    const start = runtime.wallNow();
    const work = (async (): Promise<string> => {
      for (let hour = 0; hour < 24; hour += 1) {
        await runtime.sleep(3_600_000);
      }
      return "done";
    })();
    expect(await runtime.run(work)).toBe("done");
    expect(runtime.wallNow() - start).toBe(86_400_000);
    expect(runtime.monotonicNow()).toBe(86_400_000);
  });

  test("drains microtask chains of any depth before it moves time", async () => {
    const runtime = createVirtualRuntime();
    const deep = async (): Promise<number> => {
      for (let depth = 0; depth < 10_000; depth += 1) {
        await undefined;
      }
      return runtime.monotonicNow();
    };
    runtime.setTimer(() => {}, 1);
    expect(await runtime.run(deep())).toBe(0);
  });

  test("passes a rejection on", async () => {
    const runtime = createVirtualRuntime();
    const failing = runtime.sleep(5).then(() => Promise.reject(new Error("no")));
    await expect(runtime.run(failing)).rejects.toThrow("no");
  });

  test("names a deadlock, a livelock and a nested drive", async () => {
    const runtime = createVirtualRuntime({ maxEvents: 100 });
    await expect(runtime.run(new Promise(() => {}))).rejects.toThrow(/deadlock/);
    const again = (): void => void runtime.setTimer(again, 1);
    again();
    await expect(runtime.run(new Promise(() => {}))).rejects.toThrow(/still pending after 100/);
    const nested = runtime.sleep(1).then(() => runtime.advance(1));
    await expect(runtime.run(nested)).rejects.toThrow(SimulationError);
  });

  test("repeats its random bytes for a seed and differs between seeds", () => {
    const draw = (seed: number): string => createVirtualRuntime({ seed }).randomBytes(32).join();
    expect(draw(1)).toBe(draw(1));
    expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map(draw)).size).toBe(8);
  });

  test("a wall-clock jump moves neither monotonic time nor timers", async () => {
    const runtime = createVirtualRuntime();
    const start = runtime.wallNow();
    let fired = false;
    runtime.setTimer(() => {
      fired = true;
    }, 10);
    runtime.jumpWall(60_000);
    expect(runtime.wallNow()).toBe(start + 60_000);
    runtime.jumpWall(-90_000);
    expect(runtime.wallNow()).toBe(start - 30_000);
    await runtime.advance(9);
    expect(fired).toBe(false);
    await runtime.advance(1);
    expect(fired).toBe(true);
    expect(runtime.monotonicNow()).toBe(10);
  });
});
