// All mutants, as one list: what core's tests and the simulator are judged by.

import type { Mutant } from "../src/mutants/mutant.ts";
import { mutants as contract } from "./contract.ts";
import { mutants as dedup } from "./dedup.ts";
import { mutants as dedupLease } from "./dedup-lease.ts";
import { mutants as dedupTransaction } from "./dedup-transaction.ts";
import { mutants as fence } from "./fence.ts";
import { mutants as lock } from "./lock.ts";
import { mutants as register } from "./register.ts";
import { mutants as shared } from "./shared.ts";
import { mutants as stateMachine } from "./state-machine.ts";
import { mutants as tokens } from "./tokens.ts";
import { mutants as uniqueInsert } from "./unique-insert.ts";

export const mutants: readonly Mutant[] = [
  ...contract,
  ...dedup,
  ...dedupLease,
  ...dedupTransaction,
  ...fence,
  ...lock,
  ...register,
  ...shared,
  ...stateMachine,
  ...tokens,
  ...uniqueInsert,
];
