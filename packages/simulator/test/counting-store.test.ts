import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { countCalls } from "@onceproof/simulator";
import { expect, test } from "vitest";
import { opId } from "./op-id.ts";

test("every call is counted by its kind, and the total is reads and writes", async () => {
  const { store, counts, reset, during } = countCalls(createMemoryStore());
  const create = { expect: "absent", next: { value: "1", ttlMs: "never" } } as const;
  await store.write({ key: "a", opId: opId(1), ...create });
  await store.read("a");
  await store.read("a");
  await store.writeAll({ opId: opId(2), writes: [{ key: "b", ...create }] });
  await store.watch("a", AbortSignal.abort());
  await store.sweep({ limit: 1 });
  expect(counts()).toEqual({
    read: 2,
    write: 1,
    writeAll: 1,
    watch: 1,
    transaction: 0,
    sweep: 1,
    total: 4,
  });
  const { result, calls } = await during(() => store.read("b"));
  expect(result.entry?.value).toBe("1");
  expect(calls.total).toBe(1);
  reset();
  expect(counts().total).toBe(0);
});

test("calls through a bound transaction and a peer count like any other", async () => {
  const { store, counts } = countCalls(createMemoryStore());
  await store.transaction(async (tx) => {
    await store.bind(tx).read("a");
  });
  await store.peer().read("a");
  expect(counts()).toMatchObject({ transaction: 1, read: 2, total: 2 });
  expect(store.size).toBe(0);
});

test("a capability that the inner store lacks stays absent", () => {
  const { capabilities, read, write, close } = createMemoryStore();
  const plain: AtomicStore = { capabilities, read, write, close };
  const { store } = countCalls(plain);
  expect("writeAll" in store).toBe(false);
  expect((store as { watch?: unknown }).watch).toBeUndefined();
  expect(store.capabilities).toBe(capabilities);
});
