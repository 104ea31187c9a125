// `writeAll` on a real Redis, beyond what the kit asks: nothing is written where one key cannot be,
// whatever the reason, and what is written lives as long as a plain write's.
import type { WriteWithoutOpId } from "@onceproof/core/advanced";
import { createRedisStore, type RedisStore } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis, type TestServer } from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

const MINUTE = 60_000;

describe.skipIf(missing("redis"))("several keys in one step", () => {
  let server: TestServer;
  let client: Redis;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis({ args: ["--maxmemory-policy", "noeviction"] });
    client = new Redis(server.port, "127.0.0.1");
  });
  afterEach(() => client.config("SET", "maxmemory", "0"));
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  const next = { value: "v", ttlMs: MINUTE } as const;
  const create = (key: string): WriteWithoutOpId => ({ key, expect: "absent", next });

  function open(tombstoneMs = 5000): { store: RedisStore; at: (key: string) => string } {
    prefixes += 1;
    const keyPrefix = `all ${prefixes}`;
    return {
      store: createRedisStore({ client, keyPrefix, tombstoneMs }),
      at: (key) => `${keyPrefix}|${key}`,
    };
  }

  async function applied(store: RedisStore, writes: readonly WriteWithoutOpId[]) {
    const opId = newOpId();
    const result = await store.writeAll({ opId, writes });
    if (result.outcome !== "applied") throw new Error(`it was ${result.outcome}`);
    return result.revisions.map((revision) => ({ revision, opId }));
  }

  test("it is one script call, applied, refused or replayed", async () => {
    const { store } = open();
    await applied(store, [create("warm a"), create("warm b")]);
    await client.config("RESETSTAT");
    const all = { opId: newOpId(), writes: [create("a"), create("b"), create("c")] };
    expect(await store.writeAll(all)).toMatchObject({ outcome: "applied", replayed: false });
    expect(await store.writeAll(all)).toMatchObject({ outcome: "applied", replayed: true });
    expect(await store.writeAll({ ...all, opId: newOpId() })).toMatchObject({ outcome: "refused" });
    const stats = await client.info("commandstats");
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]).toBe("3");
    expect(stats).not.toContain("cmdstat_eval:");
  });

  test("a full server writes none, and still refuses, replays and removes", async () => {
    const { store } = open();
    const opId = newOpId();
    const writes = [create("a"), create("b")];
    const first = await store.writeAll({ opId, writes });
    const [a, b] = first.outcome === "applied" ? first.revisions : [];
    await client.config("SET", "maxmemory", "1");
    // Whichever comes first: what needs memory, or what needs none.
    const stamp = { revision: a ?? 0, opId };
    for (const full of [
      [create("c"), create("d")],
      [{ key: "a", expect: stamp, next: "removed" }, create("d")],
      [{ key: "a", expect: stamp, next: { touch: true, ttlMs: MINUTE } }, create("d")],
      [{ key: "a", expect: stamp, next: { value: "w", ttlMs: "keep" } }],
    ] as WriteWithoutOpId[][]) {
      const full1 = store.writeAll({ opId: newOpId(), writes: full });
      await expect(full1).rejects.toMatchObject({ code: "full" });
    }
    expect((await store.read("c")).revision).toBeUndefined();
    expect((await store.read("d")).revision).toBeUndefined();
    expect((await store.read("a")).entry?.stamp).toEqual(stamp);
    expect(await store.writeAll({ opId, writes })).toMatchObject({ replayed: true });
    expect(
      await store.writeAll({ opId: newOpId(), writes: [create("c"), create("b")] }),
    ).toMatchObject({ outcome: "refused", index: 1 });
    const removals: WriteWithoutOpId[] = [
      { key: "a", expect: stamp, next: "removed" },
      { key: "b", expect: { revision: b ?? 0, opId }, next: "removed" },
    ];
    expect(await store.writeAll({ opId: newOpId(), writes: removals })).toMatchObject({
      outcome: "applied",
    });
  });

  // A script's error does not undo what it wrote before.
  test("a key of another type or another format is found before the first is written", async () => {
    const { store, at } = open();
    await client.rpush(at("list"), "something else");
    await client.set(at("text"), "something else");
    for (const [key, code] of [
      ["list", "unavailable"],
      ["text", "formatUnknown"],
    ] as const) {
      for (const writes of [
        [create("a"), create(key)],
        [create(key), create("a")],
      ]) {
        const bad = store.writeAll({ opId: newOpId(), writes });
        await expect(bad).rejects.toMatchObject({ code });
      }
    }
    expect((await store.read("a")).revision).toBeUndefined();
    expect(await client.get(at("text"))).toBe("something else");
  });

  test("Redis keeps each key until entry and tombstone have ended, and hardly longer", async () => {
    const { store, at } = open(5000);
    const kept = (key: string): Promise<number> => client.pttl(at(key));
    const within = (ms: number, leastMs: number): void => {
      expect(ms).toBeGreaterThan(leastMs - 500);
      expect(ms).toBeLessThan(leastMs + 2500);
    };
    const [long, short, forever] = await applied(store, [
      create("long"),
      { key: "short", expect: "absent", next: { value: "v", ttlMs: 100 } },
      { key: "forever", expect: "absent", next: { value: "v", ttlMs: "never" } },
    ]);
    if (!long || !short || !forever) throw new Error("three were written");
    within(await kept("long"), MINUTE);
    within(await kept("short"), 5000);
    expect(await kept("forever")).toBe(-1);
    const again = await applied(store, [
      { key: "long", expect: long, next: { value: "kept", ttlMs: "keep" } },
      { key: "forever", expect: forever, next: { value: "kept", ttlMs: "keep" } },
    ]);
    within(await kept("long"), MINUTE);
    expect(await kept("forever")).toBe(-1);
    expect((await store.read("long")).entry?.value).toBe("kept");
    const [stamp, other] = again;
    if (!stamp || !other) throw new Error("two were written");
    const [touched] = await applied(store, [
      { key: "long", expect: stamp, next: { touch: true, ttlMs: "never" } },
      { key: "forever", expect: other, next: { touch: true, ttlMs: 1000 } },
    ]);
    expect(await kept("long")).toBe(-1);
    within(await kept("forever"), 5000);
    if (!touched) throw new Error("it was written");
    await applied(store, [{ key: "long", expect: touched, next: "removed" }]);
    within(await kept("long"), 5000);
    expect((await store.read("long")).revision).toBeGreaterThan(touched.revision);
  });

  // S3: as after the server's clock stepped back by ten minutes.
  test("revisions go on from one that is ahead of the clock, each from its own", async () => {
    const { store, at } = open();
    const [a, b] = await applied(store, [create("a"), create("b")]);
    if (!a || !b) throw new Error("two were written");
    const packed = (await client.get(at("a"))) ?? "";
    const ahead = a.revision + 600_000_000;
    await client.set(at("a"), packed.slice(0, 22) + ahead + packed.slice(38));
    const [next1, next2] = await applied(store, [
      { key: "a", expect: { ...a, revision: ahead }, next },
      { key: "b", expect: b, next },
    ]);
    expect(next1?.revision).toBe(ahead + 1);
    expect(next2?.revision).toBeLessThan(ahead);
    expect(next2?.revision).toBeGreaterThan(b.revision);
    expect(await client.pttl(at("a"))).toBeGreaterThan(600_000);
  });

  // For who will move to a cluster, or is behind a proxy that hides one.
  test("with hashTags a single server names keys, and refuses, as a cluster does", async () => {
    const store = createRedisStore({ client, keyPrefix: "tagged", hashTags: true });
    const entity = "1:n8:register1:a";
    await applied(store, [create(entity), create(`${entity}2:r1`)]);
    expect((await client.keys("tagged|*")).sort()).toEqual([
      `tagged|{${entity}}`,
      `tagged|{${entity}}2:r1`,
    ]);
    const apart = store.writeAll({ opId: newOpId(), writes: [create("a"), create("b")] });
    await expect(apart).rejects.toMatchObject({ code: "crossSlot" });
    // The client's own prefix stands first, and may hold the tag.
    const prefixed = new Redis(server.port, "127.0.0.1", { keyPrefix: "{own}" });
    const inOneSlot = createRedisStore({ client: prefixed, hashTags: true });
    await applied(inOneSlot, [create("a"), create("b")]);
    prefixed.disconnect();
  });
});
