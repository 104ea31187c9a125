// A counterexample as text: one line per operation, its span in the order of events.

import type { Model, Operation } from "./model.js";
import { show } from "./plain-data.js";

/** What is to be drawn. */
export interface Drawing<State, Input, Output> {
  readonly operations: readonly Operation<Input, Output>[];
  readonly order: readonly Operation<Input, Output>[];
  readonly state: State;
  readonly next: readonly Operation<Input, Output>[];
  /** How many operations the whole history of this partition had. */
  readonly of: number;
}

const COLUMN = 3;
const MAX_LABEL = 60;

/** Draws the operations over time, the longest order that is right, and where it gets stuck. */
export function drawTimeline<State, Input, Output>(
  model: Model<State, Input, Output>,
  { operations, order, state, next, of }: Drawing<State, Input, Output>,
): string {
  const label = labelOf(model);
  const times = [
    ...new Set(
      operations.flatMap(({ invokedAt, returnedAt }) => [invokedAt, returnedAt ?? []]).flat(),
    ),
  ].sort((a, b) => a - b);
  const column = (time: number): number => COLUMN * times.indexOf(time);
  const labels = operations.map(label);
  const nameWidth = Math.max(...operations.map(({ process }) => String(process).length));
  const labelWidth = Math.max(...labels.map(({ length }) => length));
  const lines = operations.map(({ process, invokedAt, returnedAt }, index) => {
    const start = column(invokedAt);
    const end = returnedAt === undefined ? COLUMN * times.length : column(returnedAt);
    const dash = returnedAt === undefined ? "." : "-";
    const close = returnedAt === undefined ? "  outcome unknown" : "|";
    const span = end === start ? "|" : `|${dash.repeat(Math.max(0, end - start - 1))}${close}`;
    const head = `${String(process).padEnd(nameWidth)}  ${labels[index]?.padEnd(labelWidth)}`;
    return `${head}  ${" ".repeat(start)}${span}`;
  });
  const stateText = model.describeState?.(state) ?? show(state);
  const path = order.length === 0 ? "nothing" : order.map(label).join("; ");
  // Whole: what is cut of it may be what decides.
  const wholly = labelOf(model, Infinity);
  return [
    `${model.name}: no order of these ${operations.length} of ${of} operations is right`,
    "",
    ...lines,
    "",
    `Longest order that is right: ${path}`,
    `State after it: ${stateText}`,
    `Then none of these is: ${next.map(wholly).join("; ")}`,
  ].join("\n");
}

function labelOf<State, Input, Output>(
  model: Model<State, Input, Output>,
  longest: number = MAX_LABEL,
): (operation: Operation<Input, Output>) => string {
  return ({ input, output, returnedAt }) => {
    const known = returnedAt === undefined ? undefined : output;
    const text =
      model.describe?.(input, known) ??
      (known === undefined ? show(input) : `${show(input)} -> ${show(known)}`);
    return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
  };
}
