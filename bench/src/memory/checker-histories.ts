// Histories of a register for the checker: processes that overlap, calls whose reply is lost, and
// in some of them one read that may be wrong.

import { createRandom, type Random } from "@onceproof/simulator";
import type { Operation, RegisterInput, RegisterOutput } from "@onceproof/simulator/checker";

export type RegisterOperation = Operation<RegisterInput<number>, RegisterOutput<number>>;

export interface Shape {
  readonly operations: number;
  readonly processes: number;
  /** At most this many operations have no known outcome. */
  readonly unknown: number;
  /** Values are whole numbers up to this. */
  readonly values: number;
}

interface Call {
  readonly process: number;
  readonly input: RegisterInput<number>;
  readonly invokedAt: number;
  output?: RegisterOutput<number>;
  effective: boolean;
}

function drawInput(random: Random, values: number): RegisterInput<number> {
  const value = random.int(0, values);
  switch (random.int(0, 2)) {
    case 0:
      return { kind: "read" };
    case 1:
      return { kind: "write", value };
    default:
      return { kind: "cas", from: value, to: random.int(0, values) };
  }
}

/** The answer of a register that holds `value`, and what it holds then. */
function answer(
  value: number,
  input: RegisterInput<number>,
): readonly [RegisterOutput<number>, number] {
  switch (input.kind) {
    case "read":
      return [value, value];
    case "write":
      return [undefined, input.value];
    case "cas":
      return value === input.from ? [true, input.to] : [false, value];
  }
}

/** Draws one history; in half of them a read is given some value. */
export function drawHistory(seed: number, shape: Shape): RegisterOperation[] {
  const { operations, processes, unknown, values } = shape;
  const random = createRandom(seed);
  const history: RegisterOperation[] = [];
  const calls: (Call | undefined)[] = Array.from({ length: processes }, () => undefined);
  let [value, started, lost, clock] = [0, 0, 0, 0];
  while (history.length < operations) {
    clock += 1;
    const process = random.int(0, processes - 1);
    const call = calls[process];
    if (call === undefined) {
      if (started < operations) {
        started += 1;
        const input = drawInput(random, values);
        calls[process] = { process, input, invokedAt: clock, effective: false };
      }
      continue;
    }
    const { input, invokedAt } = call;
    if (lost < unknown && random.chance((0.7 * unknown) / operations)) {
      lost += 1;
      history.push({ process, input, invokedAt });
      calls[process] = undefined;
    } else if (!call.effective) {
      const [output, next] = answer(value, input);
      value = next;
      Object.assign(call, { output, effective: true });
    } else {
      history.push({ process, input, output: call.output, invokedAt, returnedAt: clock });
      calls[process] = undefined;
    }
  }
  return random.chance(0.5) ? history : spoilOne(random, history, values);
}

function spoilOne(
  random: Random,
  history: RegisterOperation[],
  values: number,
): RegisterOperation[] {
  const reads = history.filter(
    ({ input, returnedAt }) => input.kind === "read" && returnedAt !== undefined,
  );
  const spoilt = reads[random.int(0, Math.max(0, reads.length - 1))];
  return history.map((each) =>
    each === spoilt ? { ...each, output: random.int(0, values) } : each,
  );
}
