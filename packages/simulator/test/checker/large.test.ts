// Histories that are too large for a judge that tries everything, but whose verdict is plain: reads
// one after the other while writes of different values overlap all of them. Each write takes effect
// once, so the values that are read must not come back.

import { createRandom } from "@onceproof/simulator";
import { checkHistory, type Operation, registerModel } from "@onceproof/simulator/checker";
import { expect, test } from "vitest";

type Register = Operation<Parameters<ReturnType<typeof registerModel<number>>["step"]>[1], unknown>;

const model = registerModel(0);

/** Values that are read, 0 being the first one; some come back if `returning`. */
function drawReads(seed: number, writes: number, returning: boolean): number[] {
  const random = createRandom(seed);
  const values = Array.from({ length: writes }, (_, index) => index + 1);
  const reads = random.chance(0.5) ? [0] : [];
  for (let left = random.int(5, writes); left > 0; left -= 1) {
    const [value] = values.splice(random.int(0, values.length - 1), 1);
    reads.push(...Array.from({ length: random.int(1, 2) }, () => value!));
  }
  if (returning) {
    const at = random.int(0, reads.length - 3);
    reads.splice(random.int(at + 2, reads.length), 0, reads[at]!);
  }
  return reads;
}

const comesBack = (reads: readonly number[]): boolean =>
  reads.some((value, at) => reads[at - 1] !== value && reads.indexOf(value) < at);

function historyOf(reads: readonly number[], writes: number, completed: boolean): Register[] {
  const end = 2 * reads.length + 2;
  return [
    ...Array.from({ length: writes }, (_, index) => ({
      process: `writer ${index + 1}`,
      input: { kind: "write" as const, value: index + 1 },
      invokedAt: 0,
      ...(completed ? { returnedAt: end } : {}),
    })),
    ...reads.map((output, at) => ({
      process: "reader",
      input: { kind: "read" as const },
      output,
      invokedAt: 2 * at + 1,
      returnedAt: 2 * at + 2,
    })),
  ];
}

test.each([
  { writes: 40, completed: false },
  { writes: 70, completed: false },
  { writes: 40, completed: true },
  { writes: 70, completed: true },
])(
  "$writes overlapping writes, completed: $completed",
  ({ writes, completed }) => {
    for (let seed = 0; seed < 20; seed += 1) {
      const reads = drawReads(seed, writes, seed % 2 === 1);
      const history = historyOf(reads, writes, completed);
      const right = !comesBack(reads);
      const { verdict } = checkHistory(model as never, history as never);
      expect(`seed ${seed}: ${verdict}`).toBe(
        `seed ${seed}: ${right ? "linearizable" : "violated"}`,
      );
    }
  },
  60_000,
);
