// Portions of sends: what reaches a client in one turn of the event loop, and in which order.
import { AsyncLocalStorage } from "node:async_hooks";
import { nextTick } from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { sendPacer } from "../src/pace-sends.js";

const AT_MOST = 32;

/** As node-redis does it: what is sent until the turn ends leaves in one write. */
function createWriter() {
  const writes: number[][] = [];
  let gathered: number[] = [];
  return {
    writes,
    send(command: number) {
      gathered.push(command);
      if (gathered.length === 1) {
        setImmediate(() => {
          writes.push(gathered);
          gathered = [];
        });
      }
    },
  };
}

const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** Lets turns pass until so many commands have been written. */
async function written({ writes }: { writes: number[][] }, count: number): Promise<number[][]> {
  while (writes.flat().length < count) {
    await nextTurn();
  }
  return writes;
}

test("many at once leave in portions, first in, first out", async () => {
  const writer = createWriter();
  const inTurn = sendPacer();
  for (const command of numbers(0, 3 * AT_MOST + 1)) {
    inTurn(() => writer.send(command));
  }
  expect(await written(writer, 3 * AT_MOST + 1)).toEqual([
    numbers(0, AT_MOST),
    numbers(AT_MOST, AT_MOST),
    numbers(2 * AT_MOST, AT_MOST),
    [3 * AT_MOST],
  ]);
});

test("what comes while others wait goes behind them, into the portion that has room", async () => {
  const writer = createWriter();
  const inTurn = sendPacer();
  const late = 1000;
  for (const command of numbers(0, AT_MOST + 2)) {
    inTurn(() => writer.send(command));
  }
  // The turn is over for those that were sent in it, and the next has not come.
  await new Promise<void>((resolve) => nextTick(resolve));
  inTurn(() => writer.send(late));
  expect(await written(writer, AT_MOST + 3)).toEqual([
    numbers(0, AT_MOST),
    [AT_MOST, AT_MOST + 1, late],
  ]);
});

test("where nothing waits a command is sent at once, in every turn", async () => {
  const inTurn = sendPacer();
  for (let turn = 0; turn < 3; turn += 1) {
    let sent = 0;
    for (let each = 0; each < AT_MOST; each += 1) {
      inTurn(() => {
        sent += 1;
      });
      expect(sent).toBe(each + 1);
    }
    await nextTurn();
  }
  // After a portion that waited, too.
  for (let each = 0; each < AT_MOST + 1; each += 1) inTurn(() => {});
  await nextTurn();
  await nextTurn();
  let sent = false;
  inTurn(() => {
    sent = true;
  });
  expect(sent).toBe(true);
});

test("what waits is sent in the asynchronous context of its caller, which a tracer follows", async () => {
  const caller = new AsyncLocalStorage<number>();
  const inTurn = sendPacer();
  const seen: (number | undefined)[] = [];
  const all = numbers(0, 2 * AT_MOST + 1);
  for (const each of all) {
    caller.run(each, () => inTurn(() => seen.push(caller.getStore())));
  }
  while (seen.length < all.length) {
    await nextTurn();
  }
  expect(seen).toEqual(all);
});
