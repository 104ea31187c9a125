// Only what certainly did nothing is told as certain; everything else stays unknown.
import { expect, test } from "vitest";
import { isAborted, isPassing, meaning, sqlstate } from "../../src/postgres/sqlstate.js";

const failure = (code: string): Error => Object.assign(new Error("failed"), { code });

test.each([
  "40001",
  "40P01",
  "55P03",
  "42P01",
  "23505",
  "25006",
  "53100",
  "22P02",
  "44000",
  "P0002",
])("%s did nothing", (code) => {
  expect(isAborted(sqlstate(failure(code)) ?? "")).toBe(true);
});

test("what a user's trigger raises did nothing, whatever its code", () => {
  const raised = Object.assign(failure("AB123"), { routine: "exec_stmt_raise" });
  expect(meaning(raised)).toMatchObject({ kind: "nothing", again: false });
  expect(meaning(failure("AB123")).kind).toBe("noAnswer");
});

// 57: the session may have ended after its commit. 08: the connection. 40003 says so itself.
test.each(["57014", "57P01", "57P02", "08006", "08P01", "40003", "58030", "XX000"])(
  "%s may have been committed",
  (code) => {
    expect(isAborted(sqlstate(failure(code)) ?? "")).toBe(false);
  },
);

test.each(["EPIPE", "ECONNRESET", "ETIMEDOUT"])("%s is of the network", (code) => {
  expect(isAborted(sqlstate(failure(code)) ?? "")).toBe(false);
});

test("only serialization failures and deadlocks are sent again", () => {
  expect(["40001", "40P01", "55P03", "42P01"].filter(isPassing)).toEqual(["40001", "40P01"]);
});
