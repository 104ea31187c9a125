// What users of such libraries are hit by on Redis, each as the law that rules it out, on a real
// server. Where a class has tests of its own (flushes in faults, slots in cluster, failovers in sentinel)
// this holds what those leave out.
import type { StampedWrite } from "@onceproof/core/advanced";
import { createRedisStore, type RedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  startRedis,
  startTcpProxy,
  type TestServer,
} from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type ClientKind,
  ioredis6Resending,
  ioredisPlain,
  ioredisResending,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
  POOLS,
} from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const KINDS = [ioredisResending, ioredis6Resending, nodeRedis, nodeRedis6, ...POOLS];
const TTL_MS = 60_000;

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  let admin: Redis;
  const opened: OpenClient[] = [];
  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port, "127.0.0.1", { maxRetriesPerRequest: null });
    admin.on("error", () => {});
  });
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function open(
    kind: ClientKind,
    port = server.port,
    operationTimeoutMs = 2000,
  ): Promise<RedisStore> {
    const client = await kind.open(port);
    opened.push(client);
    return createRedisStore({ client: client.client, operationTimeoutMs, keyPrefix: "p" });
  }

  /** The commands that the server ran meanwhile, those within scripts too. */
  async function monitored(
    use: () => Promise<void>,
  ): Promise<readonly { args: readonly string[]; byScript: boolean }[]> {
    const ran: { args: readonly string[]; byScript: boolean }[] = [];
    const monitor = await admin.monitor();
    monitor.on("monitor", (_: string, args: string[], source: string) =>
      ran.push({ args, byScript: source === "lua" }),
    );
    await use();
    const end = newOpId();
    await admin.echo(end);
    await expect.poll(() => ran.some(({ args }) => args[1] === end)).toBe(true);
    monitor.disconnect();
    return ran;
  }

  const create = (key: string, value = "v", opId = newOpId()) =>
    ({ key, opId, expect: "absent", next: { value, ttlMs: TTL_MS } }) as const;

  /** Creates a key and returns what writes it on under its latest stamp. */
  async function chain(
    store: RedisStore,
    key: string,
  ): Promise<(next: StampedWrite["next"]) => Promise<number>> {
    const first = create(key);
    const made = await store.write(first);
    let stamp = { revision: made.outcome === "applied" ? made.revision : 0, opId: first.opId };
    return async (next) => {
      const opId = newOpId();
      const result = await store.write({ key, opId, expect: stamp, next });
      expect(result).toMatchObject({ outcome: "applied", replayed: false });
      stamp = { revision: result.outcome === "applied" ? result.revision : 0, opId };
      return stamp.revision;
    };
  }

  const NEXTS: readonly StampedWrite["next"][] = [
    { value: "w", ttlMs: TTL_MS },
    { value: "kept", ttlMs: "keep" },
    { touch: true, ttlMs: TTL_MS },
    "removed",
  ];

  describe.each(KINDS)("with $name", (kind) => {
    test("no entry ever stands without its time to live: both are set by one command", async () => {
      const store = await open(kind);
      const key = newOpId();
      const ran = await monitored(async () => {
        const write = await chain(store, key);
        expect(await admin.pttl(`p|${key}`)).toBeGreaterThan(TTL_MS);
        for (const next of NEXTS) {
          await write(next);
          expect(await admin.pttl(`p|${key}`)).toBeGreaterThan(TTL_MS);
        }
      });
      const sets = ran.filter(({ args: [name, at] }) => name === "SET" && at === `p|${key}`);
      expect(sets.map(({ args }) => args[3])).toEqual(Array(4).fill("EXAT"));
    });

    test("a server that knows no script answers as one that does", async () => {
      const store = await open(kind);
      const key = newOpId();
      const forget = (): Promise<unknown> => admin.script("FLUSH");
      await forget();
      const write = await chain(store, key);
      for (const next of NEXTS) {
        await forget();
        await write(next);
      }
      await forget();
      expect((await store.read(key)).entry).toBeUndefined();
      await forget();
      const opId = newOpId();
      const writes = [create("all"), create("both")].map(({ key: name, expect: absent, next }) => ({
        key: `${name} ${key}`,
        expect: absent,
        next,
      }));
      expect(await store.writeAll({ opId, writes })).toMatchObject({ outcome: "applied" });
    });

    test("a call that the client would wait for, for ever, is told in time and honestly", async () => {
      const proxy = await startTcpProxy(server.port);
      const store = await open(kind, proxy.port, 250);
      await warmUp(await open(kind));
      const reached = (): Promise<boolean> =>
        store.read("k").then(
          () => true,
          () => false,
        );
      await expect.poll(reached).toBe(true);
      const lift = proxy.addRule((chunk) =>
        chunk.includes("EVALSHA") ? "swallowReply" : undefined,
      );
      const write = create(newOpId());
      expect(await store.write(write)).toMatchObject({ outcome: "unknown" });
      await expect(store.read(write.key)).rejects.toMatchObject({ code: "unavailable" });
      lift();
      expect(await (await open(kind)).write(write)).toMatchObject({ replayed: true });
      await proxy.close();
    });

    test("revisions and times are whole numbers, also ahead of the clock", async () => {
      const store = await open(kind);
      const key = newOpId();
      const write = await chain(store, key);
      const packed = async (): Promise<string> => String(await admin.get(`p|${key}`)).slice(22, 71);
      // As after the server's clock was set back: each revision is the one before and one more.
      const aheadUs = 1_000_000_000;
      let last = await write({ value: "w", ttlMs: "never" });
      const ahead = last + aheadUs;
      await admin.setrange(`p|${key}`, 22, String(ahead).padStart(16, "0"));
      const { entry } = await store.read(key);
      expect(entry?.stamp.revision).toBe(ahead);
      let stamp = entry?.stamp ?? { revision: 0, opId: "" };
      last = ahead;
      for (const next of NEXTS) {
        const opId = newOpId();
        const result = await store.write({ key, opId, expect: stamp, next });
        expect(result).toMatchObject({ outcome: "applied", revision: last + 1 });
        last += 1;
        stamp = { revision: last, opId };
        expect(await packed()).toMatch(/^\d{16}[vr]\d{32}$/);
      }
      const again = await store.write(create(key));
      expect(again).toMatchObject({ outcome: "applied", revision: last + 1 });
      expect(await packed()).toMatch(/^\d{16}v\d{32}$/);
    });

    test("what looks like a number comes back as the string it was", async () => {
      const store = await open(kind);
      const values = [
        "1",
        "007",
        "1e3",
        "-0",
        "NaN",
        "null",
        "true",
        "9007199254740993",
        "1.0",
        "",
      ];
      for (const value of values) {
        const key = `${value} ${newOpId()}`;
        const write = create(key, value);
        expect(await store.write(write)).toMatchObject({ outcome: "applied" });
        expect((await store.read(key)).entry?.value).toBe(value);
        const refused = await store.write(create(key, "other"));
        expect(refused.outcome === "refused" && refused.entry?.value).toBe(value);
      }
    });
  });

  test("each script touches no key but those it declares", async () => {
    const store = await open(ioredisPlain);
    const writes = ["a", "b"].map((name) => ({
      key: `declared ${name} ${newOpId()}`,
      expect: "absent" as const,
      next: { value: "v", ttlMs: TTL_MS },
    }));
    const ran = await monitored(async () => {
      await warmUp(store);
      await store.writeAll({ opId: newOpId(), writes });
    });
    let declared: readonly string[] = [];
    let inside = 0;
    for (const {
      args: [name = "", ...args],
      byScript,
    } of ran) {
      if (/^eval(sha)?$/i.test(name)) {
        declared = args.slice(2, 2 + Number(args[1]));
      } else if (byScript && name !== "TIME") {
        inside += 1;
        expect(declared, name).toContain(args[0]);
      }
    }
    expect(inside).toBeGreaterThan(10);
  });

  test("a write that fails wrote nothing, whichever of its keys was at fault", async () => {
    const store = await open(ioredisPlain);
    const keys = ["first", "second", "third"].map((name) => `${name} ${newOpId()}`);
    const writes = keys.map((key) => ({
      key,
      expect: "absent" as const,
      next: { value: "v", ttlMs: TTL_MS },
    }));
    for (const foreign of keys) {
      await admin.rpush(`p|${foreign}`, "something else");
      await expect(store.writeAll({ opId: newOpId(), writes })).rejects.toMatchObject({
        code: "unavailable",
      });
      await admin.del(`p|${foreign}`);
      for (const key of keys) expect(await store.read(key)).not.toHaveProperty("revision");
    }
    await admin.config("SET", "maxmemory", "1");
    await expect(store.writeAll({ opId: newOpId(), writes })).rejects.toMatchObject({
      code: "full",
    });
    await admin.config("SET", "maxmemory", "0");
    for (const key of keys) expect(await store.read(key)).not.toHaveProperty("revision");
    expect(await store.writeAll({ opId: newOpId(), writes })).toMatchObject({ outcome: "applied" });
  });

  test("that a failover may lose writes is declared, also where replicas are waited for", async () => {
    const { client } = await ioredisPlain.open(server.port);
    opened.push({ client, close: () => (client as Redis).disconnect() });
    for (const waitReplicas of [0, 1]) {
      const { capabilities } = createRedisStore({ client, waitReplicas });
      expect(capabilities).toMatchObject({
        failoverMayLoseWrites: true,
        durability: "asynchronous",
      });
    }
    // And a count of replicas that is not reached is not told as applied.
    const store = createRedisStore({ client, waitReplicas: 1, operationTimeoutMs: 200 });
    expect(await store.write(create(newOpId()))).toMatchObject({ outcome: "unknown" });
  });
});
