// The scenario of dedup in the store's transaction: an order service on two nodes that writes to a
// table of its own in the transaction that records the outcome.

import type { TransactionalStore } from "@onceproof/core/advanced";
import { TRANSACTIONAL_PROFILES } from "../world/profile.js";
import type { WorldTransaction } from "../world/transaction-client.js";
import type { Node } from "../world/world.js";
import { askAll, type Serve } from "./clients.js";
import {
  TRANSACTION_TIMES,
  TRANSACTION_WORKLOADS,
  type TransactionAsk,
  type TransactionWorkload,
  transactionAsk,
} from "./dedup-transaction-workloads.js";
import { CHARGES, type Charge, type ChargeRow, type TransactionAnswer } from "./recorded.js";
import type { Acts, Scenario, Stage, Stated } from "./scenario.js";

export * from "./dedup-transaction-workloads.js";

const NODES = ["api-1", "api-2"];

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

function play({ world, core, workload }: Stage<TransactionWorkload>): Acts {
  const services = new Map<string, Serve<TransactionAsk>>();
  const failedOnce = new Set<TransactionAsk>();
  let runs = 0;

  const serviceOf = (node: Node): Serve<TransactionAsk> => {
    const dedup = core.createTransactionalDedup({
      store: node.store as TransactionalStore<WorldTransaction>,
      runtime: node.runtime,
      name: "pay",
      onCrash: "rerun",
      leaseMs: TRANSACTION_TIMES.leaseMs,
      retentionMs: TRANSACTION_TIMES.retentionMs,
      waitMs: 800,
      settleMs: 600,
      onEvent: (event) => world.recorder.told(node.name, event.type),
    });
    const handle = async (
      asked: TransactionAsk,
      operation: number,
      write: (run: number, part: number) => Promise<void>,
    ): Promise<Charge> => {
      runs += 1;
      const run = runs;
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
        if (end === "throwsFinal") {
          throw new core.Final("declined", "the bank said no");
        }
        if (end === "throws" || (end === "throwsFirst" && !failedOnce.has(asked))) {
          failedOnce.add(asked);
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
      const { key, fingerprint, plain, changes } = asked;
      const call = fingerprint === undefined ? {} : { fingerprint };
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
      const { key, client, end, fingerprint, plain = false } = asked;
      const input = { client, end, fingerprint, plain };
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
        const { fingerprint, changes = [undefined] } =
          workload.asks.find((each) => each.key === key) ?? {};
        return transactionAsk({
          changes,
          ...last,
          ...(fingerprint !== undefined && { fingerprint }),
        });
      });
      await askAll(world, asks, services);
    },
  };
}
