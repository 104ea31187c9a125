// The whole conformance kit on PGlite, which is Postgres in this process and one connection, and
// what it is not.
import { PGlite } from "@electric-sql/pglite";
import type { ConformanceFixture } from "@onceproof/simulator/conformance";
import { createPostgresStore, migrate, preflight } from "@onceproof/sql-adapter";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerCases } from "../../../simulator/test/support/register-cases.js";

describe("on PGlite", () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await PGlite.create();
    await migrate(database);
    await migrate(database, { table: "onceproof other" });
  });
  afterAll(() => database.close());

  async function fixture(): Promise<ConformanceFixture> {
    await database.exec('TRUNCATE onceproof, "onceproof other"');
    const options = { client: database, notify: true } as const;
    return {
      store: createPostgresStore(options),
      peer: createPostgresStore(options),
      otherNamespace: createPostgresStore({ ...options, table: "onceproof other" }),
      otherNamespaceTail: " other",
      close: async () => {},
    };
  }

  registerCases(
    { create: fixture },
    {
      lacks: [
        ...(["advance", "stepBack", "restart", "loseReply", "loseRequest"] as const),
        ...(["stall", "durable"] as const),
      ],
    },
  );

  test("it is never durable, and says so", async () => {
    const findings = async (options = {}) =>
      (await preflight(database, options)).findings.map(({ id }) => id);
    expect(await findings()).toEqual([]);
    expect(await findings({ durability: "durable" })).toEqual(["durabilityOverstated"]);
    expect(createPostgresStore({ client: database }).capabilities).toMatchObject({
      durability: "process",
      failoverMayLoseWrites: false,
    });
    expect(() => createPostgresStore({ client: database, durability: "durable" })).toThrow(
      expect.objectContaining({ code: "optionInvalid" }),
    );
    const inFolder = { ...stubOf(database), dataDir: "file:///somewhere" };
    expect(createPostgresStore({ client: inFolder }).capabilities.durability).toBe("asynchronous");
  });
});

/** What is looked at of a PGlite when a store is made. */
function stubOf({ waitReady }: PGlite) {
  const none = (): Promise<never> => Promise.reject(new Error("nothing may be sent"));
  return { waitReady, query: none, exec: none, listen: none };
}
