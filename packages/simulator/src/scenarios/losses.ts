// Where guarantees are given up on account of the store: what docs/guarantees.md says under *what a
// lossy failover takes away*, and stores that break the contract.

import type { Loss } from "./scenario.js";

const LOSES = "the store loses writes that it had acknowledged";
const BROKEN = "the store breaks the contract";

/** Given up where the store loses acknowledged writes or breaks the contract; else it holds. */
export const LOSSY: readonly Loss[] = [
  {
    profiles: ["unsynced", "failover", "failover-lagging"],
    faults: ["store"],
    mustBeFound: false,
    why: LOSES,
  },
  {
    profiles: ["evicting", "stale-reads", "clock-far-back"],
    faults: ["store"],
    mustBeFound: false,
    why: BROKEN,
  },
];

/** What a holder can tell by its own clocks has an end where both are fooled. */
export const BOTH_CLOCKS: Loss = {
  together: ["suspend", "jumpClock"],
  mustBeFound: false,
  why: "a machine is suspended, which stops its monotonic clock, and its wall clock is set back as well",
};

/** Leases end by the store's clock, and holders count true time. */
export const STORE_AHEAD: Loss = {
  profiles: ["clock-back"],
  faults: ["store"],
  mustBeFound: false,
  why: "the store's clock jumps ahead by more than the margin",
};

/** Without a snapshot there is nothing to tell an old request by. */
export const FORGOTTEN: readonly Loss[] = [
  {
    mustBeFound: false,
    why: "without a snapshot, a request beyond the window or the retention counts as new",
  },
];
