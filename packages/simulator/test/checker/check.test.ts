// What a caller of the checker sees: verdicts, budgets, refusals of bad input, and the recorder.

import {
  appendListModel,
  checkHistory,
  counterModel,
  createRecorder,
  lockModel,
  type Model,
  type Operation,
  queueModel,
  type RegisterInput,
  type RegisterOutput,
  registerModel,
  setModel,
} from "@onceproof/simulator/checker";
import { describe, expect, test } from "vitest";

type Register = Operation<RegisterInput<number>, RegisterOutput<number>>;

const read = (output: number, invokedAt: number, returnedAt: number): Register => ({
  process: "reader",
  input: { kind: "read" },
  output,
  invokedAt,
  returnedAt,
});

const write = (value: number, invokedAt: number, returnedAt?: number): Register => ({
  process: "writer",
  input: { kind: "write", value },
  invokedAt,
  ...(returnedAt === undefined ? {} : { returnedAt }),
});

/** Needs more steps than most: many overlapping writes, and a read of none of them. */
const hard: readonly Register[] = [
  ...Array.from({ length: 9 }, (_, value) => write(value, 0, 10)),
  read(-1, 11, 12),
];

test("a linearizable history comes with its order", () => {
  const history = [write(1, 0, 9), write(2, 1, 8), read(1, 10, 11)];
  expect(checkHistory(registerModel(0), history)).toEqual({
    verdict: "linearizable",
    orders: [{ partition: "", order: [history[1], history[0], history[2]] }],
    steps: expect.any(Number),
  });
});

test("an unknown write may take effect late, or never, but not before it was invoked", () => {
  const judged = (history: readonly Register[]) => checkHistory(registerModel(0), history).verdict;
  expect(judged([write(1, 0), read(0, 1, 2), read(1, 3, 4)])).toBe("linearizable");
  expect(judged([write(1, 0), read(0, 1, 2)])).toBe("linearizable");
  expect(judged([write(1, 0), read(1, 1, 2), read(0, 3, 4)])).toBe("violated");
  expect(judged([read(1, 0, 1), write(1, 2)])).toBe("violated");
});

test("the empty history is linearizable", () => {
  expect(checkHistory(registerModel(0), []).verdict).toBe("linearizable");
  expect(checkHistory(counterModel(), []).verdict).toBe("linearizable");
});

test("an undecided check goes on where it stopped, to the same verdict", () => {
  const full = checkHistory(registerModel(0), hard);
  let verdict = checkHistory(registerModel(0), hard, { maxSteps: 100 });
  let rounds = 0;
  while (verdict.verdict === "undecided") {
    verdict = verdict.continue(100);
    rounds += 1;
  }
  expect(rounds).toBeGreaterThan(5);
  expect(verdict.verdict).toBe("violated");
  // Turns of another length share the steps out otherwise; none is taken twice.
  expect(verdict.steps).toBeLessThan(2 * full.steps);
  expect(verdict.steps).toBeLessThanOrEqual(100 * (rounds + 1) + 100);
});

test("a partition that takes long does not keep a short one from being found violated", () => {
  const model = registerModel(0);
  const keyed = (operation: Register, key: string): Register => ({
    ...operation,
    input: { ...operation.input, key },
  });
  const slow = ["a", "b", "c"].flatMap((key) => hard.map((each) => keyed(each, key)));
  const verdict = checkHistory(model, [...slow, keyed(read(5, 0, 1), "short")], {
    maxSteps: 2_000,
  });
  expect(verdict).toMatchObject({ verdict: "violated", partition: "short" });
});

test("equal states that are different objects are one", () => {
  const model: Model<{ at: number }, number, number> = {
    name: "fresh objects",
    init: () => ({ at: 0 }),
    step: () => ({ ok: true, state: { at: 0 } }),
  };
  const history = Array.from({ length: 12 }, (_, process) => ({
    process,
    input: process,
    output: 0,
    invokedAt: 0,
    returnedAt: 1,
  }));
  const wrong = { process: 12, input: 12, output: 0, invokedAt: 2, returnedAt: 3 };
  const refusing: typeof model = {
    ...model,
    step: (state, input, output) =>
      input === 12 ? { ok: false } : model.step(state, input, output),
  };
  const { verdict, steps } = checkHistory(refusing, [...history, wrong]);
  expect(verdict).toBe("violated");
  // Subsets of twelve, not their permutations.
  expect(steps).toBeLessThan(100_000);
});

describe("bad input is refused", () => {
  test.each([
    ["a return before its invocation", [read(0, 2, 1)]],
    ["a time that is no number", [write(0, Number.NaN)]],
    ["a return that is no number", [read(0, 1, Number.NaN)]],
    [
      "a completed read without an output",
      [{ ...write(0, 1, 2), input: { kind: "read" as const } }],
    ],
  ])("%s", (_, history) => {
    expect(() => checkHistory(registerModel(0), history)).toThrow(
      expect.objectContaining({ code: "optionInvalid" }),
    );
  });

  test("a budget of nothing", () => {
    expect(() => checkHistory(registerModel(0), [], { maxSteps: 0 })).toThrow(
      expect.objectContaining({ code: "optionInvalid" }),
    );
  });

  test("equals without hash", () => {
    const model = { ...registerModel(0), equals: Object.is };
    expect(() => checkHistory(model, [])).toThrow(
      expect.objectContaining({ code: "optionInvalid" }),
    );
  });
});

describe("the recorder", () => {
  test("numbers every event, and leaves out what did nothing", () => {
    const recorder = createRecorder<string, number>();
    const a = recorder.invoke("p", "a");
    const b = recorder.invoke("q", "b");
    const c = recorder.invoke("r", "c");
    recorder.return(b, 7);
    recorder.unknown(a);
    recorder.withdraw(c);
    recorder.invoke("p", "d");
    expect(recorder.history()).toEqual([
      { process: "p", input: "a", invokedAt: 1 },
      { process: "q", input: "b", output: 7, invokedAt: 2, returnedAt: 4 },
      { process: "p", input: "d", invokedAt: 5 },
    ]);
  });

  test("refuses to end an operation twice", () => {
    const recorder = createRecorder<string, number>();
    const invocation = recorder.invoke("p", "a");
    recorder.return(invocation, 1);
    expect(() => recorder.unknown(invocation)).toThrow("operation 0 is returned already");
    expect(() => recorder.return({ index: 9 }, 1)).toThrow("operation 9 was never invoked");
  });
});

describe("ready models, one after the other", () => {
  type Case = readonly [
    string,
    Model<never, never, never>,
    readonly (readonly [unknown, unknown])[],
    string,
  ];
  const add = (amount: number) => ({ kind: "add", amount });
  const acquire = (owner: string) => ({ kind: "acquire", owner });
  const release = (owner: string) => ({ kind: "release", owner });
  const cases: readonly Case[] = [
    [
      "a total that was never reached",
      counterModel(),
      [
        [add(2), 2],
        [add(3), 6],
      ],
      "violated",
    ],
    [
      "a total",
      counterModel(),
      [
        [add(2), 2],
        [add(3), undefined],
        [{ kind: "read" }, 5],
      ],
      "linearizable",
    ],
    [
      "a lost append",
      appendListModel(),
      [
        [{ kind: "append", item: 1 }, 1],
        [{ kind: "read" }, []],
      ],
      "violated",
    ],
    ["a length", appendListModel(), [[{ kind: "append", item: 1 }, 2]], "violated"],
    [
      "an element added twice",
      setModel(),
      [
        [{ kind: "add", element: 1 }, true],
        [{ kind: "add", element: 1 }, true],
      ],
      "violated",
    ],
    [
      "an element removed",
      setModel(),
      [
        [{ kind: "add", element: 1 }, true],
        [{ kind: "remove", element: 1 }, true],
        [{ kind: "has", element: 1 }, false],
      ],
      "linearizable",
    ],
    [
      "last in first out",
      queueModel(),
      [
        [{ kind: "enqueue", item: 1 }, true],
        [{ kind: "enqueue", item: 2 }, true],
        [{ kind: "dequeue" }, 2],
      ],
      "violated",
    ],
    [
      "two owners",
      lockModel(),
      [
        [acquire("a"), 1],
        [acquire("b"), 2],
      ],
      "violated",
    ],
    [
      "a token that goes back",
      lockModel(),
      [
        [acquire("a"), 2],
        [release("a"), true],
        [acquire("b"), 2],
      ],
      "violated",
    ],
    [
      "a release by another",
      lockModel(),
      [
        [acquire("a"), true],
        [release("b"), true],
      ],
      "violated",
    ],
    [
      "a takeover after a release",
      lockModel(),
      [
        [acquire("a"), 1],
        [release("a"), true],
        [acquire("b"), 2],
      ],
      "linearizable",
    ],
  ] as never;
  test.each(cases)("%s", (_, model, pairs, verdict) => {
    const history = pairs.map(([input, output], index) => ({
      process: "p",
      input,
      output,
      invokedAt: 2 * index,
      returnedAt: 2 * index + 1,
    }));
    expect(checkHistory(model, history as never).verdict).toBe(verdict);
  });
});
