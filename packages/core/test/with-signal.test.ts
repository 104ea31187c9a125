// The signal of a lease is computed when it is read, and still an own property: a copy and parts
// taken out of the object bear it too.

import { createDedup, createLock, createMemoryStore, type DedupContext } from "@onceproof/core";
import { expect, test } from "vitest";

const base = { store: createMemoryStore(), name: "test" };

test("a handler may copy its context and take it apart", async () => {
  const dedup = createDedup({ ...base, onCrash: "park" });
  const same = await dedup.run("k", (ctx: DedupContext) => {
    const { signal, childKey } = ctx;
    const copy = { ...ctx };
    return [
      copy.signal === signal && ctx.signal === signal,
      copy.childKey("a") === childKey("a"),
      Object.keys(ctx).sort().join(),
    ];
  });
  expect(same).toEqual([
    true,
    true,
    "attempt,childKey,fencingToken,key,signal,started,step,takeover",
  ]);
});

test("a copy of a lock bears its signal, and never says that it is held", async () => {
  const lock = await createLock(base).acquire("r");
  const { signal, release } = lock;
  const copy = { ...lock };
  expect([lock.held, copy.held, copy.signal === signal]).toEqual([true, undefined, true]);
  expect(signal.aborted).toBe(false);
  expect(await release()).toBe("released");
  expect(lock.signal).toBe(signal);
  expect(lock.held).toBe(false);
});
