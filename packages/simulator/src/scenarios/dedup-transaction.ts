// The scenario of dedup in the store's transaction: an order service on two nodes that writes to a
// table of its own in the transaction that records the outcome.

import type { TransactionalStore } from "@onceproof/core/advanced";
import { TRANSACTIONAL_PROFILES } from "../world/profile.js";
import type { WorldTransaction } from "../world/served-store.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import {
  TRANSACTION_TIMES,
  TRANSACTION_WAIT_MS,
  TRANSACTION_WORKLOADS,
  type TransactionAsk,
  type TransactionWorkload,
  transactionAsk,
} from "./dedup-transaction-workloads.js";
import {
  CHARGES,
  type Charge,
  type ChargeRow,
  DECLINED,
  type TransactionAnswer,
} from "./recorded.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";

export * from "./dedup-transaction-workloads.js";

const NODES = ["api-1", "api-2"];
/** The wall-clock time at which a world starts. */
const START_MS = 1_800_000_000_000;
const MAX_SKEW_MS = 5_000;

/** Builds the scenario; its guarantees come with it. */
export function dedupTransactionScenario(
  states: readonly Stated<TransactionWorkload>[],
): Scenario<TransactionWorkload> {
  return {
    id: "dedup/transaction",
    algorithm: "dedup",
    title: "handlers that write in the store's transaction, which records their outcome",
    times: TRANSACTION_TIMES,
    profiles: TRANSACTIONAL_PROFILES,
    targets: [{ from: NODES, to: "store" }],
    workloads: TRANSACTION_WORKLOADS,
    states,
    play,
  };
}

/** A caller asks again after these. */
const UNSETTLED = new Set(["inProgress", "contended", "indeterminate", "threw"]);

/** The store of a node that stands still after its first commit without an answer. */
function stalling({ store, sleep }: Node, stallsMs: number): TransactionalStore<WorldTransaction> {
  const { transaction, ...rest } = store as TransactionalStore<WorldTransaction>;
  let stalled = false;
  return {
    transaction: (fn) =>
      transaction(fn).catch(async (error: unknown) => {
        if ((error as { code?: unknown }).code === "indeterminate" && !stalled) {
          stalled = true;
          await sleep(stallsMs);
        }
        throw error;
      }),
    ...rest,
  };
}

/** Whether a handler fails that is run for its request for the so many-th time, and how. */
function failureOf(end: TransactionAsk["end"], time: number): "threw" | "final" | undefined {
  switch (end) {
    case "throws":
      return "threw";
    case "throwsFinal":
      return "final";
    case "throwsFirst":
      return time === 1 ? "threw" : undefined;
    case "throwsLater":
      return time > 1 ? "threw" : undefined;
    case "throwsFinalLater":
      return time > 1 ? "final" : undefined;
    default:
      return undefined;
  }
}

function play({ world, core, workload }: Stage<TransactionWorkload>): Acts {
  const services = new Map<string, Serve<TransactionAsk>>();
  const times = new Map<TransactionAsk, number>();
  const { stallsMs = 0 } = workload;
  let runs = 0;

  const serviceOf = (node: Node): Serve<TransactionAsk> => {
    const dedup = core.createTransactionalDedup({
      store: stalling(node, stallsMs),
      runtime: node.runtime,
      name: "pay",
      onCrash: "rerun",
      leaseMs: TRANSACTION_TIMES.leaseMs,
      retentionMs: TRANSACTION_TIMES.retentionMs,
      waitMs: TRANSACTION_WAIT_MS,
      settleMs: 600 + stallsMs,
      maxSkewMs: MAX_SKEW_MS,
      onEvent: (event) => world.recorder.told(node.name, event.type),
    });
    const handle = async (
      asked: TransactionAsk,
      operation: number,
      write: (run: number, part: number) => Promise<void>,
    ): Promise<Charge> => {
      runs += 1;
      const run = runs;
      const time = (times.get(asked) ?? 0) + 1;
      times.set(asked, time);
      const { key, end, changes } = asked;
      const detail = { run };
      const by = { by: node.name, life: node.life, key, operation };
      const ended = world.recorder.span({ kind: "handler", detail, ...by });
      try {
        await node.sleep(asked.beforeMs);
        for (const part of changes.keys()) {
          await write(run, part);
        }
        await node.sleep(asked.afterMs);
        const failure = failureOf(end, time);
        if (failure === "final") {
          throw new core.Final(DECLINED, "the bank said no");
        }
        if (failure === "threw") {
          throw new Error("something went wrong after the charge");
        }
        ended("returned");
        return { key, run };
      } catch (error) {
        ended("threw");
        throw error;
      }
    };
    const attempt = (asked: TransactionAsk, operation: number): Promise<TransactionAnswer> => {
      const { key, fingerprint, plain, changes, bornMs } = asked;
      const call = {
        ...(fingerprint !== undefined && { fingerprint }),
        ...(bornMs !== undefined && { issuedAtMs: START_MS + bornMs }),
      };
      if (plain) {
        return dedup.attempt(key, () => handle(asked, operation, async () => {}), call);
      }
      return dedup.attemptInTransaction(
        key,
        (tx) =>
          handle(asked, operation, (run, part) => {
            const locks = changes[part];
            const value: ChargeRow = { run, part, of: changes.length };
            return tx.insert({
              table: CHARGES,
              key,
              operation,
              value,
              ...(locks !== undefined && { locks }),
            });
          }),
        call,
      );
    };
    return async (asked) => {
      const { key, client, end, fingerprint, bornMs, plain = false } = asked;
      const input = { client, end, fingerprint, bornMs, plain };
      const method = "dedup.transaction";
      try {
        const result = await world.recorder.operation(
          { by: node.name, life: node.life, method, key, input },
          (operation) => attempt(asked, operation),
        );
        return UNSETTLED.has(result.outcome) ? "again" : "settled";
      } catch {
        return "again";
      }
    };
  };

  const start = (name: string): void =>
    world.addNode(name, (node) => services.set(name, serviceOf(node)));
  for (const name of NODES) {
    start(name);
  }
  return {
    main: askAll(world, workload.asks, services),
    async settle() {
      start("last");
      const keys = [...new Set(workload.asks.map(({ key }) => key))];
      const asks = keys.map((key) => {
        const last = { client: `last-${key}`, key, to: ["last"], tries: 6, gapMs: 1_000 };
        const {
          fingerprint,
          bornMs,
          changes = [undefined],
        } = workload.asks.find((each) => each.key === key) ?? {};
        return transactionAsk({
          changes,
          ...last,
          ...(fingerprint !== undefined && { fingerprint }),
          ...(bornMs !== undefined && { bornMs }),
        });
      });
      await askAll(world, asks, services);
    },
  };
}
