import { expect, it } from "vitest";
import { oncePerHistory } from "../../src/oracles/memo.ts";
import type { History } from "../../src/world/history.ts";

const history = (): History => ({
  operations: [],
  effects: [],
  spans: [],
  healedUs: undefined,
  findings: {},
});

function counted() {
  const made: unknown[][] = [];
  const make = oncePerHistory((of: History, ...about: readonly unknown[]) => {
    made.push([of, ...about]);
    return { about };
  });
  return { made, make };
}

it("makes it once for one history", () => {
  const { made, make } = counted();
  const one = history();
  expect(make(one)).toBe(make(one));
  expect(made).toEqual([[one]]);
});

it("makes it anew for another history, though it holds the same", () => {
  const { made, make } = counted();
  expect(make(history())).not.toBe(make(history()));
  expect(made).toHaveLength(2);
});

it("makes it anew for other settings, and still knows the first", () => {
  const { made, make } = counted();
  const one = history();
  const times = {};
  const first = make(one, times, 2);
  expect(make(one, times, 3)).not.toBe(first);
  expect(make(one, {}, 2)).not.toBe(first);
  expect(make(one, times, 2)).toBe(first);
  expect(made).toHaveLength(3);
});
