import { runInNewContext } from "node:vm";
import {
  createDedup,
  createFence,
  createLock,
  createTokens,
  type OnceproofEvent,
} from "@onceproof/core";
import { describe, expect, test, vi } from "vitest";
import { createStoreWorld } from "./support/store-world.ts";

const HOOKS: [string, (event: OnceproofEvent) => unknown][] = [
  ["throws", () => throwing()],
  ["throws nothing at all", () => throwing(undefined)],
  ["rejects", () => Promise.reject(new Error("hook"))],
  ["rejects later", async () => throwing()],
  ["returns a promise of another realm that rejects", () => runInNewContext("Promise.reject(1)")],
  // biome-ignore lint/suspicious/noThenProperty: a thenable is the point
  ["returns a thenable that rejects", () => ({ then: (_: unknown, no: () => void) => no() })],
  // biome-ignore lint/suspicious/noThenProperty: a thenable is the point
  ["returns a thenable that throws", () => ({ then: throwing })],
  ["never settles", () => new Promise(() => {})],
  ["freezes what it gets", (event) => Object.freeze(event)],
];

function throwing(error: unknown = new Error("hook")): never {
  throw error;
}

describe("a hook never changes an outcome", () => {
  test.each(HOOKS)("even if it %s", async (_, hook) => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const world = createStoreWorld();
      const onEvent = vi.fn(hook);
      const base = { ...world.base, onEvent };
      const lock = await createLock(base).acquire("r");
      expect(await lock.extend()).toBe("extended");
      expect(await lock.release()).toBe("released");
      expect(await createFence(base).admit("r", 1)).toEqual({ outcome: "admitted" });
      const tokens = createTokens(base);
      const token = await tokens.issue("alice");
      expect(await tokens.consume(token, "alice")).toMatchObject({ outcome: "consumed" });
      expect(await createDedup({ ...base, onCrash: "park" }).run("k", () => 1)).toBe(1);
      expect(onEvent.mock.calls.length).toBeGreaterThan(6);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", unhandled);
    }
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("an event", () => {
  test("names algorithm, factory and a hash that joins the events of one key", async () => {
    const world = createStoreWorld();
    const locks = createLock(world.base);
    await (await locks.acquire("one")).release();
    await locks.acquire("two");
    const [acquired, released, other] = world.events;
    expect(acquired).toMatchObject({ type: "acquired", algorithm: "lock", name: "test" });
    expect(acquired?.keyHash).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(released?.keyHash).toBe(acquired?.keyHash);
    expect(other?.keyHash).not.toBe(acquired?.keyHash);
  });

  test("of the same key under another name or algorithm has another hash", async () => {
    const world = createStoreWorld();
    await createLock(world.base).acquire("k");
    await createLock({ ...world.base, name: "other" }).acquire("k");
    await createFence(world.base).admit("k", 1);
    expect(new Set(world.events.map(({ keyHash }) => keyHash)).size).toBe(3);
  });

  test("bears the key only when the caller asks for keys", async () => {
    const world = createStoreWorld();
    await createLock(world.base).acquire("secret");
    await createLock({ ...world.base, name: "open", revealKeys: true }).acquire("secret");
    expect(world.events.map(({ key }) => key)).toEqual([undefined, "secret"]);
    expect(world.events[0]).not.toHaveProperty("key");
  });

  test("of an unanswered write tells when it got no answer and when it was found out", async () => {
    const world = createStoreWorld([{ call: 1, fault: "dropReply" }]);
    await world.run(createLock(world.base).acquire("r"));
    expect(world.told()).toEqual(["unknown", "unknown", "acquired"]);
    expect(world.events.slice(0, 2)).toMatchObject([{ settled: false }, { settled: true }]);
  });

  test("is told before the call returns", async () => {
    const world = createStoreWorld();
    const pending = createLock(world.base).acquire("r");
    expect(world.events).toEqual([]);
    await pending;
    expect(world.told()).toEqual(["acquired"]);
  });
});
