// The whole conformance kit on a SQLite file with each driver that this Node has, on two connections
// and a clock that is moved. node:sqlite is there from Node 22.5 on.
import { describe } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";
import { type Connection, type Opener, openLibsql } from "../support/sqlite-files.js";
import { sqliteFixture } from "../support/sqlite-fixture.js";

const NODE_SQLITE = "node:sqlite";

interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => Connection;
}

const drivers: { name: string; open: Opener }[] = [{ name: "libsql", open: openLibsql }];
const builtIn = await import(NODE_SQLITE).catch(() => undefined);
if (builtIn !== undefined) {
  const { DatabaseSync } = builtIn as NodeSqlite;
  drivers.push({ name: NODE_SQLITE, open: (file) => new DatabaseSync(file) });
}

describe.each(drivers)("on a SQLite file with $name", ({ open }) => {
  registerCases(
    { create: () => sqliteFixture(open) },
    { lacks: ["loseReply", "loseRequest", "stall", "watch"] },
  );
});
