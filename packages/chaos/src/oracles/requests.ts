// Judges what remembers requests: every request is answered alike however often it asks, balances
// add up exactly, and an order has moved once for each request that was told so.
import type { Call } from "../log/call.js";
import { EVENTS, type FireAsk, INITIAL, type OrderData } from "../workloads/orders.js";
import { type Account, OPENING, type TransferAsk } from "../workloads/transfers.js";
import { groupBy, outcomeOf, type Verdict, type Violation } from "./violation.js";

const ONCE_REGISTER = "Register: fn takes effect at most once per requestId.";
const ADDS_UP = "Register: balances add up exactly.";
const ONCE_MACHINE =
  "State machine: each (id, requestId) moves the entity at most once and gets the same answer again.";
const CREATED = "State machine: one create per id succeeds, and its creator is recognised.";

/** What stands at the end, after every request was asked once more without faults. */
export interface FinalValues {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly orders: ReadonlyMap<string, { readonly state: string; readonly data: OrderData }>;
}

/** The answers of one request that decide it. */
function decided(group: readonly Call[]): { readonly replayed: boolean }[] {
  return group.flatMap(({ answer }) => {
    const outcome = outcomeOf(answer);
    return outcome === "updated" || outcome === "refused" || outcome === "moved"
      ? [answer as { readonly replayed: boolean }]
      : [];
  });
}

/** One answer, and told at most once as new. */
function judgeAnswers(name: string, group: readonly Call[], guarantee: string): Violation[] {
  const answers = decided(group);
  const violations: Violation[] = [];
  const texts = new Set(answers.map(({ replayed: _, ...rest }) => JSON.stringify(rest)));
  if (texts.size > 1) {
    violations.push({ guarantee, detail: `${name} was told ${[...texts].join(" and ")}` });
  }
  const news = answers.filter(({ replayed }) => !replayed).length;
  if (news > 1) violations.push({ guarantee, detail: `${name} was told ${news} times as new` });
  return violations;
}

export function judgeTransfers(calls: readonly Call[], final: FinalValues | undefined): Verdict {
  const violations: Violation[] = [];
  const asked = calls.filter(({ to }) => to === "transfer");
  let money = 0;
  let opened = 0;
  for (const [account, group] of groupBy(asked, ({ ask }) => (ask as TransferAsk).account)) {
    let sum = OPENING;
    const numbers: number[] = [];
    const requests = groupBy(group, ({ ask }) => (ask as TransferAsk).requestId);
    for (const [requestId, asks] of requests) {
      violations.push(...judgeAnswers(`${account}: ${requestId}`, asks, ONCE_REGISTER));
      const [first] = decided(asks) as { outcome?: string; value?: Account }[];
      if (first?.outcome !== "updated" || first.value === undefined) continue;
      sum += (asks[0] as Call & { ask: TransferAsk }).ask.delta;
      numbers.push(first.value.updates);
    }
    if (new Set(numbers).size !== numbers.length) {
      violations.push({
        guarantee: ONCE_REGISTER,
        detail: `${account}: two updates made one value`,
      });
    }
    if (final === undefined) continue;
    const { sum: stands, updates } = final.accounts.get(account) ?? { sum: OPENING, updates: 0 };
    opened += OPENING;
    money += stands;
    if (stands !== sum || updates !== numbers.length) {
      const detail = `${account}: ${sum} after ${numbers.length} updates by what was told, ${stands} after ${updates} by the store`;
      violations.push({ guarantee: ADDS_UP, detail });
    }
  }
  if (money !== opened) {
    violations.push({ guarantee: ADDS_UP, detail: `${opened} was opened with, ${money} is left` });
  }
  return {
    violations,
    tallies: { updatesAsked: asked.length, ...(final && { moneyAtTheEnd: money }) },
  };
}

export function judgeOrders(calls: readonly Call[], final: FinalValues | undefined): Verdict {
  const violations: Violation[] = [];
  const asked = calls.filter(({ to }) => to === "fire");
  const creates = calls.filter(({ to }) => to === "create");
  for (const [id, group] of groupBy(creates, ({ ask }) => (ask as FireAsk).id)) {
    const news = group.filter(({ answer }) => outcomeOf(answer) === "created").length;
    if (news > 1)
      violations.push({ guarantee: CREATED, detail: `${id} was created ${news} times` });
  }
  for (const [id, group] of groupBy(asked, ({ ask }) => (ask as FireAsk).id)) {
    const moves: { from: string; to: string }[] = [];
    for (const [requestId, asks] of groupBy(group, ({ ask }) => (ask as FireAsk).requestId)) {
      violations.push(...judgeAnswers(`${id}: ${requestId}`, asks, ONCE_MACHINE));
      const [first] = decided(asks) as { outcome?: string; from?: string; to?: string }[];
      if (first?.outcome === "moved") moves.push({ from: first.from ?? "", to: first.to ?? "" });
    }
    const end = final?.orders.get(id);
    if (end === undefined) continue;
    const problem = judgeMoves(moves, end);
    if (problem !== undefined)
      violations.push({ guarantee: ONCE_MACHINE, detail: `${id}: ${problem}` });
  }
  return { violations, tallies: { eventsFired: asked.length, ordersCreated: creates.length } };
}

/** Whether moves, in some order, lead from the initial state to the last one, each once. */
function judgeMoves(
  moves: readonly { from: string; to: string }[],
  { state, data }: { readonly state: string; readonly data: OrderData },
): string | undefined {
  if (data.moves !== moves.length) {
    return `${moves.length} moves were told, ${data.moves} were made`;
  }
  const legal = Object.values(EVENTS).map(({ from, to }) => ({
    from: from as readonly string[],
    to,
  }));
  const illegal = moves.find(
    (move) => !legal.some(({ from, to }) => from.includes(move.from) && to === move.to),
  );
  if (illegal !== undefined) return `it moved from ${illegal.from} to ${illegal.to}`;
  // A walk leaves each state as often as it comes to it, its two ends apart.
  const balance = new Map<string, number>();
  const add = (at: string, by: number): void => void balance.set(at, (balance.get(at) ?? 0) + by);
  add(INITIAL, 1);
  add(state, -1);
  for (const { from, to } of moves) {
    add(to, 1);
    add(from, -1);
  }
  const off = [...balance].find(([, count]) => count !== 0);
  return off === undefined ? undefined : `its moves do not lead to ${state}: ${off[0]} is off`;
}
