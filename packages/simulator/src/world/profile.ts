// Store profiles: stores that serve the same contract and differ in what they survive.

import type { StoreCapabilities } from "@onceproof/core/advanced";
import type { FaultName } from "./fault-plan.js";

/** A kind of store. */
export interface StoreProfile {
  readonly id: ProfileId;
  /** One line for tables. */
  readonly title: string;
  readonly durability: StoreCapabilities["durability"];
  readonly failoverMayLoseWrites: boolean;
  /** Whether it offers `writeAll`. */
  readonly multiKey: boolean;
  /** Whether it offers `watch`. */
  readonly watch: boolean;
  /**
   * Whether it offers `transaction` and `bind`: `locking`, where others wait for who writes first, or
   * `optimistic`, where a commit fails if what was seen has changed.
   */
  readonly transactions: "none" | "locking" | "optimistic";
  /** The faults that only this kind of store suffers, beside those of the network and of nodes. */
  readonly faults: readonly FaultName[];
  /** How far its clock may step back: `none`, or `within` or `beyond` the tombstone time. */
  readonly clockBack: "none" | "within" | "beyond";
  /** How far the clock of a promoted replica lags: `none` is ahead of every lost revision. */
  readonly lag: "none" | "lagging";
}

export type ProfileId =
  | "durable"
  | "single-key"
  | "unsynced"
  | "failover"
  | "failover-lagging"
  | "evicting"
  | "stale-reads"
  | "clock-back"
  | "clock-far-back"
  | "transactional"
  | "transactional-optimistic";

const DURABLE: StoreProfile = {
  id: "durable",
  title: "every applied write survives; writeAll and watch",
  durability: "durable",
  failoverMayLoseWrites: false,
  multiKey: true,
  watch: true,
  transactions: "none",
  faults: ["restartStore"],
  clockBack: "none",
  lag: "none",
};

/** All profiles, in the order of tables. */
export const PROFILES: readonly StoreProfile[] = [
  DURABLE,
  {
    ...DURABLE,
    id: "single-key",
    title: "as durable, with the two primitives alone",
    multiKey: false,
    watch: false,
  },
  {
    ...DURABLE,
    id: "clock-back",
    title: "its clock steps back by less than the tombstone time",
    faults: ["restartStore", "jumpStoreClock"],
    clockBack: "within",
  },
  {
    ...DURABLE,
    id: "unsynced",
    title: "a restart loses the writes that were not synced",
    durability: "asynchronous",
    failoverMayLoseWrites: true,
  },
  {
    ...DURABLE,
    id: "failover",
    title: "a failover loses the last writes; the new clock is ahead of them",
    durability: "asynchronous",
    failoverMayLoseWrites: true,
    faults: ["failover"],
  },
  {
    ...DURABLE,
    id: "failover-lagging",
    title: "a failover loses the last writes; the new clock lags",
    durability: "asynchronous",
    failoverMayLoseWrites: true,
    faults: ["failover"],
    lag: "lagging",
  },
  {
    ...DURABLE,
    id: "evicting",
    title: "breaks the contract: evicts keys at will",
    durability: "asynchronous",
    failoverMayLoseWrites: true,
    faults: ["evict"],
  },
  {
    ...DURABLE,
    id: "stale-reads",
    title: "breaks the contract: reads come from a replica that lags",
    faults: ["staleReads"],
  },
  {
    ...DURABLE,
    id: "clock-far-back",
    title: "breaks the contract: its clock steps back beyond the tombstone time",
    faults: ["jumpStoreClock"],
    clockBack: "beyond",
  },
  {
    ...DURABLE,
    id: "transactional",
    title: "transactions, in which others wait for who writes first",
    multiKey: false,
    watch: false,
    transactions: "locking",
    faults: ["restartStore", "disconnect"],
  },
  {
    ...DURABLE,
    id: "transactional-optimistic",
    title: "transactions, whose commit fails if what they saw has changed",
    multiKey: false,
    watch: false,
    transactions: "optimistic",
    faults: ["restartStore", "disconnect"],
  },
];

/** The profiles with transactions. */
export const TRANSACTIONAL_PROFILES: readonly ProfileId[] = PROFILES.filter(
  ({ transactions }) => transactions !== "none",
).map(({ id }) => id);

/** All other profiles: for algorithms that need no more than the two primitives. */
export const ALL_PROFILES: readonly ProfileId[] = PROFILES.filter(
  ({ transactions }) => transactions === "none",
).map(({ id }) => id);

/** The profile of an id. */
export function profileOf(id: ProfileId): StoreProfile {
  const found = PROFILES.find((profile) => profile.id === id);
  if (found === undefined) {
    throw new TypeError(
      `there is no store profile ${JSON.stringify(id)}: choose one of ` +
        PROFILES.map((profile) => profile.id).join(", "),
    );
  }
  return found;
}
