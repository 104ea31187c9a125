// What each client process does, all at once.
import type { Workload } from "../worker/lane.js";
import { contract } from "./contract.js";
import { dedup } from "./dedup.js";
import { inserts } from "./inserts.js";
import { locks } from "./locks.js";
import { orders } from "./orders.js";
import { payments } from "./payments.js";
import { tokens } from "./tokens.js";
import { multiTransfers, transfers } from "./transfers.js";

export const WORKLOADS: readonly {
  readonly name: string;
  readonly lanes: number;
  readonly workload: Workload;
}[] = [
  { name: "contract", lanes: 4, workload: contract },
  { name: "dedup-park", lanes: 2, workload: dedup("park") },
  { name: "dedup-verify", lanes: 2, workload: dedup("verify") },
  { name: "locks", lanes: 2, workload: locks },
  { name: "tokens", lanes: 2, workload: tokens },
  { name: "transfers", lanes: 2, workload: transfers },
  { name: "multi-transfers", lanes: 1, workload: multiTransfers },
  { name: "inserts", lanes: 1, workload: inserts },
  { name: "orders", lanes: 2, workload: orders },
  { name: "payments", lanes: 4, workload: payments },
];

/** What there is to choose from. */
export const workloadNames: readonly string[] = WORKLOADS.map(({ name }) => name);
