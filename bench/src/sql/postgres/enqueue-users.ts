// Who puts a job into Postgres once: a bare INSERT, ours, and two queues, each as its documentation
// shows, on the same pool.

import { createUniqueInsert } from "@onceproof/core";
import { createTables, type PostgresStore } from "@onceproof/sql-adapter";
import { Logger, makeWorkerUtils } from "graphile-worker";
import type { Pool } from "pg";
import PgBoss from "pg-boss";
import { OURS } from "../../compare/contestants.js";
import { type EnqueueUser, PAYLOAD } from "../../compare/users.js";
import { versionOf } from "../../compare/version.js";

export const ENQUEUE_SCHEMA = "CREATE TABLE jobs (key text PRIMARY KEY, payload jsonb NOT NULL)";
const QUEUE = "pay";
/** The most that pg-boss takes, as it archives jobs after 12 h. */
const SLOT_S = 12 * 3600;

/** What the two queues and ours write into, beside our own table. */
export const ENQUEUE_TABLES = ["jobs", "pgboss.job", "graphile_worker._private_jobs"] as const;

export interface EnqueueUsers {
  readonly users: readonly EnqueueUser[];
  close(): Promise<unknown>;
}

export async function openEnqueueUsers(
  pool: Pool,
  client: string,
  store: PostgresStore,
): Promise<EnqueueUsers> {
  const inserts = createUniqueInsert({ store, name: "bench" });
  const tables = createTables({ client: pool });
  // It maintains nothing here: no worker runs, so nothing has to be archived.
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.createQueue(QUEUE);
  const worker = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => {}) });
  await worker.migrate();
  const job = JSON.stringify(PAYLOAD);
  const taken = "what it stands for: a duplicate learns nothing of the first";

  const users: readonly EnqueueUser[] = [
    {
      name: "bare INSERT … ON CONFLICT DO NOTHING",
      client,
      kind: "bare",
      lacks: `${taken}, recognising its own insert after a lost reply`,
      async enqueue(key) {
        const text = "INSERT INTO jobs (key, payload) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        const { rowCount } = await pool.query({ name: "bare_enqueue", text, values: [key, job] });
        return rowCount === 1;
      },
    },
    {
      name: `${OURS} createUniqueInsert`,
      client,
      kind: "ours",
      lacks: "workers",
      async enqueue(key) {
        return (await inserts.insert({ keys: key, value: PAYLOAD })).outcome === "created";
      },
    },
    {
      name: `${OURS} insertOnce, into your table`,
      client,
      kind: "ours",
      lacks: "workers",
      async enqueue(key) {
        const options = { uniqueBy: ["key"], content: ["key"] } as const;
        const { outcome } = await tables.insertOnce("jobs", { key, payload: job }, options);
        return outcome === "created";
      },
    },
    {
      name: `pg-boss ${versionOf("pg-boss")} send, singletonKey`,
      client,
      kind: "peer",
      lacks: `${taken}; a key is free again when the next slot of singletonSeconds begins, at most 12 h`,
      async enqueue(key) {
        const once = { singletonKey: key, singletonSeconds: SLOT_S };
        return (await boss.send(QUEUE, PAYLOAD, once)) !== null;
      },
    },
    {
      name: `graphile-worker ${versionOf("graphile-worker")} addJob, jobKey`,
      client,
      kind: "peer",
      lacks:
        "keeping the first payload (a duplicate replaces it), memory: a key is free again once its job was done",
      async enqueue(key) {
        return (await worker.addJob(QUEUE, PAYLOAD, { jobKey: key })).revision === 0;
      },
    },
  ];
  return {
    users,
    async close() {
      await boss.stop({ graceful: false, wait: false });
      await worker.release();
    },
  };
}
