import { expect, it } from "vitest";
import type { WorldOptions } from "../../src/world/world.ts";
import { quietWorld, workOn } from "./stage.ts";

async function ran(options: Partial<WorldOptions>) {
  const world = quietWorld([], options);
  await workOn(world, async ({ name, store, call }) => {
    await store.read("k");
    await call("bank", "charge", () => 1);
    await store.read("k");
    await world.recorder.operation(
      { by: name, life: 1, method: "read", key: "k", input: {} },
      async () => store.read("k"),
    );
  });
  return world;
}

it("keeps no events without a trace, and carries out the same run", async () => {
  const [traced, untraced] = [await ran({}), await ran({ trace: false })];
  expect(traced.trace.map(({ type }) => type)).toContain("answered");
  expect(untraced.trace).toEqual([]);
  expect(untraced.events).toBe(traced.events);
  expect(untraced.elapsedUs).toBe(traced.elapsedUs);
  expect(untraced.recorder.history).toEqual(traced.recorder.history);
});

it("counts the calls of each link in the order of their first", async () => {
  const { counts } = await ran({});
  expect([...counts]).toEqual([
    ["n store", 3],
    ["n bank", 1],
  ]);
});
