// Worker processes: what dies or falls silent is reported and replaced, and none is left behind.

import { afterEach, expect, test } from "vitest";
import { openPool, type Pool, type PoolOptions } from "../../src/cli/pool.ts";
import type { Task } from "../../src/cli/protocol.ts";

const open: Pool[] = [];

function pool(options: Partial<PoolOptions> = {}): Pool {
  const worker = new URL("./support/odd-worker.mjs", import.meta.url);
  const opened = openPool({ worker, jobs: 2, ...options });
  open.push(opened);
  return opened;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const task = (seed: number): Extract<Task, { task: "hunt" }> => ({
  task: "hunt",
  scenarios: [],
  seed,
  budget: 1,
});

const pidOf = (ended: unknown): number => (ended as { answer: { pid: number } }).answer.pid;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("tasks are done by as many processes as there are jobs", async () => {
  const both = pool();
  const ended = await Promise.all([10, 11, 12, 13, 14, 15].map((seed) => both.run(task(seed))));
  expect(ended.map((each) => each.end)).toEqual(Array(6).fill("done"));
  expect(new Set(ended.map(pidOf)).size).toBeLessThanOrEqual(2);
});

test("a worker that dies fails its task, and the next task gets another", async () => {
  const one = pool({ jobs: 1 });
  const [died, next] = await Promise.all([one.run(task(1)), one.run(task(10))]);
  expect(died).toEqual({ end: "failed", message: "a worker process died (exit code 7)" });
  expect(next.end).toBe("done");
});

test("a worker that falls silent is ended", async () => {
  const ended = await pool({ jobs: 1, silenceMs: 3_000 }).run(task(2));
  expect(ended).toMatchObject({ end: "failed", silent: true });
  expect(ended).toHaveProperty("message", expect.stringContaining("no sign of life for 3 s"));
});

test("what a task throws is told", async () => {
  expect(await pool().run(task(3))).toEqual({ end: "failed", message: "on purpose" });
});

test("workers that cannot start fail every task instead of being started for ever", async () => {
  const dead = pool({ worker: new URL("./support/dead-worker.mjs", import.meta.url) });
  const ended = await Promise.all([10, 11, 12].map((seed) => dead.run(task(seed))));
  for (const each of ended) {
    expect(each).toMatchObject({ end: "failed" });
    expect(each).toHaveProperty("message", expect.stringContaining("before it was ready"));
  }
});

test("a halt ends what runs and drops what waits; a later task is done", async () => {
  const one = pool({ jobs: 1 });
  let told: (plans: number) => void = () => {};
  const begun = new Promise<number>((resolve) => {
    told = resolve;
  });
  const running = one.run(task(4), (plans) => told(plans));
  const waiting = one.run(task(10));
  expect(await begun).toBe(5);
  one.halt();
  expect(await running).toMatchObject({ end: "done", answer: { plans: 5 } });
  expect(await waiting).toEqual({ end: "notBegun" });
  expect((await one.run(task(10))).end).toBe("done");
});

test("a stop begins no task any more, and ends the one that does not answer", async () => {
  const one = pool({ jobs: 1, graceMs: 200 });
  const running = one.run(task(2));
  one.stop();
  expect(await one.run(task(10))).toEqual({ end: "notBegun" });
  expect((await running).end).not.toBe("done");
});

test("after close no process is left", async () => {
  const one = pool({ jobs: 1 });
  const pid = pidOf(await one.run(task(10)));
  expect(isAlive(pid)).toBe(true);
  await one.close();
  expect(isAlive(pid)).toBe(false);
});
