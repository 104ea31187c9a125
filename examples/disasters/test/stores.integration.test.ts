// The same disasters on real servers, in PGlite and in a file: what holds in memory holds there.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  type ServerName,
  startMariadb,
  startPostgres,
  startRedis,
} from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import pg from "pg";
import { createClient } from "redis6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCli } from "../src/cli-options.js";
import { allDisasters } from "../src/disasters/index.js";
import { readPayloads } from "../src/disasters/webhook-payloads.js";
import { openRun } from "../src/open-run.js";
import { runDisaster } from "../src/run.js";
import type { Stores } from "../src/stores/stores.js";
import { passingStage, type Stage } from "../src/world/stage.js";

const SEED = 1;
/** Both halves have a limit of their own. */
const LONGEST_MS = 300_000;
/** They contend for one stock, one commit after another. */
const BUYERS = 100;
/** Some that differ; a real server takes its time for each. */
const PAYLOADS = (await readPayloads()).filter((_, at) => at % 8 === 0);
const disasters = allDisasters(PAYLOADS, { buyers: BUYERS });

/** Where the disasters take place. */
interface Place {
  readonly stage: Stage;
  /** Tables that are left of the run. */
  left?(): Promise<readonly unknown[]>;
  close(): Promise<unknown>;
}

/** As the command line opens it. */
async function asked(...args: string[]): Promise<Place> {
  const drawSeed = (): number => SEED;
  return openRun(parseCli(args).store, { seed: SEED, asked: "", drawSeed });
}

function onNodeRedis(url: string): Stores {
  return {
    async open() {
      const client = createClient({ url });
      client.on("error", () => {});
      await client.connect();
      const store = createRedisStore({ client, keyPrefix: `disasters-${randomUUID()}` });
      return {
        ...store,
        async close() {
          await store.close();
          client.destroy();
        },
      };
    },
    async close() {},
  };
}

const LEFT = "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'disasters%'";
/** Nothing here crashes, and a disk would only make it slower. */
const QUICK_REDIS = { args: ["--appendonly", "no"] };

const places: readonly { name: string; server?: ServerName; open(): Promise<Place> }[] = [
  {
    name: "Redis with ioredis 5",
    server: "redis",
    async open() {
      const server = await startRedis(QUICK_REDIS);
      const { stage, close } = await asked("--store", server.url);
      return { stage, close: () => close().then(server.stop) };
    },
  },
  {
    name: "Redis with node-redis 6",
    server: "redis",
    async open() {
      const server = await startRedis(QUICK_REDIS);
      return { stage: passingStage(onNodeRedis(server.url)), close: server.stop };
    },
  },
  {
    name: "Postgres",
    server: "postgres",
    async open() {
      const server = await startPostgres();
      const { stage, close } = await asked("--store", server.url);
      const admin = new pg.Pool({ connectionString: server.url });
      // It has ended before its connections have, and the server ends those.
      admin.on("error", () => {});
      return {
        stage,
        left: async () => (await admin.query(LEFT)).rows,
        close: () => Promise.all([close(), admin.end()]).then(server.stop),
      };
    },
  },
  {
    name: "MariaDB",
    server: "mariadb",
    async open() {
      const server = await startMariadb();
      const { stage, close } = await asked("--store", server.url.replace("mysql", "mariadb"));
      const admin = mysql.createPool(server.url);
      return {
        stage,
        left: async () => (await admin.query(LEFT))[0] as unknown[],
        close: () => Promise.all([close(), admin.end()]).then(server.stop),
      };
    },
  },
  { name: "PGlite", open: () => asked("--store", "pglite") },
  {
    // Two processes on one file are killed and not killed in kill.integration.test.ts.
    name: "a SQLite file",
    async open() {
      const folder = await mkdtemp(join(tmpdir(), "onceproof-disasters-"));
      const { stage, close } = await asked("--file", join(folder, "run.db"));
      return { stage, close: () => close().then(() => rm(folder, { recursive: true })) };
    },
  },
];

describe.each(places)("on $name", ({ server, open }) => {
  describe.skipIf(server !== undefined && missing(server))("each disaster", () => {
    let place: Place;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place.close());

    it.each(disasters)(
      "$name happens without protection and not with it",
      async (disaster) => {
        const { signal } = new AbortController();
        const { stage } = place;
        const row = await runDisaster(disaster, { seed: SEED, signal, stage, onStep: () => {} });
        expect(row.problems, `seed ${SEED}`).toEqual([]);
        expect(row.with).toBe(disaster.expected);
        expect(row.calls?.first).toBeGreaterThan(0);
      },
      LONGEST_MS,
    );

    it("leaves no table behind", async () => {
      expect((await place.left?.()) ?? []).toEqual([]);
    });
  });
});
