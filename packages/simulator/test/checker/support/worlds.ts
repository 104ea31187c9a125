// Correct objects of several kinds, each with the model that judges its histories.

import { createRandom, type Random } from "@onceproof/simulator";
import {
  type AppendListInput,
  type AppendListOutput,
  appendListModel,
  atomicStoreModel,
  type CounterInput,
  type CounterOutput,
  counterModel,
  type LockInput,
  type LockOutput,
  lockModel,
  type Model,
  type Operation,
  type PartitionKey,
  type QueueInput,
  type QueueOutput,
  queueModel,
  type RegisterInput,
  type RegisterOutput,
  registerModel,
  type SetInput,
  setModel,
} from "@onceproof/simulator/checker";
import { drawHistory, type Shape, type World } from "./histories.ts";
import { storeWorld } from "./store-world.ts";

/** A model, and histories for it. */
export interface Source {
  readonly model: Model<unknown, unknown, unknown>;
  readonly draw: (random: Random, shape: Shape) => readonly Operation<unknown, unknown>[];
}

export function source<State, WorldState, Input, Output>(
  model: Model<State, Input, Output>,
  world: World<WorldState, Input, Output>,
): Source {
  return {
    model: model as Model<unknown, unknown, unknown>,
    draw: (random, shape) => drawHistory(random, world, shape),
  };
}

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[random.int(0, items.length - 1)] as T;

function registerWorld(
  keys: number,
): World<readonly number[], RegisterInput<number>, RegisterOutput<number>> {
  return {
    initial: Array.from({ length: keys }, () => 0),
    input(random) {
      const value = random.int(0, 2);
      const shape = pick(random, [
        { kind: "read" },
        { kind: "write", value },
        { kind: "cas", from: value, to: random.int(0, 2) },
      ] as const);
      return keys === 1 ? shape : { ...shape, key: random.int(0, keys - 1) };
    },
    apply(values, input) {
      const key = Number(input.key ?? 0);
      const value = values[key];
      const set = (next: number) => values.map((each, at) => (at === key ? next : each));
      switch (input.kind) {
        case "read":
          return [value, values];
        case "write":
          return [undefined, set(input.value)];
        case "cas":
          return value === input.from ? [true, set(input.to)] : [false, values];
      }
    },
    wrong: (random, { kind }) =>
      kind === "cas" ? random.chance(0.5) : kind === "read" ? random.int(0, 2) : undefined,
  };
}

const counterWorld: World<number, CounterInput, CounterOutput> = {
  initial: 0,
  input: (random) =>
    random.chance(0.4) ? { kind: "read" } : { kind: "add", amount: random.int(-1, 2) },
  apply(total, input, random) {
    const next = input.kind === "add" ? total + input.amount : total;
    return [input.kind === "add" && random.chance(0.5) ? undefined : next, next];
  },
  wrong: (random) => random.int(0, 3),
};

const listWorld: World<readonly string[], AppendListInput<string>, AppendListOutput<string>> = {
  initial: [],
  input: (random) =>
    random.chance(0.5) ? { kind: "read" } : { kind: "append", item: pick(random, ["a", "b", "c"]) },
  apply(items, input, random) {
    if (input.kind === "read") {
      return [items, items];
    }
    return [random.chance(0.5) ? undefined : items.length + 1, [...items, input.item]];
  },
  wrong: (random, input, right) =>
    input.kind === "read" && Array.isArray(right) ? right.slice(random.int(0, 1)).reverse() : 2,
};

const setWorld: World<ReadonlySet<PartitionKey>, SetInput, boolean> = {
  initial: new Set(),
  input: (random) => ({
    kind: pick(random, ["add", "remove", "has"]),
    element: pick(random, ["a", "a", "b"]),
  }),
  apply(elements, { kind, element }) {
    const there = elements.has(element);
    if (kind === "has") {
      return [there, elements];
    }
    const next = new Set(elements);
    return kind === "add" ? [!there, next.add(element)] : [next.delete(element), next];
  },
  wrong: (_, __, right) => !right,
};

const queueWorld: World<readonly number[], QueueInput<number>, QueueOutput<number>> = {
  initial: [],
  input: (random) =>
    random.chance(0.5) ? { kind: "dequeue" } : { kind: "enqueue", item: random.int(1, 3) },
  apply: (items, input) =>
    input.kind === "enqueue"
      ? [undefined, [...items, input.item]]
      : [items[0] ?? null, items.slice(1)],
  wrong: (random) => pick(random, [null, 1, 2, 3]),
};

const lockWorld: World<{ owner: string | null; token: number }, LockInput, LockOutput> = {
  initial: { owner: null, token: 0 },
  input: (random) => ({
    kind: random.chance(0.6) ? "acquire" : "release",
    owner: pick(random, ["a", "b"]),
  }),
  apply(lock, { kind, owner }, random) {
    if (kind === "release") {
      const held = lock.owner === owner;
      return [held, held ? { ...lock, owner: null } : lock];
    }
    if (lock.owner !== null) {
      return [false, lock];
    }
    const token = lock.token + random.int(1, 2);
    return [random.chance(0.5) ? true : token, { owner, token }];
  },
  wrong: (random, _, right) =>
    typeof right === "number" && random.chance(0.5) ? right - random.int(1, 2) : right === false,
};

type CoinInput = "toss" | "read";

/** A coin whose toss nobody sees: several next states. States carry a field that means nothing. */
const coinModel: Model<{ up: number; tosses: number }, CoinInput, number> = {
  name: "coin",
  init: () => ({ up: 0, tosses: 0 }),
  isReadOnly: (input) => input === "read",
  equals: (left, right) => left.up === right.up,
  hash: ({ up }) => up,
  step({ up, tosses }, input, output) {
    if (input === "read") {
      return output === undefined || output === up
        ? { ok: true, state: { up, tosses } }
        : { ok: false };
    }
    return { ok: true, states: [0, 1, 2].map((side) => ({ up: side, tosses: tosses + 1 })) };
  },
};

const coinWorld: World<number, CoinInput, number> = {
  initial: 0,
  input: (random) => (random.chance(0.6) ? "read" : "toss"),
  apply(up, input, random) {
    const side = input === "toss" ? random.int(0, 2) : up;
    return [side, side];
  },
  wrong: (random) => random.int(0, 2),
};

/** Every model with its histories; registers, where most prunings bite, weigh double. */
export const sources: readonly Source[] = [
  source(registerModel(0), registerWorld(1)),
  source(registerModel(0), registerWorld(1)),
  source(registerModel(0), registerWorld(2)),
  source(counterModel(), counterWorld),
  source(appendListModel<string>(), listWorld),
  source(setModel(), setWorld),
  source(queueModel<number>(), queueWorld),
  source(lockModel(), lockWorld),
  source(coinModel, coinWorld),
  source(atomicStoreModel(), storeWorld),
];

/** The history of a number: of one source after the other. */
export function historyOf(
  seed: number,
  number: number,
  shape: Shape,
): { readonly model: Source["model"]; readonly history: readonly Operation<unknown, unknown>[] } {
  const { model, draw } = sources[number % sources.length] as Source;
  return { model, history: draw(createRandom(seed, number), shape) };
}
