// An algorithm on the store, behind a network that loses every third message or so.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createDedup } from "@onceproof/core";
import { systemRuntime } from "@onceproof/core/advanced";
import { createFaultyStore, NO_FAULTS } from "@onceproof/simulator";
import { expect, test } from "vitest";
import { createLmdbStore, openLmdb } from "../src/lmdb-store.js";

test.each([1, 2, 3])("a duplicate gets the first outcome (seed %s)", async (seed) => {
  const folder = await mkdtemp(join(tmpdir(), "own-adapter-"));
  const root = openLmdb(folder);
  const faulty = createFaultyStore(createLmdbStore({ root, name: "pay" }), {
    runtime: systemRuntime,
    seed,
    operationTimeoutMs: 40,
    rates: { ...NO_FAULTS, dropReply: 0.2, dropRequest: 0.1, duplicate: 0.2 },
    maxLateMs: 50,
  });
  const payments = createDedup({ store: faulty.store, name: "pay", onCrash: "park" });
  const charged = new Map<string, number>();
  const charge = async (order: string): Promise<string> => {
    charged.set(order, (charged.get(order) ?? 0) + 1);
    return `receipt of ${order}`;
  };
  const orders = [...Array(30).keys()].map((number) => `order-${number % 10}`);
  const receipts = await Promise.all(orders.map((o) => payments.run(o, () => charge(o))));

  expect(receipts).toEqual(orders.map((order) => `receipt of ${order}`));
  expect([...charged.values()]).toEqual(Array(10).fill(1));
  expect(faulty.struck.length).toBeGreaterThan(5);
  while (faulty.inFlight > 0) {
    await setTimeout(5);
  }
  await root.close();
  await rm(folder, { recursive: true, force: true });
});
