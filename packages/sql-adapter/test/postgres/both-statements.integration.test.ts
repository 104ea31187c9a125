// A write answers the same and leaves the same row, whether its short statement is tried first or the
// whole one is sent alone: whatever is there of the key, and whatever is written.
import { type StampedWrite, systemRuntime, type Write } from "@onceproof/core/advanced";
import { migrate } from "@onceproof/sql-adapter";
import { missing, type PostgresServer, startPostgres } from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statementsFor } from "../../src/postgres/statements.js";
import { type SendStep, writeRound } from "../../src/postgres/write.js";
import type { Guesses } from "../../src/shared/guesses.js";
import { withDeadline } from "../../src/shared/rounds.js";
import {
  apart,
  CREATES,
  RACER,
  ROWS,
  type Row,
  SECOND_US,
  WRITER,
} from "../support/writes-over-rows.js";

const STATEMENTS = statementsFor("onceproof", 300 * SECOND_US, "channel");
const NEXTS: readonly StampedWrite["next"][] = [
  ...CREATES,
  { value: "kept", ttlMs: "keep" },
  { touch: true, ttlMs: 5 },
  { touch: true, ttlMs: "never" },
  "removed",
];

function writesOver(rev: number): Write[] {
  const stamps = [
    { revision: rev, opId: RACER },
    { revision: rev - 1, opId: RACER },
    { revision: rev, opId: WRITER },
  ];
  const since = [{ absentSince: rev }, { absentSince: rev - 1 }];
  // The racer's opId makes it a write that was sent before.
  return [WRITER, RACER].flatMap((opId) => [
    ...(["absent", ...since] as const).flatMap((expected) =>
      CREATES.map((next): Write => ({ key: "k", opId, expect: expected, next })),
    ),
    ...stamps.flatMap((stamp) =>
      NEXTS.map((next): Write => ({ key: "k", opId, expect: stamp, next })),
    ),
  ]);
}

describe.skipIf(missing("postgres"))("both statements of a write on a real Postgres", () => {
  let server: PostgresServer;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client(server.connection);
    await client.connect();
    await migrate(client);
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  /** What a write does by the statements that are sent, and how many they are. */
  async function done(write: Write, short: boolean) {
    let sent = 0;
    const send: SendStep = async (statement, values) => {
      sent += 1;
      const { rows } = await client.query({ ...statement, values: [...values] });
      return { kind: "answer", value: rows };
    };
    const guesses: Guesses = { of: () => ({ likely: () => short, learn: () => {} }) };
    const result = await withDeadline(systemRuntime, 60_000, (deadline) =>
      writeRound(send, write, deadline, STATEMENTS, guesses),
    );
    if (result.kind !== "answer") throw result.cause;
    const { rows } = await client.query("SELECT v, rev, op, at, exp FROM onceproof");
    return { sent, result: result.value, rows };
  }

  test.each(Object.entries(ROWS))("the same over a row that is %s", async (_, row) => {
    const base = Date.now() * 1000;
    const us = (seconds: number): number => base + seconds * SECOND_US;
    const rev = us(row?.rev ?? row?.at ?? -2);

    async function outcomes(write: Write, short: boolean) {
      await client.query("DELETE FROM onceproof");
      if (row !== undefined) {
        const { v, at, exp } = row;
        const bytes = v && Buffer.from(v);
        await client.query(
          "INSERT INTO onceproof (k, v, rev, op, at, exp) VALUES ($1, $2, $3, $4, $5, $6)",
          [...[Buffer.from("k"), bytes, rev, RACER, us(at), exp && us(exp)]],
        );
      }
      const { sent, result, rows } = await done(write, short);
      if (result === undefined) throw new Error("nobody came between");
      return { sent, result, told: apart([result, rows], result) };
    }

    for (const write of writesOver(rev)) {
      const whole = await outcomes(write, false);
      const short = await outcomes(write, true);
      expect(short.told, JSON.stringify(write)).toEqual(whole.told);
      const { result } = short;
      const fresh = result.outcome === "applied" && !result.replayed;
      const expected = fresh && !isOver(write, row) ? 1 : 2;
      expect([whole.sent, short.sent], JSON.stringify(write)).toEqual([1, expected]);
    }
  });
});

/** Whether it creates where there is a row. */
function isOver({ expect: expected }: Write, row: Row | undefined): boolean {
  return row !== undefined && (expected === "absent" || "absentSince" in expected);
}
