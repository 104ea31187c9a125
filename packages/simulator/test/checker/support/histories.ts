// Random histories of small objects: made by a correct object of its own, independent of the
// model, and then spoilt about as often as not.

import type { Random } from "@onceproof/simulator";
import type { Operation } from "@onceproof/simulator/checker";

/** A correct object: its answer to an input, and its next state. */
export type Apply<State, Input, Output> = (
  state: State,
  input: Input,
  random: Random,
) => readonly [Output, State];

export interface World<State, Input, Output> {
  readonly initial: State;
  readonly apply: Apply<State, Input, Output>;
  /** What might be asked of an object in this state. */
  readonly input: (random: Random, state: State) => Input;
  /** Some answer that could pass for a right one. */
  readonly wrong: (random: Random, input: Input, right: Output) => Output;
}

export interface Shape {
  readonly most: number;
  /** How likely an operation is of unknown outcome. */
  readonly unknown: number;
  /** How likely an answer is spoilt. */
  readonly spoilt: number;
  /** Times are whole numbers below this: the smaller, the more operations overlap or tie. */
  readonly span: number;
  /** The longest time that an operation takes. */
  readonly longest: number;
}

export const SMALL: Shape = { most: 7, unknown: 0.3, spoilt: 0.6, span: 12, longest: 6 };

/** Draws a history of one to `most` operations. */
export function drawHistory<State, Input, Output>(
  random: Random,
  { initial, apply, input, wrong }: World<State, Input, Output>,
  { most, unknown, spoilt, span, longest }: Shape,
): Operation<Input, Output>[] {
  const drafts = Array.from({ length: random.int(1, most) }, (_, process) => {
    const invokedAt = random.int(0, span);
    const returnedAt = random.chance(unknown) ? undefined : invokedAt + random.int(0, longest);
    const at = invokedAt + random.int(0, returnedAt === undefined ? span : returnedAt - invokedAt);
    const happens = returnedAt !== undefined || random.chance(0.6);
    return { process, invokedAt, returnedAt, at, happens };
  });
  const history: Operation<Input, Output>[] = [];
  let state = initial;
  for (const draft of drafts.sort((a, b) => a.at - b.at)) {
    const { process, invokedAt, returnedAt } = draft;
    const asked = input(random, state);
    const [output, next] = apply(state, asked, random);
    state = draft.happens ? next : state;
    history.push(
      returnedAt === undefined
        ? { process, input: asked, invokedAt }
        : { process, input: asked, output, invokedAt, returnedAt },
    );
  }
  history.sort((a, b) => Number(a.process) - Number(b.process));
  return history.map((operation) =>
    operation.returnedAt !== undefined && random.chance(spoilt)
      ? { ...operation, output: wrong(random, operation.input, operation.output as Output) }
      : operation,
  );
}
