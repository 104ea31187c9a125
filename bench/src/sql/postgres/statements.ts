// The bare statements on Postgres, prepared by name as ours are, and the tables that they need.

import type { Pool, PoolClient } from "pg";
import { LEASE_MS, RETENTION_MS } from "../../compare/users.js";
import type { BareStatements } from "../subject.js";

export const BARE_TABLES = ["bare_requests", "bare_locks", "payments"] as const;

export const BARE_SCHEMA = `
CREATE TABLE bare_requests (key text PRIMARY KEY, result text, expires_at timestamptz NOT NULL);
CREATE TABLE bare_locks (key text PRIMARY KEY, owner text NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE payments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL,
  cents int NOT NULL)`;

const TEXTS = {
  claim: `INSERT INTO bare_requests (key, expires_at)
VALUES ($1, now() + interval '${RETENTION_MS} ms') ON CONFLICT (key) DO NOTHING`,
  finish: "UPDATE bare_requests SET result = $2 WHERE key = $1",
  find: "SELECT result FROM bare_requests WHERE key = $1",
  take: `INSERT INTO bare_locks AS l (key, owner, expires_at)
VALUES ($1, $2, now() + interval '${LEASE_MS} ms')
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE l.expires_at <= now()`,
  drop: "DELETE FROM bare_locks WHERE key = $1 AND owner = $2",
  pay: "INSERT INTO payments (key, cents) VALUES ($1, $2)",
} as const;

/** The statements on a pool, or on a connection with a transaction. */
export function statementsOn(client: Pool | PoolClient): BareStatements {
  const send = (name: keyof typeof TEXTS, ...values: unknown[]) =>
    client.query({ name: `bare_${name}`, text: TEXTS[name], values });
  return {
    claim: async (key) => (await send("claim", key)).rowCount === 1,
    finish: (key, result) => send("finish", key, result),
    find: async (key) => (await send("find", key)).rows[0]?.result,
    take: async (key, owner) => (await send("take", key, owner)).rowCount === 1,
    drop: (key, owner) => send("drop", key, owner),
    pay: (key) => send("pay", key, 995),
  };
}
