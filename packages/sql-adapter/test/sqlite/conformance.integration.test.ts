// The whole conformance kit on a SQLite file with each driver that this Node has, on two connections
// and a clock that is moved. node:sqlite is there from Node 22.13 on, or 22.5 with its flag.
import { describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import {
  driver,
  NODE_SQLITE,
  type Opener,
  onlySqlite,
  openDatabase,
  openerOf,
} from "../support/sqlite-driver.js";
import { sqliteFixture } from "../support/sqlite-fixture.js";

const builtIn = process.getBuiltinModule?.(NODE_SQLITE);
const drivers: Record<string, Opener> = {
  [driver]: openDatabase,
  ...(builtIn && !onlySqlite && { [NODE_SQLITE]: openerOf(NODE_SQLITE) }),
};

describe.each(Object.entries(drivers))("on a SQLite file with %s", (_, open) => {
  registerCases(
    { create: () => sqliteFixture(open) },
    { lacks: ["loseReply", "loseRequest", "stall", "watch"] },
  );
});
