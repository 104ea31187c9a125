// Gives a store in this process the time that a store elsewhere takes. Without it each operation
// would be over before the next request is looked at, and the algorithms would never meet a rival.

import { setTimeout as sleep } from "node:timers/promises";
import type { MultiKeyStore } from "@onceproof/core/advanced";

const ROUND_TRIP_MS = 1;
const OPERATIONS: ReadonlySet<PropertyKey> = new Set<keyof MultiKeyStore>([
  "read",
  "write",
  "writeAll",
]);

type Operation = (...args: unknown[]) => Promise<unknown>;

/** The same store, a round trip away. */
export function withRoundTrips(store: MultiKeyStore): MultiKeyStore {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") {
        return member;
      }
      const operation = member.bind(target) as Operation;
      if (!OPERATIONS.has(property)) {
        return operation;
      }
      return async (...args: unknown[]): Promise<unknown> => {
        await sleep(ROUND_TRIP_MS);
        return operation(...args);
      };
    },
  });
}
