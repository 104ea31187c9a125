// Groups of servers: a cluster, a master that Sentinels watch; and Valkey.
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import {
  fieldsOf,
  missing,
  redisCommand,
  startRedisCluster,
  startRedisSentinel,
  startValkey,
} from "@onceproof/test-servers";
import { describe, expect, test } from "vitest";

const folders = (): string[] =>
  readdirSync(tmpdir()).filter(
    (name) => /^onceproof-(redis|sentinel)-/.test(name) && name.includes(`-${process.pid}-`),
  );

describe.skipIf(missing("redis"))("groups of Redis servers", () => {
  test("a cluster refuses keys of two slots, moves a slot, and replaces a master", async () => {
    await using cluster = await startRedisCluster({ replicasEach: 1, nodeTimeoutMs: 2_000 });
    const [first, second] = cluster.masters;
    if (first === undefined || second === undefined) throw new Error("it has three masters");
    const both = redisCommand(first.port, "EVAL", "return 1", "2", "a", "b");
    await expect(both).rejects.toThrow(/CROSSSLOT/);
    // "{06S}" is in slot 0.
    await redisCommand(first.port, "SET", "{06S}k", "v");
    await cluster.moveSlot(0, second);
    expect(await redisCommand(second.port, "GET", "{06S}k")).toBe("v");
    await expect(redisCommand(first.port, "GET", "{06S}k")).rejects.toThrow(/MOVED/);
    // Only what its replica has outlives the master.
    const sizes = () =>
      Promise.all(cluster.replicas.map(({ port }) => redisCommand(port, "DBSIZE")));
    await expect.poll(sizes).toEqual([0, 1, 0]);
    expect(await cluster.failOver(0)).toBe(second);
    const heir = await cluster.ownerOf(0);
    expect(cluster.replicas).toContain(heir);
    expect(await redisCommand(heir.port, "GET", "{06S}k")).toBe("v");
  });

  test("Sentinels promote a replica when the master is killed", async () => {
    // Nobody may be promoted before the master is killed because the machine was busy.
    await using group = await startRedisSentinel({ downAfterMs: 2_000 });
    const before = await group.master();
    await redisCommand(before.port, "SET", "k", "v");
    // Either of the replicas may be promoted. WAIT would know nothing of another connection's write.
    for (const { port } of group.servers) {
      await expect.poll(() => redisCommand(port, "GET", "k")).toBe("v");
    }
    expect(await group.failOver()).toBe(before);
    const after = await group.master();
    expect(after).not.toBe(before);
    expect(await redisCommand(after.port, "GET", "k")).toBe("v");
  }, 90_000);

  test("nothing is left of a group that was stopped", async () => {
    const group = await startRedisSentinel({ replicas: 1, sentinels: 1 });
    expect(folders()).toHaveLength(3);
    await group.stop();
    expect(folders()).toEqual([]);
  });
});

test.skipIf(missing("valkey"))("a private Valkey is one", async () => {
  await using server = await startValkey();
  const info = fieldsOf(await redisCommand(server.port, "INFO", "server"));
  expect(info.server_name).toBe("valkey");
});
