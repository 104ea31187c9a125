// After all faults: asks every request once more, by a client that nothing strikes, so that what
// was left open is known, and looks at what stands in the store. Its calls belong to the history.
import type { AtomicStore } from "@onceproof/core/advanced";
import { createRecordingStore, type StoreInput } from "@onceproof/simulator/checker";
import { type Call, readCalls } from "../log/call.js";
import { openCallLog } from "../log/writer.js";
import type { LastLook } from "../oracles/dedup.js";
import type { RunFacts } from "../oracles/judge.js";
import { outcomeOf } from "../oracles/violation.js";
import { createRandom } from "../random.js";
import { openSinkClient } from "../sink/client.js";
import type { Statements, Transactions } from "../stores/store-kind.js";
import { createLane, isMultiKey, type Lane } from "../worker/lane.js";
import { startWatchdog } from "../worker/watchdog.js";
import { CONTRACT_PREFIX } from "../workloads/contract.js";
import { createChaosDedup, type DedupAsk, type DedupMode } from "../workloads/dedup.js";
import { createInserts, type InsertAsk, insertOnce } from "../workloads/inserts.js";
import { createOrders, type FireAsk, fireOrder } from "../workloads/orders.js";
import {
  askForPayment,
  type Bank,
  createPayments,
  type PaymentAsk,
  readBank,
} from "../workloads/payments.js";
import { type ConsumeAsk, createChaosTokens } from "../workloads/tokens.js";
import {
  createAccounts,
  creditOf,
  MULTI,
  moveMoney,
  type TransferAsk,
} from "../workloads/transfers.js";

const AT_ONCE = 16;
const ASKS_AGAIN = 8;

export interface SettleOptions {
  readonly store: AtomicStore;
  readonly transactions: Transactions | undefined;
  /** Names what is broken on purpose. */
  readonly broken: string | undefined;
  /** The user's own tables, where there are any. */
  readonly tables: Statements | undefined;
  readonly folder: string;
  readonly seed: number;
  readonly originNs: bigint;
  readonly sinkPort: number;
}

/** Settles what is open; returns what stands at the end. */
export async function settleAll(options: SettleOptions): Promise<NonNullable<RunFacts["end"]>> {
  const { folder, seed, originNs, sinkPort, transactions, broken, tables } = options;
  const { calls } = readCalls(folder);
  const log = openCallLog(folder, "settle", originNs);
  const watchdog = startWatchdog(log.hang);
  const sink = openSinkClient(sinkPort);
  const by = "settle/all";
  const store = createRecordingStore(options.store, { recorder: log.recorder, process: by });
  const multi = isMultiKey(options.store) ? options.store : undefined;
  const random = createRandom(seed, by);
  const more = { transactions, broken, sink, log, watchdog, originNs };
  const lane = createLane({ by, seed, random, store, multi, ...more });
  try {
    const accounts = await settleTransfers(lane, calls);
    await settleInserts(lane, calls);
    const orders = await settleOrders(lane, calls);
    await settleTokens(lane, calls);
    const looks = await lookAtDedup(lane, calls);
    await readContractKeys(lane, calls);
    const bank = tables && (await settlePayments(lane, calls, tables));
    return { accounts, orders, looks, ...(bank && { bank }) };
  } finally {
    watchdog.stop();
    sink.close();
    log.close();
  }
}

async function forAll<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const next = async (): Promise<void> => {
    for (let item = iterator.next(); !item.done; item = iterator.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

/** The questions of one kind, each once. */
function questions<T>(calls: readonly Call[], to: Call["to"], id: (ask: T) => string): T[] {
  const asks = calls.filter((call) => call.to === to).map(({ ask }) => ask as T);
  return [...new Map(asks.map((ask) => [id(ask), ask])).values()];
}

async function settleTransfers(
  lane: Lane,
  calls: readonly Call[],
): Promise<Record<string, { sum: number; updates: number }>> {
  const single = createAccounts(lane.store);
  const several = lane.multi === undefined ? single : createAccounts(lane.multi);
  const at = (account: string) => (account.startsWith(MULTI) ? several : single);
  const legs = questions<TransferAsk>(calls, "transfer", ({ account, requestId }) =>
    JSON.stringify([account, requestId]),
  );
  const ask = (leg: TransferAsk) =>
    lane.ask("transfer", leg, () => moveMoney(at(leg.account), leg));
  await forAll(legs, async (leg) => {
    const told = await ask(leg);
    const credit = told?.outcome === "updated" ? creditOf(leg) : undefined;
    if (credit !== undefined) await ask(credit);
  });
  const names = new Set(
    legs.flatMap(({ account, credit }) => (credit ? [account, credit] : [account])),
  );
  const standing: Record<string, { sum: number; updates: number }> = {};
  await forAll(names, async (name) => {
    const { value } = await at(name).get(name);
    if (value !== undefined) standing[name] = value;
  });
  return standing;
}

async function settleInserts(lane: Lane, calls: readonly Call[]): Promise<void> {
  if (lane.multi === undefined) return;
  const made = createInserts(lane.multi);
  const asks = questions<InsertAsk>(calls, "insert", ({ requestId }) => requestId);
  await forAll(asks, (ask) => lane.ask("insert", ask, () => insertOnce(made, ask)));
}

async function settlePayments(
  lane: Lane,
  calls: readonly Call[],
  tables: Statements,
): Promise<Bank | undefined> {
  const { transactions } = lane;
  if (transactions === undefined) return undefined;
  const payments = createPayments(transactions, lane.broken);
  const asks = questions<PaymentAsk>(calls, "payment", ({ request }) => request);
  const settle = async ({ request }: PaymentAsk): Promise<void> => {
    // Some callers take back what they paid, also here.
    for (let time = 0; time < ASKS_AGAIN; time += 1) {
      const told = outcomeOf(await askForPayment(lane, payments, transactions, request));
      if (told === "executed" || told === "replayed" || told === "failed") return;
    }
  };
  // One at a time: among many, those of a storm would meet in deadlocks for minutes.
  await forAll(asks, settle, 1);
  return readBank(tables);
}

async function settleOrders(
  lane: Lane,
  calls: readonly Call[],
): Promise<Record<string, { state: string; data: { moves: number } }>> {
  const machine = createOrders(lane.store);
  const asks = questions<FireAsk>(calls, "fire", ({ id, requestId }) =>
    JSON.stringify([id, requestId]),
  );
  await forAll(asks, (ask) => lane.ask("fire", ask, () => fireOrder(machine, ask)));
  const standing: Record<string, { state: string; data: { moves: number } }> = {};
  await forAll(new Set(asks.map(({ id }) => id)), async (id) => {
    const snapshot = await machine.get(id);
    if (snapshot !== undefined) standing[id] = { state: snapshot.state, data: snapshot.data };
  });
  return standing;
}

async function settleTokens(lane: Lane, calls: readonly Call[]): Promise<void> {
  const tokens = createChaosTokens(lane.store, lane.seed);
  const asks = questions<ConsumeAsk>(calls, "consume", ({ token, requestId }) =>
    JSON.stringify([token, requestId]),
  );
  await forAll(asks, (ask) => {
    const { kind, token, subject, requestId } = ask;
    return lane.ask("consume", ask, () => tokens[kind].consume(token, subject, { requestId }));
  });
}

async function lookAtDedup(lane: Lane, calls: readonly Call[]): Promise<LastLook[]> {
  const of = (mode: DedupMode) => createChaosDedup(lane.store, mode, lane.sink);
  const dedups = { park: of("park"), verify: of("verify") };
  const asks = questions<DedupAsk>(calls, "dedup", ({ mode, key }) => JSON.stringify([mode, key]));
  const looks: LastLook[] = [];
  await forAll(asks, async ({ mode, key }) => {
    const seen = await dedups[mode].inspect(key);
    const value = seen.state === "done" && "value" in seen ? { value: seen.value } : {};
    looks.push({ mode, key, state: seen.state, ...value });
  });
  return looks;
}

/** Reads each key of the contract's workload: whatever was unknown is seen now, or never was. */
async function readContractKeys(lane: Lane, calls: readonly Call[]): Promise<void> {
  const keys = questions<StoreInput>(calls, "store", keyOf).map(keyOf);
  await forAll(
    keys.filter((key) => key.startsWith(CONTRACT_PREFIX)),
    (key) => lane.store.read(key),
  );
}

function keyOf(input: StoreInput): string {
  return input.kind === "read" ? input.key : input.write.key;
}
