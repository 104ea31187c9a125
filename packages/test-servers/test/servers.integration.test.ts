import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import {
  missing,
  startMariadb,
  startPostgres,
  startRedis,
  type TestServer,
} from "@onceproof/test-servers";
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";

const servers: TestServer[] = [];
const started = <S extends TestServer>(server: S): S => {
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

const isAlive = (pid: number): boolean => {
  try {
    // A zombie still has a pid; only its state tells.
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)])
      .toString()
      .startsWith("Z");
  } catch {
    return false;
  }
};
const foldersOf = (pid: number): string[] =>
  readdirSync(tmpdir()).filter(
    (name) => name.startsWith("onceproof-") && name.includes(`-${pid}-`),
  );

describe.skipIf(missing("redis"))("a private Redis", () => {
  test("answers a real client, and keeps an acknowledged write through SIGKILL", async () => {
    const server = started(await startRedis());
    const before = new Redis(server.url, { lazyConnect: true, retryStrategy: () => null });
    before.on("error", () => undefined);
    await before.connect();
    await before.set("key", "value");
    server.kill("SIGKILL");
    await server.restart();
    before.disconnect();
    const after = new Redis(server.url);
    expect(await after.get("key")).toBe("value");
    after.disconnect();
  });

  test("takes further arguments", async () => {
    const server = started(await startRedis({ args: ["--maxmemory", "8mb"] }));
    const client = new Redis(server.url);
    expect(await client.config("GET", "maxmemory")).toEqual(["maxmemory", "8388608"]);
    client.disconnect();
  });

  test("two run at once on different ports", async () => {
    const [a, b] = await Promise.all([startRedis(), startRedis()]);
    started(a);
    started(b);
    expect(a.port).not.toBe(b.port);
  });

  test("is gone after stop, with its folder, even when it was suspended", async () => {
    const server = await startRedis();
    const { pid } = server;
    server.kill("SIGSTOP");
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(foldersOf(process.pid)).toEqual([]);
  });

  test.each(["SIGINT", "SIGTERM", "SIGKILL", "exit", "throw"])(
    "does not outlive its owner that ends by %s",
    async (ending) => {
      const script = fileURLToPath(new URL("./owner.ts", import.meta.url));
      const owner = spawn(process.execPath, ["--import", "tsx", script, ending], {
        stdio: ["pipe", "pipe", ending === "throw" ? "ignore" : "inherit"],
      });
      const pid = await new Promise<number>((resolve, reject) => {
        owner.once("exit", () => reject(new Error("the owner ended before its server was up")));
        owner.stdout.once("data", (line: Buffer) => resolve(Number(line.toString())));
      });
      expect(isAlive(pid)).toBe(true);
      if (ending.startsWith("SIG")) owner.kill(ending as NodeJS.Signals);
      else owner.stdin.write("end\n");
      await expect.poll(() => isAlive(pid)).toBe(false);
      await expect.poll(() => isAlive(owner.pid ?? -1)).toBe(false);
      // Nothing runs after SIGKILL: the next start in any process removes the folder.
      if (ending === "SIGKILL") return;
      expect(foldersOf(owner.pid ?? -1)).toEqual([]);
    },
  );
});

describe.skipIf(missing("postgres"))("a private Postgres", () => {
  test("answers a real client, and keeps a committed row through SIGKILL", async () => {
    const server = started(await startPostgres({ settings: { max_connections: "20" } }));
    const before = new pg.Client(server.connection);
    before.on("error", () => undefined);
    await before.connect();
    await before.query("CREATE TABLE t (v int)");
    await before.query("INSERT INTO t VALUES (42)");
    const { pid } = server;
    server.kill("SIGKILL");
    await server.restart();
    expect(server.pid).not.toBe(pid);
    const after = new pg.Client({ connectionString: server.url });
    await after.connect();
    expect((await after.query("SELECT v FROM t")).rows).toEqual([{ v: 42 }]);
    expect((await after.query("SHOW max_connections")).rows[0]).toEqual({ max_connections: "20" });
    await after.end();
  });

  test.skipIf(process.platform !== "linux")(
    "its sessions stand still and end with it",
    async () => {
      const server = started(await startPostgres());
      const client = new pg.Client(server.connection);
      client.on("error", () => undefined);
      await client.connect();
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      const session: number = rows[0].pid;
      const state = () => readFileSync(`/proc/${session}/stat`, "latin1").split(") ")[1]?.[0];
      server.kill("SIGSTOP");
      await expect.poll(() => state()).toBe("T");
      server.kill("SIGCONT");
      expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
      // A session that does not wait would not notice by itself that the server is gone.
      const working = client.query("SELECT count(*) FROM generate_series(1, 200000000)");
      working.catch(() => undefined);
      await expect.poll(() => state()).toBe("R");
      server.kill("SIGKILL");
      await expect(working).rejects.toThrow();
      await expect.poll(() => isAlive(session)).toBe(false);
    },
  );

  test("is gone after stop although a session is open", async () => {
    const server = await startPostgres();
    const { pid } = server;
    const client = new pg.Client(server.connection);
    client.on("error", () => undefined);
    await client.connect();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(foldersOf(process.pid)).toEqual([]);
  });
});

describe.skipIf(missing("mariadb"))("a private MariaDB", () => {
  test("answers a real client, and keeps a committed row through SIGKILL", async () => {
    const server = started(await startMariadb({ args: ["--max-connections=20"] }));
    const before = await mysql.createConnection(server.connection);
    before.on("error", () => undefined);
    await before.query("CREATE TABLE t (v int)");
    await before.query("INSERT INTO t VALUES (42)");
    const { pid } = server;
    server.kill("SIGKILL");
    await server.restart();
    expect(server.pid).not.toBe(pid);
    const after = await mysql.createConnection(server.url);
    const [rows] = await after.query("SELECT v, @@max_connections AS most FROM t");
    expect(rows).toEqual([{ v: 42, most: 20 }]);
    // It ends although a session is open.
    await server.stop();
    after.destroy();
    expect(isAlive(server.pid)).toBe(false);
    expect(foldersOf(process.pid)).toEqual([]);
  });
});

test("a failed start says what the server said, and leaves no folder", async (context) => {
  context.skip(missing("redis") !== undefined, missing("redis"));
  await expect(startRedis({ args: ["--no-such-option", "1"] })).rejects.toThrow(/no-such-option/);
  expect(foldersOf(process.pid)).toEqual([]);
});
