// What someone meets who writes a model for the first time, or records a store without a recorder.

import { createMemoryStore } from "@onceproof/core";
import { expect, it } from "vitest";
import {
  atomicStoreModel,
  checkHistory,
  createRecorder,
  createRecordingStore,
  type Model,
} from "../../src/checker/index.ts";

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["true", true],
  ["a state alone", { state: 1 }],
  ["no state", { ok: true }],
  ["states that are no list", { ok: true, states: 1 }],
  ["a promise", Promise.resolve({ ok: true, state: 1 })],
])("refuses a step that returns %s", (_, returned) => {
  const model = { name: "tally", init: () => 0, step: () => returned } as unknown as Model<
    number,
    string,
    string
  >;
  const recorder = createRecorder<string, string>();
  recorder.return(recorder.invoke("p", "add"), "done");
  const check = (): unknown => checkHistory(model, recorder.history());
  expect(check).toThrow(/model tally: step must return \{ ok: true, state \}/);
  expect(check).toThrow(expect.objectContaining({ name: "ArgumentError", code: "optionInvalid" }));
});

it("takes undefined for a state, if the step says so", () => {
  const model: Model<undefined, string, string> = {
    name: "nothing",
    init: () => undefined,
    step: () => ({ ok: true, state: undefined }),
  };
  const operation = { process: "p", input: "add", output: "done", invokedAt: 1, returnedAt: 2 };
  expect(checkHistory(model, [operation]).verdict).toBe("linearizable");
});

it("records a store without options", async () => {
  const memory = createMemoryStore();
  const store = createRecordingStore(memory);
  await store.read("k");
  expect(store.recorder.history()).toMatchObject([
    { process: "client", input: { kind: "read", key: "k" } },
  ]);
  const model = atomicStoreModel();
  expect(checkHistory(model, store.recorder.history()).verdict).toBe("linearizable");
  await store.close();
});
