// The acquisitions of locks that nodes were told: the common ground of the lock's oracles.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { History } from "../world/history.js";
import { groupBy } from "./judge.js";

/** An acquisition that was told. */
export interface Holding {
  readonly key: string;
  readonly token: number;
  readonly call: OperationOf<"lock.acquire">;
}

/** The acquisitions that were told, by resource. */
export function holdings(history: History): Map<string, Holding[]> {
  const told: Holding[] = [];
  for (const call of operationsOf(history, "lock.acquire")) {
    const result = returnedBy<"lock.acquire">(call);
    if (result?.outcome === "acquired") told.push({ key: call.key, token: result.token, call });
  }
  return groupBy(told, ({ key }) => key);
}
