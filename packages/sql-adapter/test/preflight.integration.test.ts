// What preflight says of each dialect: nothing fatal of a sound one, and each weakness by name.
import {
  createMysqlStore,
  createPostgresStore,
  migrate,
  type PreflightOptions,
  preflight,
} from "@onceproof/sql-adapter";
import {
  type MariadbServer,
  missing,
  type PostgresServer,
  startMariadb,
  startPostgres,
} from "@onceproof/test-servers";
import mysql from "mysql2/promise";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "./support/pg-pools.js";

type Client = Parameters<typeof preflight>[0];

async function ids(client: Client, options: PreflightOptions = {}): Promise<string[]> {
  return (await preflight(client, options)).findings.map(({ id }) => id);
}

describe.skipIf(missing("postgres"))("of Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    const pool = openPool(server, { max: 1 });
    await migrate(pool);
    await pool.end();
  });
  afterAll(() => server.stop());

  async function of(
    settings: Record<string, string>,
    options: PreflightOptions = {},
    text?: string,
  ): Promise<string[]> {
    const pool = openPool(server, { max: 1, settings });
    if (text !== undefined) await pool.query(text);
    const found = await ids(pool, options);
    await pool.end();
    return found;
  }

  test("a sound server and a limited pool have no findings", async () => {
    const pool = openPool(server, { max: 1, settings: { statement_timeout: "1800" } });
    expect(await preflight(pool)).toMatchObject({
      fit: true,
      findings: [],
      dialect: "postgres",
      software: expect.stringMatching(/^PostgreSQL \d+/),
      durability: { declared: "durable", found: "durable" },
    });
    await pool.end();
    const sql = postgres({ ...server.connection, max: 1 });
    expect(await ids(sql)).toEqual(["statementsUnlimited"]);
    await sql.end();
  });

  test("each weakness is named", async () => {
    const sound = { statement_timeout: "1800" };
    const off = { ...sound, synchronous_commit: "off" };
    expect(await of(off)).toEqual(["durabilityOverstated"]);
    expect(await of(off, { durability: "asynchronous" })).toEqual([]);
    const strict = { ...sound, default_transaction_isolation: "serializable" };
    expect(await of(strict)).toEqual(["isolationStrict"]);
    expect(await of({ statement_timeout: "5000" })).toEqual(["statementsUnlimited"]);
    expect(await of(sound, { table: "nowhere" })).toEqual(["tableMissing"]);
    const text = `CREATE TABLE own (k varchar(10), v bytea, rev bigint, op text, at timestamptz)`;
    expect(await of(sound, { table: "own" }, text)).toEqual(Array(4).fill("columnUnfit"));
  });

  test("a call of the store without its table says what makes it, in a transaction too", async () => {
    const pool = openPool(server, { max: 1 });
    const store = createPostgresStore({ client: pool, table: "nowhere" });
    await expect(store.read("k")).rejects.toThrow(/nowhere.*migrate makes it/);
    const inside = store.transaction((tx) => store.bind(tx).read("k"));
    await expect(inside).rejects.toThrow(/nowhere.*migrate makes it/);
    await pool.end();
  });

  test("a server that is not there is a finding", async () => {
    const pool = openPool(server, { port: 1 });
    expect(await preflight(pool)).toMatchObject({ fit: false, findings: [{ id: "serverUnread" }] });
    await pool.end();
  });
});

describe.skipIf(missing("mariadb"))("of MariaDB", () => {
  let server: MariadbServer;
  let pool: mysql.Pool;
  beforeAll(async () => {
    server = await startMariadb({ args: ["--log-bin", "--sync-binlog=1"] });
    pool = mysql.createPool({ ...server.connection, connectionLimit: 1 });
    await migrate(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  test("a sound server has no findings", async () => {
    expect(await preflight(pool)).toMatchObject({
      fit: true,
      findings: [],
      software: expect.stringContaining("MariaDB"),
      durability: { found: "durable" },
    });
  });

  test.each([
    ["SET GLOBAL innodb_flush_log_at_trx_commit = 2", "durabilityOverstated"],
    ["SET GLOBAL sync_binlog = 0", "durabilityOverstated"],
    ["SET SESSION binlog_format = STATEMENT", "binlogByStatement"],
    ["SET SESSION autocommit = 0", "autocommitOff"],
    ["SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "isolationStrict"],
    ["SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", "readsUncommitted"],
    ["SET GLOBAL read_only = ON", "serverIsReplica"],
    ["SET SESSION completion_type = CHAIN", "endingsChained"],
    ["SET SESSION completion_type = 'RELEASE'", "endingsChained"],
    ["SET SESSION timestamp = 1700000000", "clockStopped"],
  ])("%s is told as %s", async (setting, id) => {
    const own = mysql.createPool({ ...server.connection, connectionLimit: 1 });
    const [name = ""] = /\w+(?= =)/.exec(setting) ?? [];
    const [before] = name === "" ? [[]] : await pool.query(`SELECT @@${name} AS value`);
    await own.query(setting);
    expect(await ids(own)).toEqual([id]);
    const [row] = before as { value: unknown }[];
    if (setting.includes("GLOBAL")) await own.query(`SET GLOBAL ${name} = ?`, [row?.value]);
    await own.end();
  });

  test("a table that compares otherwise is told by its column", async () => {
    await pool.query(`CREATE TABLE own (k varchar(255) PRIMARY KEY, v blob, rev bigint, op char(22)
      COLLATE utf8mb4_general_ci, at bigint, exp bigint) ENGINE = MyISAM`);
    expect(await ids(pool, { table: "own" })).toEqual(Array(4).fill("columnUnfit"));
    expect(await ids(pool, { table: "nowhere" })).toEqual(["tableMissing"]);
    const store = createMysqlStore({ client: pool, table: "nowhere" });
    await expect(store.read("k")).rejects.toThrow(/nowhere.*migrate makes it/);
  });
});
