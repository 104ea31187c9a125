// What operations cost a Redis server, by its own account: MONITOR shows the calls, commandstats the
// time spent in them, MEMORY USAGE what is kept.

import type { Redis } from "ioredis";
import { runBatch } from "../compare/batch.js";
import { repeated } from "../compare/calls.js";
import type { Account, Contestant } from "../compare/comparison.js";
import { spread } from "../compare/statistics.js";

const WATCHED = 5;
const BATCH = 200;
const BATCHES = 15;
const AT_ONCE = 64;

/** The calls that clients sent while `work` ran, and the names of what scripts called within them. */
async function watchCalls(
  admin: Redis,
  work: () => Promise<unknown>,
): Promise<{ readonly sent: readonly string[]; readonly nested: ReadonlySet<string> }> {
  const monitor = await admin.monitor();
  const sent: string[] = [];
  const nested = new Set<string>();
  const end = `end ${process.hrtime.bigint()}`;
  const ended = new Promise<void>((resolve) => {
    monitor.on("monitor", (_time: string, [name = "", text]: string[], source: string) => {
      if (text === end) {
        resolve();
      } else if (source === "lua") {
        nested.add(name.toUpperCase());
      } else {
        sent.push(name.toUpperCase());
      }
    });
  });
  try {
    await work();
    await admin.echo(end);
    await ended;
  } finally {
    monitor.disconnect();
  }
  return { sent, nested };
}

/** Microseconds of server time in the given commands since the statistics were reset. */
async function microsecondsIn(admin: Redis, commands: Iterable<string>): Promise<number> {
  const statistics = await admin.info("commandstats");
  let total = 0;
  for (const command of commands) {
    const found = new RegExp(`^cmdstat_${command}:calls=\\d+,usec=(\\d+)`, "im").exec(statistics);
    total += Number(found?.[1] ?? 0);
  }
  return total;
}

/** The median over many batches: one in which the machine did something else says nothing. */
export async function executionUs(
  admin: Redis,
  commands: ReadonlySet<string>,
  operate: (index: number) => Promise<unknown>,
  from = 0,
): Promise<number> {
  const costs: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await admin.config("RESETSTAT");
    await runBatch(operate, from + batch * BATCH, BATCH, AT_ONCE);
    costs.push((await microsecondsIn(admin, commands)) / BATCH);
  }
  return spread(costs).median;
}

/** Bytes of all keys and values, without what Redis keeps of their expiry. */
async function bytesKept(admin: Redis): Promise<number> {
  const pipeline = admin.pipeline();
  for await (const keys of admin.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      pipeline.memory("USAGE", key);
    }
  }
  const replies = (await pipeline.exec()) ?? [];
  return replies.reduce((total, [, bytes]) => total + Number(bytes ?? 0), 0);
}

async function bytesEach(
  admin: Redis,
  { prepare }: Contestant,
  operate: (index: number) => Promise<unknown>,
): Promise<number> {
  await admin.flushall();
  await prepare?.();
  const before = await bytesKept(admin);
  await runBatch(operate, 0, BATCH, AT_ONCE);
  return Math.round(((await bytesKept(admin)) - before) / BATCH);
}

/** The calls of one operation, once the scripts are known to the server; the same each time. */
export async function callsOf(
  admin: Redis,
  { name, operate, prepare }: Contestant,
): Promise<readonly string[]> {
  await admin.flushall();
  await prepare?.();
  // The first call of a script also sends its text.
  await operate(0);
  const { sent, nested } = await watchCalls(admin, () => runBatch(operate, 1, WATCHED, 1));
  const calls = repeated(name, sent, WATCHED);
  if (calls.some((call) => nested.has(call))) {
    throw new Error(`${name} sends ${calls.join(" ")} and calls one of them in a script too`);
  }
  return calls;
}

/** What one operation of a contestant costs the server. */
export async function accountOf(admin: Redis, contestant: Contestant): Promise<Account> {
  const { operate, hold = operate } = contestant;
  const calls = await callsOf(admin, contestant);
  const us = await executionUs(admin, new Set(calls), operate, 1 + WATCHED);
  const heldBytes = await bytesEach(admin, contestant, hold);
  const leftBytes = hold === operate ? heldBytes : await bytesEach(admin, contestant, operate);
  return { calls, costs: { "commands, µs": us, "bytes held": heldBytes, "bytes left": leftBytes } };
}
