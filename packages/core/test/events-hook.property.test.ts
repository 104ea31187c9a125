// Events never change an outcome: the same calls over the same bad network come to the same, at the
// same times and with the same store calls, whatever the hook does.

import {
  createDedup,
  createLock,
  createTokens,
  Final,
  type OnceproofEvent,
  Retryable,
} from "@onceproof/core";
import { countCalls, createFaultyMemoryStore, createVirtualRuntime } from "@onceproof/simulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

const LEASE_MS = 1_500;

type Hook = (event: OnceproofEvent) => unknown;

const HOOKS: { readonly [name: string]: Hook } = {
  throws: () => {
    throw new Error("hook");
  },
  "throws nothing": () => {
    throw undefined;
  },
  rejects: () => Promise.reject(new Error("hook")),
  "rejects later": async () => {
    await undefined;
    throw new Error("hook");
  },
};

const act = fc.constantFrom(
  "value" as const,
  "retryable" as const,
  "final" as const,
  "unknown" as const,
  "step" as const,
  "resolve" as const,
  "lock" as const,
  "extendedLock" as const,
  "token" as const,
);

const call = fc.record({
  act,
  key: fc.constantFrom("a", "b"),
  startMs: fc.integer({ min: 0, max: 4_000 }),
  workMs: fc.constantFrom(0, 10, 700, 4_000),
  onCrash: fc.constantFrom("park" as const, "rerun" as const),
});

const script = fc.record({
  seed: fc.nat(),
  calls: fc.array(call, { minLength: 1, maxLength: 8 }),
  hook: fc.constantFrom(...Object.keys(HOOKS)),
});

type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

/** What each call came to and when, and the calls that reached the store. */
async function play({ seed, calls }: Script, onEvent: Hook | undefined) {
  const runtime = createVirtualRuntime({ seed });
  const faulty = createFaultyMemoryStore({ runtime, seed, operationTimeoutMs: 200 });
  const counter = countCalls(faulty.store);
  const base = {
    store: counter.store,
    name: "n",
    runtime,
    settleMs: 600,
    ...(onEvent && { onEvent }),
  };
  const times = { ...base, leaseMs: LEASE_MS, waitMs: 800 };
  const locks = createLock(times);
  const tokens = createTokens(base);

  const one = async ({ act, key, workMs, onCrash }: Script["calls"][number]): Promise<unknown> => {
    const dedup = createDedup({ ...times, onCrash });
    const after = (error: unknown) => () => runtime.sleep(workMs).then(() => Promise.reject(error));
    switch (act) {
      case "value":
        return dedup.attempt(key, () => runtime.sleep(workMs).then(() => workMs));
      case "retryable":
        return dedup.attempt(key, after(new Retryable("later")));
      case "final":
        return dedup.run(key, after(new Final("declined", "no")));
      case "unknown":
        return dedup.attempt(key, after(new Error("boom")));
      case "step":
        return dedup.run(key, async (ctx) => {
          await ctx.started();
          const receipt = await ctx.step("charge", () => runtime.sleep(workMs).then(() => "r"));
          return [receipt, ctx.attempt, ctx.fencingToken];
        });
      case "resolve":
        return dedup.resolve(key, { outcome: "done", value: "by hand" });
      case "lock":
        return locks.run(key, async (lock) => {
          await runtime.sleep(workMs);
          return [lock.token, lock.held];
        });
      case "extendedLock": {
        const lock = await locks.acquire(key, { autoRenew: false });
        await runtime.sleep(workMs);
        return [lock.token, await lock.extend(), await lock.release()];
      }
      case "token": {
        const token = await tokens.issue(key);
        const first = tokens.consume(token, key, { requestId: "r1" });
        const second = tokens.consume(token, key, { requestId: "r2" });
        const both = await Promise.allSettled([first, second]);
        return [token, both, await tokens.consume(token, key, { requestId: "r1" })];
      }
    }
  };

  const told = await runtime.run(
    Promise.all(
      calls.map(async (each) => {
        await runtime.sleep(each.startMs);
        const result = await one(each).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        return { ...result, atMs: runtime.monotonicNow() };
      }),
    ),
  );
  return { told, counts: counter.counts(), struck: faulty.struck, atMs: runtime.monotonicNow() };
}

test(
  "a hook that throws or rejects changes no outcome",
  async () => {
    let events = 0;
    const unhandled: unknown[] = [];
    const collect = (reason: unknown): void => {
      unhandled.push(reason);
    };
    process.on("unhandledRejection", collect);
    try {
      await fc.assert(
        fc.asyncProperty(script, async (drawn) => {
          const hook: Hook = (event) => {
            events += 1;
            return HOOKS[drawn.hook]?.(event);
          };
          expect(await play(drawn, hook)).toEqual(await play(drawn, undefined));
          expect(unhandled).toEqual([]);
        }),
        propertyRuns(150),
      );
    } finally {
      process.off("unhandledRejection", collect);
    }
    expect(events).toBeGreaterThan(150);
  },
  propertyTimeoutMs(),
);
