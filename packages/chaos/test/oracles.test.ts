// The oracles themselves, on histories that are wrong in one way each: each is noticed, and by the
// sentence that it breaks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SinkLine, Subject } from "../src/log/call.js";
import { judgeRun, type RunFacts, writeFacts } from "../src/oracles/judge.js";
import {
  ACCOUNTS,
  type Bank,
  type Effect,
  ITEMS,
  OPENING,
  openingStock,
  SCARCE,
} from "../src/workloads/payments.js";

let folder: string;
let lines: object[];
let sink: SinkLine[];
let clock: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), `onceproof-judge-${process.pid}-`));
  lines = [];
  sink = [];
  clock = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes down a call; without an answer it stays open. */
function call(to: Subject, ask: object, answer?: unknown, by = "1.1/lane"): void {
  const n = lines.length + 1;
  clock += 10;
  lines.push({ e: "ask", n, at: clock, by, to, ask });
  clock += 10;
  if (answer !== undefined) lines.push({ e: "told", n, at: clock, answer });
}

async function judged(facts: Partial<RunFacts> = {}): Promise<string[]> {
  const text = (all: readonly object[]): string =>
    all.map((l) => `${JSON.stringify(l)}\n`).join("");
  // A killed process may leave half a line.
  writeFileSync(join(folder, "client-1.1.jsonl"), `${text(lines)}{"e":"as`);
  writeFileSync(join(folder, "sink.jsonl"), text(sink));
  const made = { store: "redis", seed: 1, faults: [], tombstoneMs: 300_000, clockJumps: false };
  writeFacts(folder, { ...made, violations: [], ...facts });
  const { violations } = await judgeRun(folder);
  return violations.map(({ guarantee }) => guarantee.split(":")[0] ?? "");
}

const opId = (letter: string): string => letter.repeat(22);
const create = (letter: string): object => ({
  kind: "write",
  write: {
    key: "k",
    opId: opId(letter),
    expect: "absent",
    next: { value: letter, ttlMs: "never" },
  },
});
const applied = (revision: number): object => ({
  ...{ outcome: "applied", revision, writtenAt: revision, now: revision, replayed: false },
});
const entry = (letter: string, revision: number): object => ({
  value: letter,
  writtenAt: revision,
  stamp: { revision, opId: opId(letter) },
});

describe("the contract", () => {
  test("nothing is said of what a correct store answers", async () => {
    call("store", create("a"), applied(100));
    call("store", { kind: "read", key: "k" }, { entry: entry("a", 100), revision: 100, now: 110 });
    call("store", create("b"), {
      outcome: "refused",
      entry: entry("a", 100),
      revision: 100,
      now: 120,
    });
    expect(await judged()).toEqual([]);
  });

  test("a write without an answer may be seen later, or never", async () => {
    call("store", create("a"));
    call("store", { kind: "read", key: "k" }, { now: 110 });
    call("store", { kind: "read", key: "k" }, { entry: entry("a", 115), revision: 115, now: 120 });
    expect(await judged()).toEqual([]);
  });

  test("a write told as refused that is seen later is noticed", async () => {
    call("store", create("a"), {
      outcome: "refused",
      entry: entry("b", 90),
      revision: 90,
      now: 100,
    });
    call("store", { kind: "read", key: "k" }, { entry: entry("a", 100), revision: 100, now: 110 });
    expect(await judged()).toEqual(["S1"]);
  });

  test("a call that hangs and an error that nobody documents are noticed", async () => {
    lines.push({ e: "hang", at: 1, what: "write k", ms: 3_000 }, { e: "error", at: 1, what: "oh" });
    expect(await judged()).toEqual(["S11", "Honesty"]);
  });
});

describe("dedup", () => {
  const done = (value: string): object => ({ outcome: "executed", recorded: true, value });
  const effect = { e: "effect", key: "park k", token: 1, by: "1.1/lane", accepted: true } as const;

  test("two effects of one key are noticed, one refused by the fence is none", async () => {
    sink.push(effect, { ...effect, token: 2, accepted: false });
    expect(await judged()).toEqual([]);
    sink.push({ ...effect, token: 2 });
    expect(await judged()).toEqual(["Dedup"]);
  });

  test("two values of one key are noticed, an unrecorded one is not promised", async () => {
    call("dedup", { mode: "park", key: "k" }, done("a"));
    call("dedup", { mode: "park", key: "k" }, { ...done("b"), recorded: "unknown" });
    expect(await judged()).toEqual([]);
    call("dedup", { mode: "park", key: "k" }, { outcome: "replayed", value: "b" });
    expect(await judged()).toEqual(["Dedup"]);
  });

  test("a value that was told and is not there at the end is noticed", async () => {
    call("dedup", { mode: "park", key: "k" }, done("a"));
    const looks = [{ mode: "park", key: "k", state: "none" }];
    expect(await judged({ end: { looks, accounts: {}, orders: {} } })).toEqual(["Dedup"]);
  });

  test("an answer of the sink that could not be recorded is told as replayed", async () => {
    const looks = [{ mode: "verify", key: "k", state: "running" }];
    const end = { looks, accounts: {}, orders: {} };
    call("dedup", { mode: "verify", key: "k" }, { outcome: "replayed", value: "a" });
    expect(await judged({ end })).toEqual([]);
    call("dedup", { mode: "verify", key: "k" }, done("a"));
    expect(await judged({ end })).toEqual(["Dedup"]);
  });
});

describe("locks", () => {
  const use = { e: "fenced", resource: "r", by: "1.1/lane", accepted: true } as const;

  test("an older token accepted after a newer one is noticed", async () => {
    sink.push({ ...use, token: 2 }, { ...use, token: 1, accepted: false });
    expect(await judged()).toEqual([]);
    sink.push({ ...use, token: 1 });
    expect(await judged()).toEqual(["Lock"]);
  });

  test.each([1, 2])("a later holder with token %i after 2 is noticed", async (token) => {
    call("lock", { resource: "r" }, { outcome: "acquired", token: 2 });
    call("lock", { resource: "r" }, { outcome: "acquired", token }, "2.1/lane");
    expect(await judged()).toContain("Lock");
  });
});

describe("tokens", () => {
  const ask = { token: "t", subject: "s", kind: "stored", wrong: false };

  test("two requests told consumed are noticed, one that asks again is not", async () => {
    call("consume", { ...ask, requestId: "a" }, { outcome: "consumed", replayed: false });
    call("consume", { ...ask, requestId: "b" }, { outcome: "used" });
    call("consume", { ...ask, requestId: "a" }, { outcome: "consumed", replayed: true });
    expect(await judged()).toEqual([]);
    call("consume", { ...ask, requestId: "b" }, { outcome: "consumed", replayed: false });
    expect(await judged()).toContain("Tokens");
  });

  test("a wrong subject that is told anything but invalid is noticed", async () => {
    call("consume", { ...ask, requestId: "a", wrong: true }, { outcome: "consumed" });
    expect(await judged()).toEqual(["Tokens"]);
  });
});

describe("balances and orders", () => {
  const leg = { account: "x", requestId: "a", delta: -30 };
  const updated = (sum: number, updates: number, replayed = false): object => ({
    ...{ outcome: "updated", value: { sum, updates }, replayed },
  });
  const end = (sum: number, updates: number): Partial<RunFacts> => ({
    end: {
      looks: [],
      accounts: { x: { sum, updates }, y: { sum: 200 - sum, updates: 1 } },
      orders: {},
    },
  });
  const credit = { account: "y", requestId: "a credit", delta: 30 };

  test("what adds up is not spoken of", async () => {
    call("transfer", leg, updated(70, 1));
    call("transfer", credit, updated(130, 1));
    call("transfer", leg, updated(70, 1, true));
    expect(await judged(end(70, 1))).toEqual([]);
  });

  test("an update that happened twice is noticed", async () => {
    call("transfer", leg, updated(70, 1));
    call("transfer", credit, updated(130, 1));
    expect(await judged(end(40, 2))).toContain("Register");
  });

  test("a request that is answered in two ways, or twice as new, is noticed", async () => {
    call("transfer", leg, updated(70, 1));
    call("transfer", leg, updated(40, 2, true));
    expect(await judged()).toEqual(["Register"]);
    call("transfer", leg, updated(70, 1));
    expect(await judged()).toContain("Register");
  });

  test("an order that moved more often than it was told is noticed", async () => {
    const moved = { outcome: "moved", event: "pay", from: "new", to: "paid", replayed: false };
    call("fire", { id: "o", requestId: "a", event: "pay" }, moved);
    const standing = (moves: number): Partial<RunFacts> => ({
      end: { looks: [], accounts: {}, orders: { o: { state: "paid", data: { moves } } } },
    });
    expect(await judged(standing(1))).toEqual([]);
    expect(await judged(standing(2))).toEqual(["State machine"]);
  });
});

describe("unique inserts", () => {
  const ask = (requestId: string, email: string): object => ({
    requestId,
    keys: { email, number: `number of ${requestId}` },
  });

  test("two creators of one key are noticed, and a creator told of a conflict", async () => {
    call("insert", ask("a", "x"), { outcome: "created" });
    call("insert", ask("a", "x"), { outcome: "replayed" });
    call("insert", ask("b", "x"), { outcome: "conflict", key: "email" });
    expect(await judged()).toEqual([]);
    call("insert", ask("a", "x"), { outcome: "conflict", key: "email" });
    expect(await judged()).toEqual(["Unique insert"]);
    call("insert", ask("c", "x"), { outcome: "created" });
    expect(await judged()).toEqual(["Unique insert", "Unique insert"]);
  });
});

describe("payments", () => {
  const paid = (value: string, outcome = "executed"): object => ({ outcome, value });
  const ask = (request: string, offers: string): object => ({ request, offers });
  const row = (request: string, value: string): Effect => ({
    ...{ request, value, source: 1, target: 2, amount: 30, item: 3 },
  });
  /** The tables after these payments, each of them in the balances so many times. */
  const end = (effects: readonly Effect[], times = effects.length): Partial<RunFacts> => {
    const { accounts, stock } = standingAfter(times);
    const bank: Bank = { accounts, stock, effects };
    return { end: { looks: [], accounts: {}, orders: {}, bank } };
  };
  const standingAfter = (times: number): Pick<Bank, "accounts" | "stock"> => {
    const all = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at + 1), OPENING]));
    const moved = { "1": OPENING - 30 * times, "2": OPENING + 30 * times };
    return {
      accounts: { ...all(ACCOUNTS), ...moved },
      stock: { ...all(ITEMS), [SCARCE]: openingStock(SCARCE), "3": OPENING - times },
    };
  };

  test("one row for a request that somebody was told of, and none for a declined one, is right", async () => {
    call("payment", ask("a", "1"), { outcome: "indeterminate", reason: "commitUnknown" });
    call("payment", ask("a", "2"), paid("1", "replayed"));
    call("payment", ask("b", "3"));
    call("payment", ask("b", "4"), { outcome: "failed", recorded: true });
    expect(await judged(end([row("a", "1")]))).toEqual([]);
  });

  test.each([
    { what: "a second row", rows: [row("a", "1"), row("a", "1")] },
    { what: "a missing row", rows: [] },
    { what: "another's row", rows: [row("a", "2")] },
    { what: "a row that nobody asked for", rows: [row("a", "1"), row("b", "9")] },
  ])("$what is noticed", async ({ rows }) => {
    call("payment", ask("a", "1"), paid("1"));
    expect(await judged(end(rows))).toEqual(["Dedup"]);
  });

  test("two values of one request are noticed, without any look at the tables", async () => {
    call("payment", ask("a", "1"), paid("1"));
    call("payment", ask("a", "2"), paid("2", "replayed"));
    expect(await judged()).toEqual(["Dedup"]);
  });

  test("who was told that nothing happened, and has a row, is noticed", async () => {
    call("payment", ask("a", "1"), { outcome: "threw" });
    call("payment", ask("a", "2"), paid("1", "replayed"));
    expect(await judged(end([row("a", "1")]))).toEqual(["Dedup"]);
  });

  test("a request of which nothing can be told at the end is noticed", async () => {
    call("payment", ask("a", "1"), { outcome: "contended" });
    expect(await judged(end([]))).toEqual(["Dedup"]);
  });

  test("balances and stock that no row explains are noticed", async () => {
    call("payment", ask("a", "1"), paid("1"));
    expect(await judged(end([row("a", "1")], 2))).toEqual(["Payments", "Payments", "Payments"]);
  });

  test("more pieces sold than there were are noticed, though every row explains one", async () => {
    const requests = Array.from({ length: openingStock(SCARCE) + 1 }, (_, at) => `r${at}`);
    const sold = requests.map((request) => ({ ...row(request, request), amount: 0, item: SCARCE }));
    for (const request of requests) call("payment", ask(request, request), paid(request));
    const { accounts, stock } = standingAfter(0);
    const bank: Bank = { accounts, stock: { ...stock, [SCARCE]: -1 }, effects: sold };
    expect(await judged({ end: { looks: [], accounts: {}, orders: {}, bank } })).toEqual([
      "Payments",
    ]);
  });

  const ALL_STOCK = Array.from({ length: ITEMS }, (_, at) => openingStock(at + 1)).reduce(
    (sum, pieces) => sum + pieces,
  );
  const look = {
    ...{ outcome: "seen", money: OPENING * ACCOUNTS, accounts: ACCOUNTS, leastMoney: 0 },
    ...{ pieces: ALL_STOCK - 7, leastPieces: 0, effects: 7 },
  };

  test.each([
    { what: "money that is missing", look: { ...look, money: look.money - 1 } },
    { what: "an account that is missing", look: { ...look, accounts: ACCOUNTS - 1 } },
    { what: "an account below nothing", look: { ...look, leastMoney: -1 } },
    { what: "a piece that nobody bought", look: { ...look, pieces: look.pieces - 1 } },
    { what: "a payment that took no piece", look: { ...look, effects: 8 } },
    { what: "an item below nothing", look: { ...look, leastPieces: -1 } },
  ])("in the middle, $what is noticed", async ({ look: wrong }) => {
    call("sums", {}, look);
    expect(await judged()).toEqual([]);
    call("sums", {}, wrong);
    expect(await judged()).toEqual(["Payments"]);
  });

  test("a transaction that was aborted before, or is not exactly once, is noticed", async () => {
    call("payment", ask("a", "1"), { ...paid("1"), aborted: 1 });
    call("payment", ask("a", "1"), { ...paid("1"), exactlyOnce: false });
    expect(await judged()).toEqual(["Dedup", "Dedup"]);
  });
});
