// What clients ask of nodes that are up, paused, crashed or broken.
import { describe, expect, test } from "vitest";
import type { Node } from "../../src/world/world.ts";
import { at, nowMs, quietWorld } from "./stage.ts";

describe("requests of clients", () => {
  const ask = async (fault: Parameters<typeof at>[1], afterMs: number, patienceMs = 500) => {
    const world = quietWorld([at(1, fault)]);
    const served: string[] = [];
    let life = 0;
    world.addNode("n", (node) => {
      life = node.life;
      if (life === 1) {
        void node.store.read("k").catch(() => {});
      }
    });
    const client = world.addClient("alice");
    const answer = await world.run(
      (async () => {
        await client.sleep(afterMs);
        return world.request(client, "n", "hello", patienceMs, async () => {
          served.push(`life ${life} at ${nowMs(world)}`);
          return "hi";
        });
      })(),
    );
    return { answer, served, atMs: nowMs(world) };
  };

  test("a node that is up serves at once", async () => {
    expect(await ask({ fault: "dropReply" }, 10)).toEqual({
      answer: { answer: "hi" },
      served: ["life 1 at 11"],
      atMs: 12,
    });
  });

  test.each(["pause", "suspend"] as const)(
    "a node under %s serves when it goes on",
    async (fault) => {
      expect(await ask({ fault, phase: "send", forMs: 100 }, 10)).toEqual({
        answer: { answer: "hi" },
        served: ["life 1 at 100"],
        atMs: 101,
      });
    },
  );

  test("a client gives up on a paused node, which serves in vain", async () => {
    expect(await ask({ fault: "pause", phase: "send", forMs: 100 }, 10, 50)).toEqual({
      answer: undefined,
      served: [],
      atMs: 60,
    });
  });

  test("what a crashed node is sent is lost; the next life serves what comes then", async () => {
    const crash = { fault: "crash", phase: "send", forMs: 100 } as const;
    expect(await ask(crash, 10)).toEqual({ answer: undefined, served: [], atMs: 510 });
    expect(await ask(crash, 150)).toMatchObject({ served: ["life 2 at 151"], atMs: 152 });
  });

  test("a service that does not catch its own error fails the run with it", async () => {
    const world = quietWorld();
    world.addNode("n", () => {});
    const client = world.addClient("alice");
    const serve = (): Promise<never> => Promise.reject(new RangeError("a defect"));
    await expect(world.run(world.request(client, "n", "hello", 300, serve))).rejects.toThrow(
      RangeError,
    );
    expect(nowMs(world)).toBe(1);
  });

  test("an answer of a life that crashed meanwhile never leaves", async () => {
    const world = quietWorld([at(1, { fault: "crash", phase: "send", forMs: 10 })]);
    let node: Node | undefined;
    world.addNode("n", (made) => {
      node ??= made;
    });
    const client = world.addClient("alice");
    const asked = world.request(client, "n", "hello", 300, async () => {
      void node!.store.read("k").catch(() => {});
      return "too late";
    });
    expect(await world.run(asked)).toBeUndefined();
    expect(nowMs(world)).toBe(300);
  });
});
