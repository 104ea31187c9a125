// All oracles: judges of a run's history, one per sentence of docs/guarantees.md.

export * from "./contract.js";
export * from "./dedup.js";
export * from "./dedup-transaction.js";
export * from "./dedup-transaction-rounds.js";
export * from "./fence.js";
export * from "./general.js";
export * from "./lock.js";
export * from "./register.js";
export * from "./state-machine.js";
export * from "./tokens.js";
export * from "./unique-insert.js";
