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
