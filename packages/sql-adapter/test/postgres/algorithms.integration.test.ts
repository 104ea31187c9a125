// Dedup and lock on a real Postgres: the effect happens once and every caller gets its result;
// holders never overlap and their tokens increase, also while replies are lost and the server is
// killed.
import { setTimeout as sleep } from "node:timers/promises";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import {
  missing,
  newOpId,
  type PostgresServer,
  raceDedup,
  raceLock,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@onceproof/test-servers";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/pg-pools.js";

const CALLERS = 64;
const POOLS = 8;

describe.skipIf(missing("postgres"))("the algorithms on a real Postgres", () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  const opened: pg.Pool[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    proxy = await startTcpProxy(server.port);
    const pool = openPool(server);
    await migrate(pool);
    await pool.end();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pool) => pool.end()));
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  function open(port: number): AtomicStore[] {
    return Array.from({ length: POOLS }, () => {
      const client = openPool(server, { port, max: 4 });
      opened.push(client);
      return createPostgresStore({ client, operationTimeoutMs: 1000 });
    });
  }

  /** Loses every fifth request or reply until lifted. */
  function loseSome(): () => void {
    let request = 0;
    return proxy.addRule((chunk) => {
      if (!chunk.includes("onceproof_")) return undefined;
      request += 1;
      return request % 5 === 0 ? (request % 2 === 0 ? "loseReply" : "loseRequest") : "pass";
    });
  }

  const restart = async (afterMs: number): Promise<void> => {
    await sleep(afterMs);
    server.kill("SIGKILL");
    await server.restart();
  };

  test("of 64 callers one runs, and all get its result", async () => {
    const race = { key: newOpId(), callers: CALLERS, workMs: 30 };
    const { effects, values } = await raceDedup(open(server.port), race);
    expect(effects).toBe(1);
    expect(values).toEqual(Array(CALLERS).fill(values[0]));
  });

  test("the same while requests and replies are lost", async () => {
    const stores = open(proxy.port);
    const lift = loseSome();
    for (let round = 0; round < 5; round += 1) {
      const race = { key: newOpId(), callers: CALLERS, workMs: 30 };
      const { effects, values } = await raceDedup(stores, race);
      expect(effects).toBe(1);
      expect(values).toEqual(Array(CALLERS).fill(values[0]));
    }
    lift();
  });

  test("the same while the server is killed between effect and record", async () => {
    const race = { key: newOpId(), callers: CALLERS, workMs: 300 };
    const running = raceDedup(open(server.port), race);
    await restart(200);
    const { effects, values } = await running;
    expect(effects).toBe(1);
    expect(values).toEqual(Array(CALLERS).fill(values[0]));
  });

  test("holders never overlap, and their tokens increase", async () => {
    const race = { resource: newOpId(), contenders: CALLERS, workMs: 2, leaseMs: 5000 };
    const { tokens, overlaps } = await raceLock(open(server.port), race);
    expect(overlaps).toBe(0);
    expect(tokens).toHaveLength(CALLERS);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test("the same while requests and replies are lost", async () => {
    const stores = open(proxy.port);
    const lift = loseSome();
    const race = { resource: newOpId(), contenders: 24, workMs: 2, leaseMs: 1500 };
    const { tokens, overlaps } = await raceLock(stores, race);
    lift();
    expect(overlaps).toBe(0);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test("the same over a restart of the server", async () => {
    const race = { resource: newOpId(), contenders: 40, workMs: 10, leaseMs: 1500 };
    const running = raceLock(open(server.port), race);
    await restart(150);
    const { tokens, overlaps } = await running;
    expect(overlaps).toBe(0);
    expect(tokens).toHaveLength(40);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });
});
