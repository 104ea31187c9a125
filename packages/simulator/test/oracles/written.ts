// Histories written by hand, in milliseconds, to show what an oracle allows and what it does not.

import { expect } from "vitest";
import type { Method, Recorded } from "../../src/scenarios/recorded.ts";
import type { Guarantee, Setting, Times } from "../../src/scenarios/scenario.ts";
import type { Answer, Effect, History, Operation, Span } from "../../src/world/history.ts";

export const TIMES: Times = {
  operationTimeoutMs: 1_000,
  tombstoneMs: 300_000,
  leaseMs: 10_000,
  retentionMs: 600_000,
};

export interface Pen {
  /** `life: 2` is after the node's first crash; without `to` and an answer it never ended. */
  ask<M extends Method>(
    by: string,
    method: M,
    key: string,
    input: Recorded[M]["input"],
    fromMs: number,
    toMs?: number,
    returned?: Recorded[M]["returned"] | Threw,
    life?: number,
  ): Operation;
  /** A handler's run for an operation. */
  run(
    operation: Operation,
    detail: { run: number; attempt?: number; takeover?: boolean; token?: number },
    fromMs: number,
    toMs?: number,
    result?: "returned" | "threw",
  ): Span;
  span(operation: Operation, part: Partial<Span> & Pick<Span, "kind" | "fromUs">): Span;
  effect(operation: Operation, part: Pick<Effect, "sink"> & Partial<Effect>, atMs: number): Effect;
  healed(atMs: number): void;
  finding(name: string, value: unknown): void;
  done(): History;
}

class Threw {
  readonly code: unknown;
  constructor(code: unknown) {
    this.code = code;
  }
}

export function threw(code: unknown): Threw {
  return new Threw(code);
}

function answerOf(returned: unknown): Answer {
  if (!(returned instanceof Threw)) return { returned };
  return { threw: { code: returned.code, message: `it threw ${String(returned.code)}` } };
}

export function write(): Pen {
  const operations: Operation[] = [];
  const effects: Effect[] = [];
  const spans: Span[] = [];
  const findings: Record<string, unknown> = {};
  let healedUs: number | undefined;
  const pen: Pen = {
    ask(by, method, key, input, fromMs, toMs, returned, life = 1) {
      const id = operations.length + 1;
      const operation: Operation = { id, by, life, method, key, input, beganUs: fromMs * 1000 };
      if (toMs !== undefined) {
        operation.endedUs = toMs * 1000;
        operation.answer = answerOf(returned);
      }
      operations.push(operation);
      return operation;
    },
    run(
      operation,
      { run, attempt = run, takeover = run > 1, token = run * 10 },
      fromMs,
      toMs,
      result,
    ) {
      const span: Span = {
        ...pen.span(operation, { kind: "handler", fromUs: fromMs * 1000 }),
        fencingToken: token,
        detail: { run, attempt, takeover },
      };
      if (toMs !== undefined) span.untilUs = toMs * 1000;
      if (result !== undefined) span.result = result;
      spans[spans.length - 1] = span;
      return span;
    },
    span({ id, by, life, key }, part) {
      const span = { id: spans.length + 1, by, life, key, operation: id, detail: {}, ...part };
      spans.push(span);
      return span;
    },
    effect({ id, by, key }, part, atMs) {
      const made = { id: effects.length + 1, key, by, operation: id, accepted: true };
      const effect = { ...made, ...part, atUs: atMs * 1000 };
      effects.push(effect);
      return effect;
    },
    healed(atMs) {
      healedUs = atMs * 1000;
    },
    finding(name, value) {
      findings[name] = value;
    },
    done: () => ({ operations, effects, spans, healedUs, findings }),
  };
  return pen;
}

/** One history, by what it shows. */
export interface Case {
  readonly shows: string;
  tell(pen: Pen): void;
}

export function setting<W>(workload: W): Setting<W> {
  return { times: TIMES, workload };
}

export function judgeCase<W>(
  guarantee: Guarantee<W>,
  { tell }: Case,
  workload: W,
): string | undefined {
  const pen = write();
  tell(pen);
  return guarantee.judge(pen.done(), setting(workload));
}

export function expectAllowed(verdict: string | undefined): void {
  expect(verdict).toBeUndefined();
}

/** A violation is one line and names a time. */
export function expectViolation(verdict: string | undefined): void {
  expect(verdict).toBeDefined();
  expect(verdict).not.toContain("\n");
  expect(verdict).toMatch(/\d ms|#\d/u);
}
