// Hops: every microtask runs before they settle, wherever they are asked for, and `drained` is called
// before the host goes on.
import { describe, expect, test } from "vitest";
import { afterMicrotasks, macrotaskHop, tickHop } from "../../src/runtime.ts";

const DEEP = 10_000;

function startMicrotasks(): () => number {
  let done = 0;
  const count = (): void => {
    done += 1;
  };
  let chain = Promise.resolve();
  for (let depth = 0; depth < DEEP; depth += 1) {
    chain = chain.then(count);
  }
  const nested = async (depth: number): Promise<void> => {
    if (depth > 0) {
      await nested(depth - 1);
    }
    count();
  };
  void nested(999);
  return () => done;
}

describe.each([
  ["tickHop", tickHop],
  ["macrotaskHop", macrotaskHop],
] as const)("%s", (_, hop) => {
  const fromMicrotask = (start: () => void): void => void Promise.resolve().then(start);
  test.each([
    ["a microtask", fromMicrotask],
    ["a macrotask", setImmediate],
    ["a tick", process.nextTick],
  ] as const)("asked from %s, waits for microtasks however deep", async (_name, from) => {
    const order: string[] = [];
    const counts = await new Promise<number[]>((resolve) => {
      from(() => {
        const done = startMicrotasks();
        let atDrained = -1;
        setImmediate(() => order.push("the host"));
        const hopped = hop(() => {
          atDrained = done();
          order.push("drained");
        });
        void hopped.then(() => resolve([atDrained, done()]));
      });
    });
    await macrotaskHop();
    expect(counts).toEqual([DEEP + 1_000, DEEP + 1_000]);
    expect(order).toEqual(["drained", "the host"]);
  });
});

test("tickHop lets no macrotask of the host run, macrotaskHop does", async () => {
  const seen: string[] = [];
  await macrotaskHop();
  setImmediate(() => seen.push("the host"));
  await tickHop();
  seen.push("after a tick");
  await macrotaskHop();
  seen.push("after a macrotask");
  expect(seen).toEqual(["after a tick", "the host", "after a macrotask"]);
  expect(afterMicrotasks).toBeDefined();
});
