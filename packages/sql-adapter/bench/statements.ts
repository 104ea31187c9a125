// What each primitive costs on Postgres beside a bare statement on the same connections: the median
// of rounds that take turns, so that both see the same machine, and the log that is written.
//
//   npx tsx --tsconfig tsconfig.base.json packages/sql-adapter/bench/statements.ts [concurrency]
import type { Stamp, StampedWrite, WriteResult } from "@onceproof/core/advanced";
import { createPostgresStore, migrate } from "@onceproof/sql-adapter";
import { newOpId, startPostgres } from "@onceproof/test-servers";
import pg from "pg";

const CONCURRENCY = Number(process.argv[2] ?? 16);
const PER_ROUND = 1500;
const ROUNDS = 7;
const VALUE = "x".repeat(40);

await using server = await startPostgres({ settings: { autovacuum: "off" } });
const pool = new pg.Pool({ ...server.connection, max: CONCURRENCY });
pool.on("error", () => {});
await migrate(pool);
await pool.query("CREATE TABLE bare (k bytea PRIMARY KEY, v bytea, n int)");
const store = createPostgresStore({ client: pool, operationTimeoutMs: 20_000 });
const stamps: Stamp[] = [];

async function kept(id: number, opId: string, sent: Promise<WriteResult>): Promise<void> {
  const result = await sent;
  if (result.outcome === "applied") stamps[id] = { revision: result.revision, opId };
}
const next = { value: VALUE, ttlMs: 3_000_000 } as const;
const create = (id: number) => {
  const opId = newOpId();
  return kept(id, opId, store.write({ key: `k${id}`, opId, expect: "absent", next }));
};
const stamped = (then: StampedWrite["next"]) => (id: number) => {
  const opId = newOpId();
  const expected = stamps[id] ?? { revision: 0, opId };
  return kept(id, opId, store.write({ key: `k${id}`, opId, expect: expected, next: then }));
};
const other = { revision: 1, opId: newOpId() };
const bare =
  (name: string, text: string, ...values: unknown[]) =>
  (id: number) =>
    pool.query({ name, text, values: [Buffer.from(`k${id}`), ...values] });
const insert = "INSERT INTO bare VALUES ($1, $2, 1) ON CONFLICT DO NOTHING RETURNING n";
const update = "UPDATE bare SET v = $2, n = n + 1 WHERE k = $1 AND n = 1 RETURNING n";
const bytes = Buffer.from(VALUE);

const cases: [string, (id: number) => Promise<unknown>][] = [
  ["bare insert, applied", bare("insert", insert, bytes)],
  ["create, applied", create],
  ["bare insert, refused", bare("insert", insert, bytes)],
  ["create, refused", create],
  ["bare select", bare("select", "SELECT v, n FROM bare WHERE k = $1")],
  ["read", (id) => store.read(`k${id}`)],
  ["bare update, applied", bare("update", update, bytes)],
  ["replace, applied", stamped(next)],
  [
    "replace, refused",
    (id) => store.write({ key: `k${id}`, opId: newOpId(), expect: other, next }),
  ],
  ["touch, applied", stamped({ touch: true, ttlMs: 3_000_000 })],
  ["remove, applied", stamped("removed")],
];
const times = new Map<string, number[]>();
const logs = new Map<string, number[]>();

async function logBytes(): Promise<number> {
  const { rows } = await pool.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS n");
  return Number((rows[0] as { n: unknown }).n);
}
function median(numbers: number[] = []): number {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
const note = (into: Map<string, number[]>, name: string, number: number): void => {
  into.set(name, [...(into.get(name) ?? []), number]);
};

for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, call] of cases) {
    const logged = await logBytes();
    const startedAt = performance.now();
    let id = round * PER_ROUND;
    const end = id + PER_ROUND;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (id < end) await call(id++);
      }),
    );
    note(times, name, ((performance.now() - startedAt) * 1000) / PER_ROUND);
    note(logs, name, ((await logBytes()) - logged) / PER_ROUND);
  }
}
console.log(`${CONCURRENCY} at once, median of ${ROUNDS} rounds of ${PER_ROUND}`);
for (const [name] of cases) {
  const us = median(times.get(name)).toFixed(0).padStart(5);
  const log = median(logs.get(name)).toFixed(0).padStart(4);
  console.log(`${name.padEnd(22)} ${us} µs  ${log} bytes of log`);
}
await pool.end();
