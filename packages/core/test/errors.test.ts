import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AnyOnceproofError } from "@onceproof/core";
import * as core from "@onceproof/core";
import { describe, expect, expectTypeOf, test } from "vitest";
import { codeOf } from "../src/errors/errors.js";

/** Every class and its codes: the documented way to branch, so none may change or go. */
const CODES = {
  ArgumentError: [
    ...["keyNotString", "keyEmpty", "keyTooLong", "keyNotWellFormed", "durationInvalid"],
    ...["leaseExceedsRetention", "inputUnencodable", "valueTooLarge", "writeInvalid", "crossSlot"],
    ...["optionInvalid"],
  ],
  StoreError: ["unavailable", "closed", "full", "evicting"],
  IndeterminateError: ["indeterminate"],
  InProgressError: ["inProgress"],
  MismatchError: ["mismatch"],
  ExpiredError: ["expired"],
  NotYetValidError: ["notYetValid"],
  ValueUnavailableError: ["valueUnavailable"],
  LeaseLostError: ["leaseLost"],
  LockHeldError: ["lockHeld"],
  ContendedError: ["contended"],
  AbortedError: ["aborted"],
  TokenError: ["tokenInvalid", "tokenUsed", "tokenExpired"],
  FormatError: ["formatUnknown"],
  Retryable: ["retryable"],
  // A business rejection bears the code of the business.
  Final: [],
} as const;

type ErrorName = keyof typeof CODES;
type Instance<Name extends ErrorName> = (typeof core)[Name] extends abstract new (
  ...args: never[]
) => infer Made
  ? Made
  : never;

const classes = Object.entries(core).filter(
  (member): member is [string, (typeof core)[ErrorName]] =>
    typeof member[1] === "function" && member[1].prototype instanceof Error,
);

const make: Record<ErrorName, (code: string) => Error & { readonly code: string }> = {
  ArgumentError: (code) => new core.ArgumentError(code as never, "m", { cause: 1 }),
  StoreError: (code) => new core.StoreError(code as never, "m", { cause: 1 }),
  IndeterminateError: () => new core.IndeterminateError("indeterminate", "m", { cause: 1 }),
  InProgressError: () => new core.InProgressError("m", 5),
  MismatchError: () => new core.MismatchError("mismatch", "m"),
  ExpiredError: () => new core.ExpiredError("expired", "m"),
  NotYetValidError: () => new core.NotYetValidError("notYetValid", "m"),
  ValueUnavailableError: () => new core.ValueUnavailableError("valueUnavailable", "m"),
  LeaseLostError: () => new core.LeaseLostError("leaseLost", "m"),
  LockHeldError: () => new core.LockHeldError("lockHeld", "m"),
  ContendedError: () => new core.ContendedError("contended", "m"),
  AbortedError: () => new core.AbortedError("aborted", "m", { cause: "why" }),
  TokenError: (code) => new core.TokenError(code as never, "m"),
  FormatError: () => new core.FormatError("formatUnknown", "m"),
  Retryable: () => new core.Retryable("m", { cause: 1 }),
  Final: (code) => new core.Final(code, "m"),
};

describe("every exported error", () => {
  test("is in this table, and every class of this table is exported", () => {
    const exported = classes.map(([name]) => name).filter((name) => name !== "OnceproofError");
    expect(exported.sort()).toEqual(Object.keys(CODES).sort());
  });

  test.each(Object.keys(CODES) as ErrorName[])("%s bears its codes, a name and a base", (name) => {
    for (const code of [...CODES[name], ...(name === "Final" ? ["soldOut"] : [])]) {
      const error = make[name](code);
      expect(error).toMatchObject({ code, name, message: "m" });
      expect(codeOf(error)).toBe(code);
      const base = name === "ArgumentError" ? TypeError : core.OnceproofError;
      expect(error).toBeInstanceOf(base);
      expect(error).toBeInstanceOf(Error);
      expect(error.stack).toContain("errors.test.ts");
    }
  });

  test("that has a cause shows it", () => {
    expect(new core.StoreError("unavailable", "m", { cause: "why" }).cause).toBe("why");
    expect(new core.ArgumentError("keyEmpty", "m", { cause: "why" }).cause).toBe("why");
    expect(new core.Retryable("m", { cause: "why" }).cause).toBe("why");
    expect(new core.MismatchError("mismatch", "m")).not.toHaveProperty("cause");
  });

  test("of the exported union is a class of the table, and the other way round", () => {
    expectTypeOf<Instance<ErrorName>>().toExtend<AnyOnceproofError>();
    expectTypeOf<AnyOnceproofError>().toExtend<Instance<ErrorName>>();
    type Codes = {
      [Name in ErrorName]: Instance<Name> extends { code: infer Code } ? Code : never;
    };
    type Listed = { [Name in Exclude<ErrorName, "Final">]: (typeof CODES)[Name][number] };
    expectTypeOf<Omit<Codes, "Final">>().toEqualTypeOf<Listed>();
  });
});

test("a thrown value that is no error has no code", () => {
  for (const thrown of [undefined, null, "unavailable", 5, Symbol("s"), {}]) {
    expect(codeOf(thrown)).toBeUndefined();
  }
  expect(codeOf({ code: "unavailable" })).toBe("unavailable");
});

test("no source throws an error without a code on purpose", () => {
  const root = fileURLToPath(new URL("../src", import.meta.url));
  const bare = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /throw new (Error|RangeError)\(/.test(readFileSync(`${root}/${file}`, "utf8")),
    );
  expect(bare).toEqual([]);
});
