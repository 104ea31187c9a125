// `run`: what a token stands for happens once, and every holder gets the first result.

import { createTokens, type RunnableTokens, type RunnableTokensOptions } from "@onceproof/core";
import { describe, expect, test, vi } from "vitest";
import { codeOf, createStoreWorld, type StoreWorld } from "./support/store-world.ts";
import { answerOf } from "./support/swarm.ts";

const TOKEN_MS = 300_000;
const RETENTION_MS = 86_400_000;
const SKEW_MS = 300_000;
const SIGNING = [{ kid: "k1", secret: "a secret of at least 32 characters" }];

const KINDS = [
  { kind: "stored", options: {}, issueCalls: 1 },
  { kind: "signed", options: { signing: SIGNING }, issueCalls: 0 },
] as const;

describe.each(KINDS)("a run of a $kind token", ({ options, issueCalls }) => {
  const tokensOf = (
    { base }: StoreWorld,
    more: Partial<RunnableTokensOptions> = {},
  ): RunnableTokens => createTokens({ ...base, ...options, onCrash: "park", ...more });

  test("costs 3 calls, for another holder 2", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    const first = await world.counter.during(() => tokens.run(token, "alice", () => 1));
    expect(first.calls.total).toBe(3);
    const second = await world.counter.during(() => tokens.run(token, "alice", () => 2));
    expect([second.result, second.calls.total]).toEqual([1, 2]);
  });

  test("happens once under 50 at once, and each gets the first result", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    const handler = vi.fn(async () => {
      await world.runtime.sleep(1_000);
      return { at: new Date(0), big: 1n };
    });
    const results = await world.run(
      Promise.all(Array.from({ length: 50 }, () => tokens.run(token, "alice", handler))),
    );
    expect(handler).toHaveBeenCalledTimes(1);
    for (const result of results) {
      expect(result).toEqual({ at: new Date(0), big: 1n });
    }
  });

  test("a holder whose wait ended gets the first result when it asks again", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    const handler = vi.fn(async () => {
      await world.runtime.sleep(20_000);
      return "first";
    });
    const running = tokens.run(token, "alice", handler);
    await world.runtime.advance(1);
    const impatient = tokens.run(token, "alice", handler, { waitMs: 100 });
    expect(await world.run(codeOf(impatient))).toBe("inProgress");
    expect(await world.run(running)).toBe("first");
    expect(await tokens.run(token, "alice", handler)).toBe("first");
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test("an invalid or expired token runs nothing, with a coded error", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    const handler = vi.fn();
    expect(await codeOf(tokens.run(token, "bob", handler))).toBe("tokenInvalid");
    expect(await codeOf(tokens.run("no token", "alice", handler))).toBe("tokenInvalid");
    await world.runtime.advance(TOKEN_MS);
    expect(await codeOf(tokens.run(token, "alice", handler))).toBe(
      issueCalls === 0 ? "tokenExpired" : "tokenInvalid",
    );
    expect(handler).not.toHaveBeenCalled();
  });

  test("a token that a request has consumed is used, whatever the request is called", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const handler = vi.fn();
    for (const requestId of ["run", "request:run", "r1"]) {
      const token = await tokens.issue("alice");
      expect(await tokens.consume(token, "alice", { requestId })).toMatchObject({
        outcome: "consumed",
      });
      expect(await codeOf(tokens.run(token, "alice", handler))).toBe("tokenUsed");
    }
    expect(handler).not.toHaveBeenCalled();
  });

  test("a token that was run is used for every request", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    await tokens.run(token, "alice", () => 1);
    for (const requestId of ["run", "r1"]) {
      expect(await tokens.consume(token, "alice", { requestId })).toEqual({ outcome: "used" });
    }
  });

  test("a handler that throws is not run again, and its holders are told", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    const handler = vi.fn(() => {
      throw new Error("boom");
    });
    await expect(tokens.run(token, "alice", handler)).rejects.toThrow("boom");
    expect(await codeOf(tokens.run(token, "alice", handler))).toBe("indeterminate");
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test("two tokens are two runs", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const [one, two] = [await tokens.issue("alice"), await tokens.issue("alice")];
    expect(await tokens.run(one, "alice", () => 1)).toBe(1);
    expect(await tokens.run(two, "alice", () => 2)).toBe(2);
  });

  // Between its consumption and its run the process stands still until all is forgotten.
  test("a holder that paused beyond the retention never runs it again", async () => {
    const world = createStoreWorld();
    const handler = vi.fn(() => "first");
    let pauseMs = 0;
    const { store } = world.base;
    const paused = {
      capabilities: store.capabilities,
      read: (key: string) => store.read(key),
      close: () => store.close(),
      write: async (write: Parameters<typeof store.write>[0]) => {
        if (write.key.includes("5:dedup")) {
          // Once: what it does after that comes in time.
          const stoodStillMs = pauseMs;
          pauseMs = 0;
          await world.runtime.sleep(stoodStillMs);
        }
        return store.write(write);
      },
    };
    const late = tokensOf(world, { store: paused });
    for (pauseMs of [RETENTION_MS + 1, RETENTION_MS + SKEW_MS, 3 * RETENTION_MS]) {
      handler.mockClear();
      const token = await tokensOf(world).issue("alice");
      const running = answerOf(late.run(token, "alice", handler));
      await world.runtime.advance(1);
      expect(await tokensOf(world).run(token, "alice", handler)).toBe("first");
      expect([{ code: "expired" }, { value: "first" }]).toContainEqual(await world.run(running));
      expect(handler).toHaveBeenCalledTimes(1);
    }
  });

  test("bad arguments consume nothing", async () => {
    const world = createStoreWorld();
    const tokens = tokensOf(world);
    const token = await tokens.issue("alice");
    world.counter.reset();
    const waitMs = Number.NaN;
    const handler = (): number => 1;
    expect(await codeOf(tokens.run(token, "alice", handler, { waitMs }))).toBe("durationInvalid");
    expect(await codeOf(tokens.run(token, "alice", 5 as never))).toBe("optionInvalid");
    const signal = AbortSignal.abort();
    expect(await codeOf(tokens.run(token, "alice", handler, { signal }))).toBe("aborted");
    expect(await codeOf(tokens.run(token, "", handler))).toBe("keyEmpty");
    expect(world.counter.counts().total).toBe(0);
    expect(await tokens.consume(token, "alice")).toMatchObject({ outcome: "consumed" });
  });
});

test("tokens without onCrash have no run", () => {
  expect(createTokens(createStoreWorld().base)).not.toHaveProperty("run");
});

// Found by the simulator: the token was consumed, and the caller was told that nothing had happened.
test("a store that cannot be reached after the consumption is indeterminate, and run() may ask again", async () => {
  const world = createStoreWorld([{ call: 3, fault: "unavailable" }]);
  const tokens = createTokens({ ...world.base, onCrash: "park" });
  const token = await tokens.issue("alice");
  expect(await answerOf(world.run(tokens.run(token, "alice", () => "ran")))).toEqual({
    code: "indeterminate",
  });
  expect(await world.run(tokens.run(token, "alice", () => "ran"))).toBe("ran");
});
