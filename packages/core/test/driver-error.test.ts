import { inspect } from "node:util";
import { driverError } from "@onceproof/core/advanced";
import { expect, test } from "vitest";

function error(message: string, more: object): Error {
  return Object.assign(new Error(message), more);
}

test("a driver's error keeps its name, message and code, and nothing that it was sent", () => {
  const sent = { command: { args: ["SECRET"] }, detail: "SECRET", row: ["SECRET"] };
  const thrown = error("OOM command not allowed", { ...sent, code: "53200", name: "ReplyError" });
  const told = driverError(thrown);
  expect(told).toMatchObject({
    name: "ReplyError",
    message: "OOM command not allowed",
    code: "53200",
  });
  expect(inspect(told, { depth: 10, showHidden: true })).not.toContain("SECRET");
});

test("its cause is treated likewise", () => {
  const told = driverError(new Error("outer", { cause: error("inner", { key: "SECRET" }) }));
  expect(told.cause).toMatchObject({ message: "inner" });
  expect(inspect(told, { depth: 10 })).not.toContain("SECRET");
});

test("of several addresses that were tried, each is told", () => {
  const tried = ["::1:1", "127.0.0.1:1"].map((at) => new Error(`connect ECONNREFUSED ${at}`));
  const both = Object.assign(new AggregateError(tried, ""), { code: "ECONNREFUSED" });
  const message = "connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1";
  expect(driverError(both)).toMatchObject({ message, code: "ECONNREFUSED" });
  expect(driverError(Object.assign(new Error(""), { code: "EPIPE" })).message).toBe("EPIPE");
});

test.each([undefined, null, "text", 5, Symbol("s"), { message: 7 }])(
  "a thrown thing that is no error (%s) becomes one",
  (thrown) => {
    expect(driverError(thrown)).toBeInstanceOf(Error);
  },
);
