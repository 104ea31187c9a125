// The whole conformance kit on a SQLite file with libsql, on two connections and a clock that is
// moved.
import { describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import { openLibsql } from "../support/sqlite-files.js";
import { sqliteFixture } from "../support/sqlite-fixture.js";

describe("on a SQLite file with libsql", () => {
  registerCases(
    { create: () => sqliteFixture(openLibsql) },
    { lacks: ["loseReply", "loseRequest", "stall", "transaction", "watch"] },
  );
});
