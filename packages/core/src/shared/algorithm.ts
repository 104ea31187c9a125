// The names of the algorithms, as they stand in keys, events and tables.

export type Algorithm =
  | "tokens"
  | "dedup"
  | "stateMachine"
  | "uniqueInsert"
  | "lock"
  | "fence"
  | "register";
