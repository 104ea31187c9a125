// Judges payments in the user's own tables by what callers were told and by the rows at the end:
// each request has its row exactly once if anybody may know of it, and everything adds up.
import type { Call } from "../log/call.js";
import {
  ACCOUNTS,
  type Bank,
  type Effect,
  ITEMS,
  OPENING,
  openingStock,
  type PaymentAsk,
  type Sums,
} from "../workloads/payments.js";
import { groupBy, outcomeOf, type Verdict, type Violation } from "./violation.js";

const ONCE =
  "Dedup: what the handler writes through tx takes effect exactly once per key until retention ends, whatever crashes or gets lost.";
const SAME =
  "Dedup: every caller of the key is told that one outcome, also where the answer to the commit was lost.";
const NOTHING =
  "Dedup: whoever is told anything else has changed nothing; only indeterminate says that a commit may have taken place.";
const LEFT = "Dedup: what is rolled back leaves no record, and no transaction is left behind.";
const ADDS_UP = "Payments: balances and stock add up exactly.";

const ITEM_NUMBERS = Array.from({ length: ITEMS }, (_, at) => at + 1);
const ALL_STOCK = ITEM_NUMBERS.reduce((sum, item) => sum + openingStock(item), 0);

interface Answer {
  readonly outcome?: string;
  readonly value?: string;
  readonly recorded?: true | "unknown";
  readonly exactlyOnce?: boolean;
  readonly code?: string;
  readonly runs?: number;
  readonly deadlocks?: number;
  readonly aborted?: number;
  readonly commitsUnknown?: number;
}

const answerOf = ({ answer }: Call): Answer => (answer ?? {}) as Answer;
const askOf = ({ ask }: Call): PaymentAsk => ask as PaymentAsk;

/** What an answer says that stands for ever. */
function standing({ outcome, value, recorded }: Answer): string | undefined {
  if (outcome === "executed" || outcome === "replayed") return `paid ${value}`;
  return outcome === "failed" && recorded === true ? "declined" : undefined;
}

/** @param end - what the tables hold after every request was asked once more without faults. */
export function judgePayments(calls: readonly Call[], end: Bank | undefined): Verdict {
  const asked = calls.filter(({ to }) => to === "payment");
  const violations: Violation[] = [...judgeSums(calls), ...judgeCalls(asked)];
  const byRequest = groupBy(asked, (call) => askOf(call).request);
  const rows = groupBy(end?.effects ?? [], ({ request }) => request);
  for (const [request, group] of byRequest) {
    const told = new Set(group.map((call) => standing(answerOf(call))));
    told.delete(undefined);
    if (told.size > 1) {
      violations.push({ guarantee: SAME, detail: `${request}: ${[...told].join(" and ")}` });
    }
    if (end !== undefined) {
      violations.push(...judgeRows(request, [...told] as string[], rows.get(request) ?? [], group));
    }
  }
  const unasked = [...rows.keys()].filter((request) => !byRequest.has(request));
  if (unasked.length > 0) {
    violations.push({ guarantee: ONCE, detail: `nobody asked for ${unasked.join(", ")}` });
  }
  if (end !== undefined) violations.push(...judgeBalances(end));
  const tallies = { ...tally(asked, byRequest.size, end), paymentLooks: looksAt(calls).length };
  return { violations, tallies };
}

function judgeRows(
  request: string,
  told: readonly string[],
  rows: readonly Effect[],
  group: readonly Call[],
): Violation[] {
  const seen = rows.map(({ value }) => value).join(", ");
  if (rows.length > 1) {
    return [{ guarantee: ONCE, detail: `${request} took effect ${rows.length} times: ${seen}` }];
  }
  if (told.length === 0) {
    const last = JSON.stringify(group.at(-1)?.answer);
    const detail = `${request}: when all was whole, nobody could be told of it, but ${last}`;
    return [{ guarantee: SAME, detail }];
  }
  const [row] = rows;
  const expected = told.find((text) => text !== "declined");
  if ((row && `paid ${row.value}`) !== expected) {
    const detail = `${request}: told ${told.join(" and ")}, in the tables ${seen || "nothing"}`;
    return [{ guarantee: ONCE, detail }];
  }
  const own = row && group.find((call) => askOf(call).offers === row.value);
  const answer = own && answerOf(own);
  if (own?.ended === "told" && answer && standing(answer) === undefined && !mayHave(answer)) {
    const { outcome, code } = answer;
    const detail = `${request}: ${own.by} was told ${outcome} ${code ?? ""}, and its payment is there`;
    return [{ guarantee: NOTHING, detail }];
  }
  return [];
}

const mayHave = ({ outcome, code }: Answer): boolean =>
  outcome === "indeterminate" || code === "indeterminate";

function judgeCalls(asked: readonly Call[]): Violation[] {
  return asked.flatMap((call): Violation[] => {
    const { exactlyOnce, aborted = 0 } = answerOf(call);
    const { request } = askOf(call);
    return [
      ...(exactlyOnce === false
        ? [{ guarantee: ONCE, detail: `${request}: ${call.by} was told exactlyOnce: false` }]
        : []),
      ...(aborted > 0
        ? [{ guarantee: LEFT, detail: `${request}: ${call.by} was given an aborted transaction` }]
        : []),
    ];
  });
}

function judgeSums(calls: readonly Call[]): Violation[] {
  return looksAt(calls).flatMap((sums) =>
    addsUp(sums)
      ? []
      : [{ guarantee: ADDS_UP, detail: `in the middle of the run: ${JSON.stringify(sums)}` }],
  );
}

const looksAt = (calls: readonly Call[]): Sums[] =>
  calls
    .filter(({ to, answer }) => to === "sums" && outcomeOf(answer) === "seen")
    .map(({ answer }) => answer as Sums);

/** Money only moves, each payment takes a piece, and what would leave less than none is declined. */
function addsUp({ money, accounts, leastMoney, pieces, leastPieces, effects }: Sums): boolean {
  return (
    money === OPENING * ACCOUNTS &&
    accounts === ACCOUNTS &&
    pieces + effects === ALL_STOCK &&
    leastMoney >= 0 &&
    leastPieces >= 0
  );
}

function judgeBalances({ accounts, stock, effects }: Bank): Violation[] {
  const expected = new Map<string, number>();
  const add = (name: string, by: number): void =>
    void expected.set(name, (expected.get(name) ?? 0) + by);
  for (let id = 1; id <= ACCOUNTS; id += 1) add(`account ${id}`, OPENING);
  for (const item of ITEM_NUMBERS) add(`stock ${item}`, openingStock(item));
  for (const { source, target, amount, item } of effects) {
    add(`account ${source}`, -amount);
    add(`account ${target}`, amount);
    add(`stock ${item}`, -1);
  }
  const stands = new Map<string, number>([
    ...Object.entries(accounts).map(([id, n]) => [`account ${id}`, n] as const),
    ...Object.entries(stock).map(([id, n]) => [`stock ${id}`, n] as const),
  ]);
  return [...expected].flatMap(([name, n]) => {
    const stood = stands.get(name);
    if (stood !== n) {
      return [{ guarantee: ADDS_UP, detail: `${name}: ${n} by its rows, ${stood} stands` }];
    }
    return n < 0 ? [{ guarantee: ADDS_UP, detail: `${name}: ${n}, less than none` }] : [];
  });
}

function tally(
  asked: readonly Call[],
  requests: number,
  end: Bank | undefined,
): Record<string, number> {
  const answers = asked.map(answerOf);
  const sum = (of: (answer: Answer) => number | undefined): number =>
    answers.reduce((total, answer) => total + (of(answer) ?? 0), 0);
  const count = (which: (answer: Answer) => boolean): number => answers.filter(which).length;
  return {
    paymentsAsked: asked.length,
    paymentRequests: requests,
    ...(end && { payments: end.effects.length }),
    paymentsReplayed: count(({ outcome }) => outcome === "replayed"),
    paymentRuns: sum(({ runs }) => runs),
    paymentDeadlocks: sum(({ deadlocks }) => deadlocks),
    paymentCommitsUnknown: sum(({ commitsUnknown }) => commitsUnknown),
    paymentsDeclined: count(({ outcome }) => outcome === "failed"),
    paymentsIndeterminate: count(mayHave),
  };
}
