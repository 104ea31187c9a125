// A create answers the same and leaves the same row, whether it inserts or looks first: whatever is
// there of the key, and whoever else creates it.
import type { CreateWrite, Write, WriteResult } from "@onceproof/core/advanced";
import { migrate } from "@onceproof/sql-adapter";
import { type MariadbServer, missing, newOpId, startMariadb } from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysql2Session } from "../../src/drivers/mysql2.js";
import { meaning } from "../../src/mysql/error-code.js";
import type { Ask } from "../../src/mysql/look.js";
import { statementsFor } from "../../src/mysql/statements.js";
import { writeRound } from "../../src/mysql/write.js";
import type { Guesses } from "../../src/shared/guesses.js";
import {
  apart,
  CREATES,
  RACER,
  ROWS,
  type Row,
  SECOND_US,
  WRITER,
} from "../support/writes-over-rows.js";

const STATEMENTS = statementsFor("onceproof", 300 * SECOND_US);

function createsOver(rev: number): CreateWrite[] {
  const expected = ["absent", { absentSince: rev }, { absentSince: rev - 1 }] as const;
  // The racer's opId makes it a write that was sent before.
  return [WRITER, RACER].flatMap((opId) =>
    expected.flatMap((expect) => CREATES.map((next) => ({ key: "k", opId, expect, next }))),
  );
}

/** Its statements, inserting first and looking first. */
function statementsOf(row: Row | undefined, { outcome, ...rest }: WriteResult): [number, number] {
  if (row === undefined) return [1, 2];
  return outcome === "applied" && "replayed" in rest && !rest.replayed ? [3, 2] : [2, 1];
}

describe.skipIf(missing("mariadb"))("both orders of a create on a real MariaDB", () => {
  let server: MariadbServer;
  let client: mysql.Connection;
  beforeAll(async () => {
    server = await startMariadb();
    client = await mysql.createConnection(server.connection);
    await migrate(client);
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  /** What a write does in the order that is told, over so many rounds as it takes. */
  async function done(on: mysql.Connection, write: Write, insertsFirst: boolean) {
    let sent = 0;
    const session = mysql2Session(on, true);
    const ask: Ask = (statement, values) => {
      sent += 1;
      return session
        .send(statement, values)
        .then((value) => ({ kind: "answer", value }) as const, meaning);
    };
    const guesses: Guesses = { of: () => ({ likely: () => insertsFirst, learn: () => {} }) };
    for (;;) {
      const round = await writeRound(write, { statements: STATEMENTS, guesses }, ask);
      if (round.kind === "answer" && round.value !== undefined)
        return { sent, result: round.value };
      if (round.kind !== "answer" && !(round.kind === "nothing" && round.again)) throw round.cause;
    }
  }

  test.each(Object.entries(ROWS))("the same over a row that is %s", async (_, row) => {
    const base = Date.now() * 1000;
    const us = (seconds: number): number => base + seconds * SECOND_US;
    const rev = us(row?.rev ?? row?.at ?? -2);

    async function outcomes(write: Write, insertsFirst: boolean) {
      await client.query("DELETE FROM onceproof");
      if (row !== undefined) {
        const { v, at, exp } = row;
        const bytes = v && Buffer.from(v);
        await client.query(
          "INSERT INTO onceproof (k, v, rev, op, at, exp) VALUES (?, ?, ?, ?, ?, ?)",
          [...[Buffer.from("k"), bytes, rev, RACER, us(at), exp && us(exp)]],
        );
      }
      const { sent, result } = await done(client, write, insertsFirst);
      const [rows] = await client.query("SELECT v, rev, op, at, exp FROM onceproof");
      return { sent, result, told: apart([result, rows], result) };
    }

    for (const write of createsOver(rev)) {
      const inserting = await outcomes(write, true);
      const looking = await outcomes(write, false);
      const said = JSON.stringify(write);
      expect(looking.told, said).toEqual(inserting.told);
      expect([inserting.sent, looking.sent], said).toEqual(statementsOf(row, looking.result));
    }
  });

  test.each(["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])(
    "of many creators of either order exactly one wins, with sessions that are %s",
    async (isolation) => {
      const creators = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const creator = await mysql.createConnection(server.connection);
          await creator.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`);
          return creator;
        }),
      );
      const removed = newOpId();
      for (let round = 0; round < 20; round += 1) {
        // Every other key was removed before, so that its row is there.
        const key = `${isolation} ${round}`;
        if (round % 2 === 1) {
          await client.query(
            "INSERT INTO onceproof (k, v, rev, op, at, exp) VALUES (?, NULL, 5, ?, 5, NULL)",
            [Buffer.from(key), removed],
          );
        }
        const writes = creators.map(
          (_, index): CreateWrite => ({
            ...{ key, opId: newOpId(), expect: "absent" },
            next: { value: `${index}`, ttlMs: "never" },
          }),
        );
        const all = await Promise.all(
          creators.map((creator, index) =>
            done(creator, writes[index] as CreateWrite, (index + (round >> 1)) % 2 === 0),
          ),
        );
        const winners = writes.filter((_, index) => all[index]?.result.outcome === "applied");
        expect(winners).toHaveLength(1);
        const [winner] = winners;
        for (const { result } of all) {
          if (result.outcome === "refused") expect(result.entry?.stamp.opId).toBe(winner?.opId);
        }
      }
      await Promise.all(creators.map((creator) => creator.end()));
    },
  );
});
