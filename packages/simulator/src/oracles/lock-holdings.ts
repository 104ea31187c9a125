// The acquisitions of locks that nodes were told: the common ground of the lock's oracles.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { History } from "../world/history.js";
import { groupBy } from "./judge.js";
import { oncePerHistory } from "./memo.js";

/** An acquisition that was told. */
export interface Holding {
  readonly key: string;
  readonly token: number;
  readonly call: OperationOf<"lock.acquire">;
}

/** The acquisitions that were told, by resource. */
export const holdings: (history: History) => ReadonlyMap<string, readonly Holding[]> =
  oncePerHistory((history) => {
    const told: Holding[] = [];
    for (const call of operationsOf(history, "lock.acquire")) {
      const result = returnedBy<"lock.acquire">(call);
      if (result?.outcome === "acquired") told.push({ key: call.key, token: result.token, call });
    }
    return groupBy(told, ({ key }) => key);
  });
