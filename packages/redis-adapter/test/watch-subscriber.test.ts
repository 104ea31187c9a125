// What a lost link does to who waits, without a server: the turn in which they wake is what counts.
import type { Runtime } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import { expect, test } from "vitest";
import type { LinkEvents } from "../src/watch-link.js";
import { createSubscriber } from "../src/watch-subscriber.js";

interface Scene {
  readonly subscriber: ReturnType<typeof createSubscriber>;
  readonly events: LinkEvents[];
  readonly woken: string[];
}

async function waiting(runtime: Runtime): Promise<Scene> {
  const events: LinkEvents[] = [];
  const subscriber = createSubscriber(
    async (told) => {
      events.push(told);
      // Never answered, so that a subscription taking effect wakes nobody.
      return { subscribe: () => new Promise(() => {}), unsubscribe: async () => {}, close() {} };
    },
    runtime,
    () => {},
  );
  const woken: string[] = [];
  subscriber.arm("a", () => woken.push("a"));
  subscriber.arm("b", () => woken.push("b"));
  await Promise.resolve();
  await Promise.resolve();
  return { subscriber, events, woken };
}

// node-redis never connects again after a command sent in the turn in which its connection is lost.
test("the loss of a link wakes everybody, but not in the turn in which it is told", async () => {
  const runtime = createVirtualRuntime();
  const { events, woken } = await waiting(runtime);
  events[0]?.lost();
  await Promise.resolve();
  expect(woken).toEqual([]);
  await runtime.run(new Promise<void>((resolve) => void runtime.setTimer(resolve, 60)));
  expect(woken).toEqual(["a", "b"]);
});

test("closing wakes everybody at once", async () => {
  const { subscriber, woken } = await waiting(createVirtualRuntime());
  subscriber.close();
  expect(woken).toEqual(["a", "b"]);
});
