// An error is logged: it tells which argument was bad, and shows nothing of what it held.

import { inspect } from "node:util";
import {
  ArgumentError,
  createRegister,
  createStateMachine,
  createUniqueInsert,
} from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, never } from "./support/dedup-world.ts";
import { createEntityWorld, MODES } from "./support/entity-world.ts";
import { errorOf } from "./support/store-world.ts";

const UNENCODABLE: readonly (readonly [what: string, value: () => unknown])[] = [
  ["a function", () => ({ password: "SECRET", f: () => 1 })],
  ["a symbol", () => ({ password: "SECRET", s: Symbol("SECRET") })],
  [
    "a class instance",
    () =>
      new (class Account {
        readonly password = "SECRET";
      })(),
  ],
  [
    "a getter that throws it",
    () => ({
      get password(): string {
        throw new Error("SECRET");
      },
    }),
  ],
  ["something deep", () => [{ SECRET: new Map([["SECRET", { f: () => "SECRET" }]]) }]],
];

/** The error as a logger prints it. */
async function printed(call: Promise<unknown>): Promise<string> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(ArgumentError);
  expect(error).toMatchObject({ code: "inputUnencodable" });
  const nested = [error, (error as Error).cause];
  return inspect(nested, { depth: 10, showHidden: true }) + String(error);
}

const definition = {
  initial: "created",
  events: { pay: { from: ["created"], to: "paid" } },
} as const;

describe.each(UNENCODABLE)("an error about %s shows no payload", (_, value) => {
  test.each(MODES)("of a register's value, $mode", async ({ multi }) => {
    const w = createEntityWorld(multi);
    const register = createRegister(w.common);
    expect(await printed(w.run(register.update("a", "r", value)))).not.toContain("SECRET");
  });

  test.each(MODES)("of a state machine's data, $mode", async ({ multi }) => {
    const w = createEntityWorld(multi);
    const orders = createStateMachine({ ...w.common, definition, data: {} as unknown });
    await w.run(orders.create("o"));
    const firing = orders.fire("o", "pay", { requestId: "r", data: value });
    expect(await printed(w.run(firing))).not.toContain("SECRET");
    const creating = orders.create("p", { data: value() });
    expect(await printed(w.run(creating))).not.toContain("SECRET");
  });

  test("of a unique insert's value", async () => {
    const w = createEntityWorld(true);
    const users = createUniqueInsert<unknown>(w.common);
    const inserting = users.insert({ keys: "a@x", value: value() });
    expect(await printed(w.run(inserting))).not.toContain("SECRET");
  });

  test("of a unique insert's value that has a fingerprint and can't be stored", async () => {
    const w = createEntityWorld(true);
    const users = createUniqueInsert<unknown>(w.common);
    const account = Object.assign(Object.create({ toJSON: () => "SECRET" }), { a: value() });
    const inserting = users.insert({ keys: "a@x", value: { password: "SECRET", account } });
    expect(await printed(w.run(inserting))).not.toContain("SECRET");
  });

  test("of a dedup's fingerprint", async () => {
    const w = createWorld();
    const running = w.dedup().run("k", never, { fingerprint: { payload: value() } });
    expect(await printed(w.run(running))).not.toContain("SECRET");
  });

  test("of a resolution's value", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.attempt("k", () => Promise.reject(new Error("boom"))));
    const resolving = dedup.resolve("k", { outcome: "done", value: value() });
    expect(await printed(w.run(resolving))).not.toContain("SECRET");
  });
});
